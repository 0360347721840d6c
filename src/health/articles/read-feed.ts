import { readArticleHtml } from './article-body.ts';
import { decodeFeed } from './decode-feed.ts';
import type { FeedEntry, ReadEntry, RejectedEntry } from './feed-entry.ts';
import { identifyEntries } from './feed-identity.ts';
import { categorySlug, firstSentences, truncate } from './feed-text.ts';
import { type BrokenEntry, type ParsedFeed, parseFeed } from './parse-feed.ts';
import { parseFeedDate } from './parse-feed-date.ts';
import { plainText, readText } from './plain-text.ts';
import type { RawEntry } from './raw-feed.ts';

export interface Feed {
  format: 'rss' | 'atom' | 'json';
  title: string;
  /** When the feed says it was written; null where it does not. */
  writtenAt: Date | null;
  /** In file order. */
  entries: FeedEntry[];
  rejected: RejectedEntry[];
}

/** The file is not a feed. The message names what was found and what is accepted. */
export class FeedUnreadable extends Error {
  override name = 'FeedUnreadable';

  constructor(found: string) {
    super(`Expected an RSS 2.0, Atom or JSON Feed file of at most 20 MB, but found ${found}.`);
  }
}

/**
 * Reads an RSS (0.9 to 2.0), Atom or JSON Feed. Fetches nothing. Invalid entries are returned in `rejected` and do not
 * affect others; of several entries for the same article the newest is kept. An entry without a date gets that of the
 * feed, limited to `now`, so that a wrong clock of the publisher does not hide it; in a feed without any date, `now`.
 * @param options.address where the feed was fetched, for relative links of a feed that does not name its address
 * @throws FeedUnreadable when the file is not a feed
 */
export function readFeed(bytes: Uint8Array, options: { now: Date; address?: string }): Feed {
  const source = decodeFeed(bytes);
  if ('problem' in source) throw new FeedUnreadable(source.problem);
  const feed = parseFeed(source.text);
  if ('problem' in feed) throw new FeedUnreadable(feed.problem);

  const read = new Map<number, ReadEntry>();
  const addresses = [...(options.address === undefined ? [] : [options.address]), ...feed.about.addresses];
  const rejected: RejectedEntry[] = [];
  const dates = feed.entries.some(raw => 'published' in raw && raw.published.length > 0)
    ? feed.about.dates
    : [...feed.about.dates, options.now.toISOString()];
  for (const [index, raw] of feed.entries.entries()) {
    const result = buildEntry(raw, { ...feed.about, dates, addresses }, options.now);
    if ('reason' in result) rejected.push({ position: index + 1, ...result });
    else read.set(index + 1, result);
  }
  const { entries, duplicates } = identifyEntries(read);
  return {
    format: feed.format,
    title: truncate(leadingText(feed.about.title), 300),
    writtenAt:
      feed.about.dates
        .map(parseFeedDate)
        .filter(isUsable)
        .sort((one, other) => +other - +one)[0] ?? null,
    entries,
    rejected: [...rejected, ...duplicates].sort((one, other) => one.position - other.position),
  };
}

type Rejection = Omit<RejectedEntry, 'position'>;

function buildEntry(raw: RawEntry | BrokenEntry, about: ParsedFeed['about'], now: Date): ReadEntry | Rejection {
  const heading = readText(raw.title.slice(0, 1_000_000));
  const title = truncate(heading.text, 300);
  const rejected = (reason: string): Rejection => ({ title: title || null, reason });
  if ('problem' in raw) return rejected(raw.problem);

  const bases = [...about.bases, ...raw.bases];
  const base = resolveBase([...about.addresses, ...bases]);
  const link = findLink(raw.links, base);
  const href = 'href' in link ? link.href : undefined;
  // Without xml:base, relative links refer to the page itself.
  const contentBases = [...bases, ...raw.contentBases];
  const content = readArticleHtml(
    raw.content,
    contentBases.length > 0 ? resolveBase([...about.addresses, ...contentBases]) : href,
  );
  if (title === '' && content.text === '') return rejected('it has neither a title nor a text');
  if ('reason' in link) return rejected(link.reason);
  const published = findPublicationDate(raw.published, about.dates, now);
  if ('reason' in published) return rejected(published.reason);
  const summary = readText(raw.summary.slice(0, 1_000_000));
  const problem = heading.problem ?? content.problem ?? summary.problem;
  if (problem !== null) return rejected(`${problem}, so that its text alone would say something else`);

  return {
    headline: title || firstSentences(content.text, 120),
    summary: summary.text ? truncate(summary.text, 600) : firstSentences(content.text, 600),
    author: formatAuthors(raw.authors.length > 0 ? raw.authors : about.authors),
    link: link.href,
    fragment: link.fragment,
    id: raw.id.slice(0, maxLinkLength) || null,
    imageUrl: findImage(raw.images, base),
    language: languageTag(raw.language) ?? languageTag(about.language) ?? null,
    publishedAt: published.date,
    updatedAt: raw.updated.map(parseFeedDate).find(isUsable) ?? null,
    versionAt: newest([...raw.published, ...raw.updated], now),
    categories: buildCategories(raw.categories),
    tags: buildTags(raw.tags),
    body: content.markdown,
  };
}

/** A date of tomorrow is that of a wrong clock: it would make every later version an older one. */
function newest(written: string[], now: Date): Date | null {
  const latest = now.getTime() + 24 * 60 * 60 * 1000;
  const dates = written
    .map(parseFeedDate)
    .filter(isUsable)
    .filter(date => date.getTime() <= latest);
  return dates.sort((one, other) => +other - +one)[0] ?? null;
}

/** A language tag in its usual case (RFC 5646), without what follows its region; undefined for anything else. */
function languageTag(tag: string | undefined): string | undefined {
  const [, language, region] = /^([a-z]{2,3})(?:[-_]([a-z]{2}))?(?![a-z])/i.exec(tag?.trim() ?? '') ?? [];
  if (language === undefined || /^und$/i.test(language)) return undefined;
  return [language.toLowerCase(), ...(region === undefined ? [] : [region.toUpperCase()])].join('-');
}

/** Plain text of the first 20,000 characters of HTML: enough for a headline and a summary. */
const leadingText = (html: string): string => plainText(html.slice(0, 20_000));

/** Resolves nested bases: each may be relative to the preceding one. */
function resolveBase(bases: string[]): string | undefined {
  return bases.reduce<string | undefined>((outer, base) => URL.parse(base.trim(), outer)?.href ?? outer, undefined);
}

function findLink(links: string[], base: string | undefined): { href: string; fragment: string } | { reason: string } {
  for (const link of links) {
    const url = URL.parse(link.trim(), base);
    const href = canonicalLink(url?.href ?? '');
    if (href) return { href, fragment: url?.hash ?? '' };
  }
  const [first] = links;
  if (first === undefined) return { reason: 'it has no link' };
  const shown = truncate(leadingText(first), 100);
  if (URL.canParse(first.trim(), base)) return { reason: `its link is not a usable http(s) address: ${shown}` };
  return { reason: `its link is relative and the feed does not say to what: ${shown}` };
}

const trackingParameter =
  /^(?:utm_.*|hsa_.*|mtm_.*|at_(?:medium|campaign|custom\d|link_.*)|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|_hsenc|_hsmi|_ga|_gl|mkt_tok|oly_(?:anon|enc)_id|vero_id|ns_(?:campaign|mchannel|source|linkname|fee))$/i;

// A longer URL exceeds the maximum size of a PostgreSQL index entry (2,704 bytes) and would abort the import.
const maxLinkLength = 2_000;

/**
 * Canonical form of a URL, by which an article is identified: http(s), lower-case host, without default port, fragment,
 * credentials and tracking parameters; other parameters stay unchanged and in order. Null for other schemes and for
 * more than 2,000 characters. Idempotent.
 */
export function canonicalLink(link: string): string | null {
  const url = URL.parse(link.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  url.hash = '';
  url.username = '';
  url.password = '';
  // Not URLSearchParams: it writes `%20` as `+` and `a` as `a=`, which some servers distinguish.
  const parameters = url.search.slice(1).split('&');
  const kept = parameters.filter(parameter => !trackingParameter.test(parameter.split('=', 1)[0] ?? '')).join('&');
  // With the leading `?`: the setter strips one, which in `??` would belong to the query.
  url.search = kept === '' ? '' : `?${kept}`;
  return url.href.length <= maxLinkLength ? url.href : null;
}

function findImage(images: string[], base: string | undefined): string | null {
  for (const image of images) {
    const url = URL.parse(image.trim(), base);
    if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && url.href.length <= maxLinkLength) {
      return url.href;
    }
  }
  return null;
}

const isUsable = (date: Date | null): date is Date =>
  date !== null && date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 2099;

function findPublicationDate(written: string[], ofFeed: string[], now: Date): { date: Date } | { reason: string } {
  const dates = written.map(parseFeedDate);
  const date = dates.find(isUsable);
  if (date) return { date };
  const [first] = written;
  if (first !== undefined) {
    const shown = truncate(leadingText(first), 60);
    return {
      reason: dates[0] ? `its date is not between 1970 and 2099: ${shown}` : `its date cannot be read: ${shown}`,
    };
  }
  const borrowed = ofFeed.map(parseFeedDate).find(isUsable);
  if (!borrowed) return { reason: 'it has no date, and the feed has none either' };
  return { date: borrowed < now ? borrowed : now };
}

/** Joins author names and removes e-mail addresses, also from `ann@example.org (Ann Lee)`. */
function formatAuthors(written: string[]): string {
  const names = written
    .slice(0, 50)
    .map(name => leadingText(name).replace(/(?<![^\s<>()])[^\s<>()]+@[^\s<>()]+/g, ' '))
    .map(name => name.replace(/^[\s<>()[\],;-]+|(?<![\s<>[\],;-])[\s<>[\],;-]+$/g, ''))
    .map(name => (name.includes('(') ? name : name.replace(/\)$/, '')));
  return truncate([...new Set(names.filter(Boolean))].join(', '), 200);
}

function buildCategories(written: string[]): FeedEntry['categories'] {
  const bySlug = new Map<string, { name: string; slug: string }>();
  for (const name of buildTags(written)) {
    const slug = categorySlug(name);
    // Blogger gives every post a schema URL as a category.
    if (slug && !/^https?:/i.test(name) && !bySlug.has(slug)) bySlug.set(slug, { name, slug });
  }
  return [...bySlug.values()].slice(0, 20);
}

function buildTags(written: string[]): string[] {
  const byName = new Map<string, string>();
  for (const name of written.slice(0, 50).map(tag => truncate(leadingText(tag), 100))) {
    if (name && !byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), name);
  }
  return [...byName.values()].slice(0, 30);
}
