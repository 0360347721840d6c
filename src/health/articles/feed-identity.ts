import type { FeedEntry, ReadEntry, RejectedEntry } from './feed-entry.ts';

/**
 * Finds the entries of one feed that are the same article, and keeps the newest of them; ties go to the first. An entry is its guid or
 * atom:id, and where it has none its link: two entries with one link and two ids are two articles, and so are two places of one page.
 * A number behind `#` in a guid counts the versions of one article, if link and title are the same.
 */
export function identifyEntries(read: ReadonlyMap<number, ReadEntry>): {
  entries: FeedEntry[];
  duplicates: RejectedEntry[];
} {
  const keys = keysOf(read);
  const newest = new Map<string, { position: number; age: number }>();
  for (const [position, entry] of read) {
    const key = keys.get(position) ?? '';
    const age = Math.max(entry.updatedAt?.getTime() ?? -1, entry.publishedAt.getTime());
    if (age > (newest.get(key)?.age ?? Number.NEGATIVE_INFINITY)) newest.set(key, { position, age });
  }
  const pages = groupBy(read, entry => entry.link);
  const places = placesOf(pages);
  const ambiguous = ambiguousIds(read);
  const entries: FeedEntry[] = [];
  const duplicates: RejectedEntry[] = [];
  for (const [position, { fragment, ...entry }] of read) {
    const kept = newest.get(keys.get(position) ?? '')?.position ?? position;
    if (kept === position) {
      const link = places.has(entry.link) ? entry.link + fragment : entry.link;
      entries.push({
        ...entry,
        position,
        link,
        id: entry.id === null || ambiguous.has(entry.id) ? null : identityOf(entry.id, link),
      });
    } else {
      const what = read.get(kept)?.link === entry.link ? 'the same link as' : 'the same id as';
      duplicates.push({ position, title: entry.headline, reason: `it has ${what} entry ${kept}, which is kept`, kept });
    }
  }
  return { entries, duplicates };
}

function keysOf(read: ReadonlyMap<number, ReadEntry>): Map<number, string> {
  const pages = groupBy(read, entry => entry.link);
  const places = placesOf(pages);
  const ambiguous = ambiguousIds(read);
  const keys = new Map<number, string>();
  for (const [link, entries] of pages) {
    const byId = entries.every(([, { id }]) => id !== null && !ambiguous.has(id));
    for (const [position, { id, headline, fragment }] of entries) {
      const place = places.has(link) ? `${link}${fragment} ${headline}` : link;
      const counted = id !== null && versionOf(id) !== id;
      keys.set(position, byId ? (counted ? `${versionOf(id ?? '')} ${link} ${headline}` : `id ${id}`) : place);
    }
  }
  return keys;
}

/** A guid without the number of the version. */
const versionOf = (id: string): string => id.replace(/#\d{1,9}$/, '');

/** Links of which the feed names several places. */
function placesOf(pages: ReadonlyMap<string, [number, ReadEntry][]>): Set<string> {
  const several = [...pages].filter(([, entries]) => {
    const named = entries.map(([, { fragment }]) => fragment).filter(fragment => fragment !== '');
    return new Set(named).size > 1 && new Set(entries.map(([, { headline }]) => headline)).size > 1;
  });
  return new Set(several.map(([link]) => link));
}

/** Ids that generators give to every entry, such as the address of the site: links and titles differ. */
function ambiguousIds(read: ReadonlyMap<number, ReadEntry>): Set<string> {
  const ambiguous = new Set<string>();
  for (const [id, entries] of groupBy(read, entry => entry.id ?? '')) {
    const links = new Set(entries.map(([, { link, fragment }]) => link + fragment));
    const titles = new Set(entries.map(([, { headline }]) => headline));
    if (links.size > 1 && titles.size > 1) ambiguous.add(id);
  }
  return ambiguous;
}

function groupBy(read: ReadonlyMap<number, ReadEntry>, key: (entry: ReadEntry) => string) {
  const groups = new Map<string, [number, ReadEntry][]>();
  for (const one of read) {
    const name = key(one[1]);
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return groups;
}

/** An id that is no URI, such as `17`, is unique at its publisher only. */
function identityOf(id: string, link: string): string {
  return /^(?:[a-z][a-z0-9+.-]*:|[0-9a-f]{8}-[0-9a-f]{4}-)/i.test(id) ? id : `${URL.parse(link)?.host ?? ''} ${id}`;
}
