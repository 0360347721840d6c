import type { Kysely, RawBuilder } from 'kysely';
import { memoryLimit } from '../config/memory-limit.ts';
import { perServer } from '../db/per-database.ts';
import type { Read } from '../db/read.ts';
import type { Isolation, WorkSource } from '../workers/computation.ts';
import { WorkBudget } from '../workers/work-budget.ts';
import { type CacheLookups, MemoryObjectCache, type ObjectCache, TransactionObjectCache } from './object-cache.ts';

/** What a repository is opened with: a context, or the database and the budget of a job. */
export interface RepositorySource extends WorkSource {
  /** Where heavy computations run; in this process when it is absent, as in a transaction, whose changes no other process sees. */
  readonly isolation?: Isolation | undefined;
}

/** For maintenance and commands of operators: work without limits, with turns of the event loop. */
export const unlimitedSource = (read: Read, signal?: AbortSignal): RepositorySource => ({
  read,
  workBudget: WorkBudget.unlimited(signal),
});

/**
 * A source of the objects and refs of one repository. Its cache is not shared with other repositories. Whatever reads objects or walks
 * them spends from the budget.
 */
export interface Repository extends RepositorySource {
  readonly id: number;
  readonly cache: ObjectCache;
  /**
   * Another repository, from which objects are read that this one does not have: of a fork, for a comparison. Each keeps its own cache,
   * so that no one reads the objects of a private fork through its parent.
   */
  readonly alternate?: Repository | undefined;
}

/** A repository as one transaction sees it. Call `cache.publish()` after the commit. */
export interface RepositoryInTransaction extends Repository {
  readonly cache: TransactionObjectCache;
  readonly db: Kysely<unknown>;
}

/** Of the objects in memory; a small container has less. */
const maxCacheBytes = 64 * 1024 * 1024;

const cacheFor = perServer(() => new MemoryObjectCache(Math.min(maxCacheBytes, memoryLimit() / 16)));

/** Lookups in the cache of objects, since the start of the process. */
export const objectLookups = (read: Read): Readonly<CacheLookups> => cacheFor(read).lookups;

/** The cache of objects that all requests of a process share. */
export const objectCacheOf = (read: Read): ObjectCache => cacheFor(read);

/** Opens a repository for reads outside of a transaction. */
export function openRepository({ read: given, workBudget, isolation }: RepositorySource, id: number): Repository {
  const read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => {
    const rows = await given(query);
    workBudget.endWait();
    return rows;
  };
  Object.defineProperties(read, {
    database: { value: given.database ?? given },
    replica: { get: () => given.replica },
  });
  return { id, read, workBudget, isolation, cache: cacheFor(given) };
}

/** Opens a repository, and another one for the objects that it does not have; the repository alone when there is no other one. */
export function openWithAlternate(
  source: RepositorySource,
  { repositoryId, alternateId }: { repositoryId: number; alternateId?: number | undefined },
): Repository {
  const repository = openRepository(source, repositoryId);
  if (alternateId === undefined || alternateId === repositoryId) return repository;
  return { ...repository, alternate: openRepository(source, alternateId) };
}

/**
 * Reads through the connection of the transaction: a second connection of the pool may never become free when every
 * holder of one waits for another. `beforeRead` runs before each read, for a caller that buffers writes.
 */
export function openInTransaction(
  db: Kysely<unknown>,
  { id, cache, workBudget }: Pick<Repository, 'id' | 'cache' | 'workBudget'>,
  beforeRead?: () => Promise<void>,
): RepositoryInTransaction {
  const read: Read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => {
    await beforeRead?.();
    const { rows } = await query.execute(db);
    workBudget.endWait();
    return rows;
  };
  return { id, db, read, workBudget, cache: new TransactionObjectCache(cache, id) };
}

/** An object id as its column stores it: 20 bytes. */
export function oidBytes(oid: string): Buffer {
  return Buffer.from(oid, 'hex');
}
