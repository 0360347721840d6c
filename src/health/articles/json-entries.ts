import { type JsonFeed, parseJsonFeed } from 'feedsmith';
import { textToHtml } from './feed-html.ts';
import { httpAddress, isImage, isObject, nonBlank, personNames } from './feed-values.ts';
import type { RawEntry, RawFeed } from './raw-feed.ts';

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
