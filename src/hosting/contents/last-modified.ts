import { LRUCache } from 'lru-cache';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import { findLastCommit } from '../../git/path-history.ts';
import type { Repository } from '../../git/repository.ts';

/** Commits that are looked at for one path. What was not touched by so many says nothing of when it was. */
const maxCommits = 5_000;

/** Bytes of all that is remembered: 20,000 paths of usual length. Not their number, since a path may have some kilobytes. */
const cacheBytes = 8 * 1024 * 1024;
/** Beside the key: the time, and the list. */
const entryOverheadBytes = 300;

/** What a commit's history says of a path never changes. */
const cacheFor = perDatabase(
  () =>
    new LRUCache<string, { at: string | null }>({
      maxSize: cacheBytes,
      sizeCalculation: (_, key) => entryOverheadBytes + key.length,
    }),
);

/** When a commit last touched a path (parts as of `pathParts`), in ISO 8601; null when that lies too far back. */
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
