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
import { resolveLinkBases } from './link-bases.ts';
import type { FeedRoot } from './split-feed-xml.ts';

/** An entry of any feed format, unvalidated. Lists are in order of preference; texts are HTML. */
export interface RawEntry {
  title: string;
  links: string[];
  /** guid, atom:id, rdf:about or id; '' for none. */
  id: string;
  /** xml:base of the entry. */
  bases: string[];
  /** xml:base of the element that `content` comes from, inside those of the entry. */
  contentBases: string[];
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
  /** Addresses of the feed, for relative links without any xml:base. */
  addresses: string[];
  /** xml:base of the feed, outermost first. */
  bases: string[];
  dates: string[];
  authors: string[];
  language?: string | undefined;
  entries: RawEntry[];
}

type Maybe<T> = T | undefined;

/** Parses a small XML feed. Throws the errors of feedsmith for a broken or empty one. */
export function parseXmlFeed(root: FeedRoot, document: string): RawFeed {
  if (root === 'feed') return atomFeed(parseAtomFeed(resolveLinkBases(document)));
  return rssFeed(root === 'rdf' ? parseRdfFeed(document) : parseRssFeed(dropLongPersonElements(document)));
}

function rssFeed(feed: RssFeed.Feed<string> | RdfFeed.Feed<string>): RawFeed {
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

/** Parses a JSON Feed from its JSON value. Throws the errors of feedsmith. */
export function parseJsonFeedEntries(value: object): RawFeed {
  // feedsmith drops an item without any known property, which would shift the positions of the others.
  const items = 'items' in value && Array.isArray(value.items) ? value.items : [];
  const kept = items.map(item => (isObject(item) ? { language: 'und', ...item } : { language: 'und' }));
  const feed = parseJsonFeed({ ...value, items: kept });
  return {
    title: textToHtml(feed.title ?? ''),
    addresses: nonBlank([feed.feed_url, feed.home_page_url]),
    bases: [],
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
    id: String(item.id ?? '').trim(),
    links: nonBlank([item.url, item.external_url, httpAddress(item.id)]),
    bases: [],
    contentBases: [],
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
  if (/^(?:xhtml|application\/xhtml\+xml)$/.test(type)) return xhtmlToHtml(text.value);
  if (/^(?:html|text\/html)$/.test(type)) return text.value;
  if (type !== '' && type !== 'text' && type !== 'text/plain') return undefined;
  // A missing type means text, but many feeds without a type contain HTML.
  const isHtml = type === '' && /<\/[a-z][a-z0-9]*\s*>|<(?:br|p|img|hr)\b[^<>]*>/i.test(text.value);
  return isHtml ? text.value : textToHtml(text.value);
}

const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Empty elements of XML get an end tag: HTML reads `<b/>` as a start tag. */
function xhtmlToHtml(xhtml: string): string {
  return xhtml.replace(
    /<((?:[\w.-]{1,50}:)?([a-z][\w.-]{0,50}))(\s[^<>]*)?\/>/gi,
    (tag, name: string, local: string, rest = '') => (voidElements.test(local) ? tag : `<${name}${rest}></${name}>`),
  );
}

/** Plain text as HTML with paragraphs and line breaks. */
function textToHtml(text: string): string {
  // By number: `&lt;` would be read as markup that was escaped twice.
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&#60;').replace(/>/g, '&#62;');
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

function mediaTitle(media: Maybe<MediaNs.ItemOrFeed>): Maybe<string> {
  return mediaParts(media)
    .map(({ title }) => mediaTextToHtml(title))
    .find(Boolean);
}

/** Description or transcript of an item, of its groups and of its media. */
function mediaText(media: Maybe<MediaNs.ItemOrFeed>): Maybe<string> {
  const parts = mediaParts(media);
  return [
    ...parts.map(({ description }) => mediaTextToHtml(description)),
    ...parts.flatMap(({ texts }) => (texts ?? []).map(mediaTextToHtml)),
  ].find(Boolean);
}

const mediaTextToHtml = (text: Maybe<{ value?: string; type?: string }>): Maybe<string> =>
  text?.value && text.type === 'plain' ? textToHtml(text.value) : text?.value;

function mediaParts(media: Maybe<MediaNs.ItemOrFeed>) {
  const groups = media?.groups ?? [];
  return [media, ...groups, ...(media?.contents ?? []), ...groups.flatMap(({ contents }) => contents ?? [])].filter(
    part => part !== undefined,
  );
}

function mediaImages(media: Maybe<MediaNs.ItemOrFeed>): string[] {
  const contents = [
    ...(media?.contents ?? []),
    ...(media?.groups ?? []).flatMap(({ contents }) => contents ?? []),
  ].filter(content => !isPixelSize(content));
  // Some publishers declare neither medium nor type; then the file extension decides.
  const images = contents.filter(({ medium, type, url }) =>
    medium || type ? medium === 'image' || isImage(type) : /\.(?:jpe?g|png|webp|gif|avif)(?:[?#]|$)/i.test(url ?? ''),
  );
  return nonBlank(images.map(({ url }) => url));
}

function mediaThumbnails(media: Maybe<MediaNs.ItemOrFeed>): string[] {
  const thumbnails = mediaParts(media).flatMap(part => part.thumbnails ?? []);
  return nonBlank(thumbnails.filter(thumbnail => !isPixelSize(thumbnail)).map(({ url }) => url));
}

/** Pictures of one pixel count readers. */
const isPixelSize = ({ width, height }: { width?: number; height?: number }): boolean =>
  (width ?? 2) <= 1 || (height ?? 2) <= 1;

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
