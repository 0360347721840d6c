import { parseXmlFeed } from './feed-entries.ts';
import { parseJsonFeedEntries } from './json-entries.ts';
import type { RawEntry, RawFeed } from './raw-feed.ts';
import { type EntryXml, type FeedRoot, type FeedXml, splitFeedXml } from './split-feed-xml.ts';

/** An entry that could not be parsed. */
export interface BrokenEntry {
  title: string;
  problem: string;
}

export interface ParsedFeed {
  format: 'rss' | 'atom' | 'json';
  about: Omit<RawFeed, 'entries'>;
  entries: (RawEntry | BrokenEntry)[];
}

// 20 MB hold about 5,000 long articles; larger numbers of entries are titles only, and each takes 1 ms.
const maxEntries = 10_000;

/** Calls of feedsmith for a file, each of 0.3 to 2 ms: enough to find some 150 broken entries among 10,000. */
const maxParses = 2_000;

/** Parses the text of a feed. A problem is a noun phrase that completes "found …". */
export function parseFeed(text: string): ParsedFeed | { problem: string } {
  return /^\s*[{[]/.test(text) ? parseJson(text) : parseXml(text);
}

function parseJson(text: string): ParsedFeed | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'JSON that is broken or cut off' };
  }
  try {
    const { entries, ...about } = parseJsonFeedEntries(Object(value));
    return { format: 'json', about, entries: limitEntries(entries, entry => entry) };
  } catch {
    return { problem: 'JSON that is not a JSON Feed' };
  }
}

function parseXml(text: string): ParsedFeed | { problem: string } {
  const xml = splitFeedXml(text);
  if ('problem' in xml) return xml;
  // Feed metadata is optional: an error in it must not discard the entries.
  let about: ParsedFeed['about'] = { title: '', addresses: [], bases: [], dates: [], authors: [] };
  try {
    const { entries: _none, ...read } = parseXmlFeed(xml.root, xml.documentOf([]));
    about = read;
    // feedsmith reads the channel of RSS, not the attributes of its root.
    if (xml.root === 'rss' && xml.base) about.bases.unshift(xml.base);
  } catch {
    if (xml.entries.length === 0) return { problem: `${fileTypeName(xml.root)} with nothing in it that can be read` };
  }
  const whole = xml.entries.filter(({ ends }) => ends).slice(0, maxEntries);
  const left = { parses: maxParses };
  const read = new Map(parseBatch(xml, whole, left).map((entry, index) => [whole[index], entry]));
  return {
    format: xml.root === 'feed' ? 'atom' : 'rss',
    about,
    entries: limitEntries(xml.entries, entry => read.get(entry) ?? brokenEntry(entry, left.parses < 0)),
  };
}

/**
 * Parses entries in one batch, because a feedsmith call takes at least 0.8 ms. When the batch fails, or an entry
 * swallowed another, bisects down to the faulty entry. Entries beyond `left` calls count as broken.
 */
function parseBatch(xml: FeedXml, batch: EntryXml[], left: { parses: number }): (RawEntry | null)[] {
  if (batch.length === 0) return [];
  if (left.parses-- <= 0) return batch.map(() => null);
  try {
    const { entries } = parseXmlFeed(xml.root, xml.documentOf(batch.map(entry => entry.xml)));
    if (entries.length === batch.length) return entries;
  } catch {
    // The only question is which entry it was.
  }
  if (batch.length === 1) return [null];
  const half = batch.length >> 1;
  return [...parseBatch(xml, batch.slice(0, half), left), ...parseBatch(xml, batch.slice(half), left)];
}

function limitEntries<T>(entries: T[], read: (entry: T) => RawEntry | BrokenEntry): (RawEntry | BrokenEntry)[] {
  return entries.map((entry, index) =>
    index < maxEntries
      ? read(entry)
      : { title: '', problem: 'it is beyond the 10,000 entries that are read of a file' },
  );
}

function brokenEntry({ xml, ends }: EntryXml, isUntold: boolean): BrokenEntry {
  const title = /<title[^<>]*>([^<]{0,500})/i.exec(xml)?.[1] ?? '';
  const broken = isUntold ? 'its XML is broken, or too many other entries are' : 'its XML is broken';
  return { title, problem: ends ? broken : 'its end tag is missing, so it may be cut off' };
}

const fileTypeName = (root: FeedRoot): string =>
  ({ rss: 'an RSS file', feed: 'an Atom file', rdf: 'an RDF file' })[root];
