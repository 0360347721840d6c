import { LRUCache } from 'lru-cache';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import { findLastCommit } from '../../git/path-history.ts';
import type { Repository } from '../../git/repository.ts';

/** Maximum commits that are visited for one path. Beyond, the time is unknown. */
const maxCommits = 5_000;

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
 * back.
 */
export async function lastModified(repository: Repository, tip: Oid, parts: readonly string[]): Promise<string | null> {
  const cache = cacheFor(repository.read);
  const key = `${repository.id}:${tip}:${parts.join('/')}`;
  const found = cache.get(key);
  if (found) return found.at;
  const commit = await findLastCommit(repository, tip, parts, { maxCommits });
  const at = commit ? new Date(commit.committedAt * 1000).toISOString() : null;
  cache.set(key, { at });
  return at;
}
