import type { AtomFeed, AtomNs } from 'feedsmith';
import { atomTextToHtml } from './feed-html.ts';
import { firstNonEmpty, httpAddress, isImage, type Maybe, nonBlank, personNames } from './feed-values.ts';
import { mediaImages, mediaText, mediaThumbnails, mediaTitle } from './media-elements.ts';
import type { RawEntry, RawFeed } from './raw-feed.ts';

/** A parsed Atom feed in the terms of all formats. */
export function atomFeed(feed: AtomFeed.Feed<string>): RawFeed {
  return {
    title: atomTextToHtml(feed.title) ?? '',
    addresses: nonBlank([feed.links?.find(({ rel }) => rel === 'self')?.href, alternateLinks(feed)[0]]),
    bases: nonBlank([feed.xml?.base]),
    dates: nonBlank([feed.updated]),
    authors: personNames(feed.authors),
    language: feed.xml?.lang,
    entries: (feed.entries ?? []).map(atomEntry),
  };
}

function atomEntry(entry: AtomFeed.Entry<string>): RawEntry {
  const { dc, media, itunes, links = [] } = entry;
  const full = atomTextToHtml(entry.content);
  const summary = atomTextToHtml(entry.summary) || mediaText(media);
  const pictures = links.filter(({ rel, type }) => rel === 'enclosure' && isImage(type));
  return {
    title: atomTextToHtml(entry.title) || mediaTitle(media) || '',
    id: entry.id?.trim() ?? '',
    links: nonBlank([...alternateLinks(entry), entry.content?.src, httpAddress(entry.id)]),
    bases: nonBlank([entry.xml?.base]),
    contentBases: nonBlank([full ? entry.content?.xml?.base : entry.summary?.xml?.base]),
    published: nonBlank([entry.published, ...(dc?.dates ?? []), entry.updated]),
    updated: nonBlank([entry.updated]),
    content: full || summary || '',
    summary: full ? (summary ?? '') : '',
    authors: firstNonEmpty(personNames(entry.authors), personNames(entry.source?.authors), dc?.creators),
    images: [
      ...mediaImages(media),
      ...nonBlank(pictures.map(({ href }) => href)),
      ...mediaThumbnails(media),
      ...nonBlank([itunes?.image]),
    ],
    categories: nonBlank([
      ...(entry.categories ?? []).map(({ label, term }) => label ?? term),
      ...(dc?.subjects ?? []),
    ]),
    tags: nonBlank(media?.keywords ?? []),
  };
}

/** URLs of the page itself, HTML pages before other formats. */
export function alternateLinks(entry: Maybe<Pick<AtomNs.Entry<string>, 'links'>>): string[] {
  const links = (entry?.links ?? []).filter(({ rel = 'alternate' }) => rel.toLowerCase() === 'alternate');
  const pages = links.filter(({ type = 'text/html' }) => /html/i.test(type));
  return nonBlank([...pages, ...links].map(({ href }) => href));
}
