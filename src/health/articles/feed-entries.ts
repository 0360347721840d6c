import {
  type AtomFeed,
  type AtomNs,
  type JsonFeed,
  type MediaNs,
  parseAtomFeed,
  parseJsonFeed,
  parseRdfFeed,
  parseRssFeed,
  type RdfFeed,
  type RssFeed,
} from 'feedsmith';
import { dropLongPersonElements } from './drop-long-person-elements.ts';
import type { FeedRoot } from './split-feed-xml.ts';

/** An entry of any feed format, unvalidated. Lists are in order of preference; texts are HTML. */
export interface RawEntry {
  title: string;
  links: string[];
  /** xml:base of the entry and of its content, outermost first. */
  bases: string[];
  published: string[];
  updated: string[];
  content: string;
  summary: string;
  authors: string[];
  images: string[];
  categories: string[];
  tags: string[];
  language?: string | undefined;
}

export interface RawFeed {
  title: string;
  /** Base URLs for relative links, outermost first. */
  bases: string[];
  dates: string[];
  authors: string[];
  language?: string | undefined;
  entries: RawEntry[];
}

type Maybe<T> = T | undefined;

/** Parses a small XML feed. Throws the errors of feedsmith for a broken or empty one. */
export function parseXmlFeed(root: FeedRoot, document: string): RawFeed {
  if (root === 'feed') return atomFeed(parseAtomFeed(document));
  return rssFeed(root === 'rdf' ? parseRdfFeed(document) : parseRssFeed(dropLongPersonElements(document)));
}

function rssFeed(feed: RssFeed.Feed<string> | RdfFeed.Feed<string>): RawFeed {
  const { dc, atom, xml } = feed;
  const channel: RssFeed.Feed<string> = feed;
  const items: RssFeed.Item<string>[] = feed.items ?? [];
  return {
    title: feed.title ?? '',
    bases: nonBlank([atom?.links?.find(({ rel }) => rel === 'self')?.href, feed.link, xml?.base]),
    dates: nonBlank([channel.pubDate, channel.lastBuildDate, ...(dc?.dates ?? []), atom?.updated]),
    authors: nonBlank([...(dc?.creators ?? []), channel.itunes?.author, channel.managingEditor?.name]),
    language: channel.language ?? dc?.languages?.[0] ?? xml?.lang,
    entries: items.map(rssEntry),
  };
}

function rssEntry(item: RssFeed.Item<string>): RawEntry {
  const { atom, dc, dcterms, media, itunes, guid, enclosures = [] } = item;
  const full = item.content?.encoded ?? atomTextToHtml(atom?.content);
  const description =
    item.description ??
    atomTextToHtml(atom?.summary) ??
    dc?.descriptions?.[0] ??
    itunes?.summary ??
    media?.description?.value;
  return {
    title: item.title ?? dc?.titles?.[0] ?? media?.title?.value ?? itunes?.title ?? atomTextToHtml(atom?.title) ?? '',
    // A guid is a URL unless isPermaLink is false; a name such as "post-17" must not be resolved as a relative URL.
    links: nonBlank([
      item.link,
      ...alternateLinks(atom),
      guid?.isPermaLink === false ? undefined : httpAddress(guid?.value),
    ]),
    bases: nonBlank([item.xml?.base]),
    published: nonBlank([
      item.pubDate,
      ...(dc?.dates ?? []),
      atom?.published,
      ...(dcterms?.issued ?? []),
      atom?.updated,
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

function atomFeed(feed: AtomFeed.Feed<string>): RawFeed {
  return {
    title: atomTextToHtml(feed.title) ?? '',
    bases: nonBlank([feed.links?.find(({ rel }) => rel === 'self')?.href, alternateLinks(feed)[0], feed.xml?.base]),
    dates: nonBlank([feed.updated]),
    authors: personNames(feed.authors),
    language: feed.xml?.lang,
    entries: (feed.entries ?? []).map(atomEntry),
  };
}

function atomEntry(entry: AtomFeed.Entry<string>): RawEntry {
  const { dc, media, itunes, links = [] } = entry;
  const full = atomTextToHtml(entry.content);
  const summary = atomTextToHtml(entry.summary) ?? media?.description?.value ?? media?.groups?.[0]?.description?.value;
  const pictures = links.filter(({ rel, type }) => rel === 'enclosure' && isImage(type));
  return {
    title: atomTextToHtml(entry.title) ?? '',
    links: nonBlank([...alternateLinks(entry), entry.content?.src, httpAddress(entry.id)]),
    bases: nonBlank([entry.xml?.base, entry.content?.xml?.base]),
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

/** Parses a JSON Feed from its JSON value. Throws the errors of feedsmith. */
export function parseJsonFeedEntries(value: object): RawFeed {
  // feedsmith drops an item without any known property, which would shift the positions of the others.
  const items = 'items' in value && Array.isArray(value.items) ? value.items : [];
  const kept = items.map(item => (isObject(item) ? { language: 'und', ...item } : { language: 'und' }));
  const feed = parseJsonFeed({ ...value, items: kept });
  return {
    title: textToHtml(feed.title ?? ''),
    bases: nonBlank([feed.feed_url, feed.home_page_url]),
    dates: [],
    authors: personNames(feed.authors),
    entries: (feed.items ?? []).map(jsonEntry),
  };
}

function jsonEntry(item: JsonFeed.Item<string>): RawEntry {
  const pictures = (item.attachments ?? []).filter(({ mime_type }) => isImage(mime_type));
  const full = item.content_html ?? textToHtml(item.content_text ?? '');
  const summary = textToHtml(item.summary ?? '');
  return {
    title: textToHtml(item.title ?? ''),
    links: nonBlank([item.url, item.external_url, httpAddress(item.id)]),
    bases: [],
    published: nonBlank([item.date_published, item.date_modified]),
    updated: nonBlank([item.date_modified]),
    content: full || summary,
    summary: full ? summary : '',
    authors: personNames(item.authors),
    images: nonBlank([item.image, item.banner_image, ...pictures.map(({ url }) => url)]),
    // JSON Feed has tags but no categories. Tags are not mapped to categories: authors use dozens, and each category is
    // a row and a filter.
    categories: [],
    tags: item.tags ?? [],
  };
}

/** An Atom text construct as HTML; undefined when absent or not text, such as a base64 image. */
function atomTextToHtml(text: Maybe<AtomFeed.Text | AtomFeed.Content>): Maybe<string> {
  if (!text?.value) return undefined;
  const type = text.type?.toLowerCase() ?? '';
  if (/^(x?html|text\/html|application\/xhtml\+xml)$/.test(type)) return text.value;
  if (type !== '' && type !== 'text' && type !== 'text/plain') return undefined;
  // A missing type means text, but many feeds without a type contain HTML.
  const isHtml = type === '' && /<\/[a-z][a-z0-9]*\s*>|<(?:br|p|img|hr)\b[^<>]*>/i.test(text.value);
  return isHtml ? text.value : textToHtml(text.value);
}

/** Plain text as HTML with paragraphs and line breaks. */
function textToHtml(text: string): string {
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  if (!escaped.includes('\n')) return escaped;
  const paragraphs = escaped.split(/\n\s*\n/).map(paragraph => paragraph.replace(/\n/g, '<br>'));
  return paragraphs.map(paragraph => `<p>${paragraph}</p>`).join('');
}

/** URLs of the page itself, HTML pages before other formats. */
function alternateLinks(entry: Maybe<Pick<AtomNs.Entry<string>, 'links'>>): string[] {
  const links = (entry?.links ?? []).filter(({ rel = 'alternate' }) => rel.toLowerCase() === 'alternate');
  const pages = links.filter(({ type = 'text/html' }) => /html/i.test(type));
  return nonBlank([...pages, ...links].map(({ href }) => href));
}

function mediaImages(media: Maybe<MediaNs.ItemOrFeed>): string[] {
  const contents = [...(media?.contents ?? []), ...(media?.groups ?? []).flatMap(({ contents }) => contents ?? [])];
  // Some publishers declare neither medium nor type; then the file extension decides.
  const images = contents.filter(({ medium, type, url }) =>
    medium || type ? medium === 'image' || isImage(type) : /\.(?:jpe?g|png|webp|gif|avif)(?:[?#]|$)/i.test(url ?? ''),
  );
  return nonBlank(images.map(({ url }) => url));
}

function mediaThumbnails(media: Maybe<MediaNs.ItemOrFeed>): string[] {
  const around = [media, ...(media?.groups ?? []), ...(media?.contents ?? [])];
  return nonBlank(around.flatMap(part => part?.thumbnails ?? []).map(({ url }) => url));
}

/** Names only: e-mail addresses of authors are never published, also when given in place of a name. */
function personNames(people: Maybe<{ name?: string }[]>): string[] {
  return nonBlank((people ?? []).map(({ name }) => name));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isImage = (type: Maybe<string>): boolean => /^image\//i.test(type ?? '');
const httpAddress = (text: Maybe<string>): Maybe<string> => (/^\s*https?:\/\//i.test(text ?? '') ? text : undefined);
const nonBlank = (texts: Maybe<string>[]): string[] =>
  texts.filter(text => text !== undefined && text.trim() !== '') as string[];
const firstNonEmpty = (...lists: Maybe<string[]>[]): string[] => lists.find(list => list && list.length > 0) ?? [];
