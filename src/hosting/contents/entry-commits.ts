import { LRUCache } from 'lru-cache';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { lastChangesComputation } from './last-changes-computation.ts';

/** Size of the cache in bytes. */
const cacheBytes = 8 * 1024 * 1024;
/** Per entry beside its name: the id and the node of the map. */
const entryOverheadBytes = 100;

/** The history of a commit is immutable, so that no entry is stale. */
const cacheFor = perDatabase(
  () =>
    new LRUCache<string, ReadonlyMap<string, Oid>>({
      maxSize: cacheBytes,
      sizeCalculation: names => [...names.keys()].reduce((sum, name) => sum + name.length + entryOverheadBytes, 200),
    }),
);

/** The newest commit that changed each entry of a directory, by name (bytes as latin1 characters). */
export async function entryCommits(
  repository: Repository,
  tip: Oid,
  parts: readonly string[],
): Promise<ReadonlyMap<string, Oid>> {
  const cache = cacheFor(repository.read);
  const key = `${repository.id}:${tip}:${parts.join('/')}`;
  const known = cache.get(key);
  if (known) return known;
  const found = await compute(repository, lastChangesComputation, { repositoryId: repository.id, tip, parts });
  cache.set(key, found);
  return found;
}
