import type { RdfFeed, RssFeed } from 'feedsmith';
import { alternateLinks } from './atom-entries.ts';
import { atomTextToHtml } from './feed-html.ts';
import { firstNonEmpty, httpAddress, isImage, nonBlank, personNames } from './feed-values.ts';
import { mediaImages, mediaText, mediaThumbnails, mediaTitle } from './media-elements.ts';
import type { RawEntry, RawFeed } from './raw-feed.ts';

/** A parsed RSS or RDF feed in the terms of all formats. */
export function rssFeed(feed: RssFeed.Feed<string> | RdfFeed.Feed<string>): RawFeed {
  const { dc, atom, xml } = feed;
  const channel: RssFeed.Feed<string> = feed;
  const items: RssFeed.Item<string>[] = feed.items ?? [];
  return {
    title: feed.title ?? '',
    addresses: nonBlank([atom?.links?.find(({ rel }) => rel === 'self')?.href, feed.link]),
    bases: nonBlank([xml?.base]),
    dates: nonBlank([channel.pubDate, channel.lastBuildDate, ...(dc?.dates ?? []), atom?.updated]),
    authors: nonBlank([...(dc?.creators ?? []), channel.itunes?.author, channel.managingEditor?.name]),
    language: channel.language ?? dc?.languages?.[0] ?? xml?.lang,
    entries: items.map(rssEntry),
  };
}

function rssEntry(item: RssFeed.Item<string>): RawEntry {
  const { atom, dc, dcterms, media, itunes, guid, enclosures = [] } = item;
  const about = 'rdf' in item ? (item.rdf as { about?: string } | undefined)?.about : undefined;
  const full = item.content?.encoded || atomTextToHtml(atom?.content);
  const description =
    item.description || (atomTextToHtml(atom?.summary) ?? dc?.descriptions?.[0] ?? itunes?.summary ?? mediaText(media));
  return {
    title: item.title ?? dc?.titles?.[0] ?? mediaTitle(media) ?? itunes?.title ?? atomTextToHtml(atom?.title) ?? '',
    id: guid?.value?.trim() ?? atom?.id?.trim() ?? about?.trim() ?? '',
    // A guid is a URL unless isPermaLink is false; a name such as "post-17" must not be resolved as a relative URL.
    links: nonBlank([
      item.link,
      ...alternateLinks(atom),
      guid?.isPermaLink === false ? undefined : httpAddress(guid?.value),
      httpAddress(about),
    ]),
    bases: nonBlank([item.xml?.base]),
    contentBases: [],
    published: nonBlank([
      item.pubDate,
      ...(dc?.dates ?? []),
      atom?.published,
      ...(dcterms?.issued ?? []),
      ...(dcterms?.created ?? []),
      atom?.updated,
      ...(dcterms?.modified ?? []),
    ]),
    updated: nonBlank([atom?.updated, ...(dcterms?.modified ?? [])]),
    content: full || description || '',
    summary: full ? (description ?? '') : '',
    authors: firstNonEmpty(
      dc?.creators,
      personNames(item.authors),
      personNames(atom?.authors),
      nonBlank([itunes?.author]),
    ),
    images: [
      ...mediaImages(media),
      ...nonBlank(enclosures.filter(({ type }) => isImage(type)).map(({ url }) => url)),
      ...mediaThumbnails(media),
      ...nonBlank([itunes?.image]),
    ],
    categories: nonBlank([...(item.categories ?? []).map(({ name }) => name), ...(dc?.subjects ?? [])]),
    tags: nonBlank([...(media?.keywords ?? []), ...(itunes?.keywords ?? [])]),
  };
}
