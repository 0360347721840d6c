import { LRUCache } from 'lru-cache';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import { findLastCommit } from '../../git/path-history.ts';
import type { Repository } from '../../git/repository.ts';

/** Maximum commits that are visited for one path. Beyond, the time is unknown. */
const maxCommits = 5_000;

/** Maximum commits of them that are newer than the index: of more, their trees would have to be read. */
const maxUnindexed = 256;

/**
 * Size of the cache in bytes: 20,000 paths of the usual length. Not limited by number, since a path can have kilobytes.
 */
const cacheBytes = 8 * 1024 * 1024;
/** Per entry, beside the key: the time and the list node. */
const entryOverheadBytes = 300;

/** The history of a commit is immutable, so entries are never stale. */
const cacheFor = perDatabase(
  () =>
    new LRUCache<string, { at: string | null }>({
      maxSize: cacheBytes,
      sizeCalculation: (_, key) => entryOverheadBytes + key.length,
    }),
);

/**
 * When a commit last changed a path (`parts` as of `pathParts`), in ISO 8601; null when it is more than `maxCommits`
 * back, or when the index does not know yet. It never costs a walk over trees.
 */
export async function lastModified(repository: Repository, tip: Oid, parts: readonly string[]): Promise<string | null> {
  const cache = cacheFor(repository.read);
  const key = `${repository.id}:${tip}:${parts.join('/')}`;
  const found = cache.get(key);
  if (found) return found.at;
  let isKnown = true;
  const onUnindexed = (): void => {
    isKnown = false;
  };
  const commit = await findLastCommit(repository, tip, parts, { maxCommits, maxUnindexed, onUnindexed });
  const at = commit ? new Date(commit.committedAt * 1000).toISOString() : null;
  if (isKnown) cache.set(key, { at });
  return at;
}
