import type { Kysely, RawBuilder } from 'kysely';
import { perServer } from '../db/per-database.ts';
import type { Read } from '../db/read.ts';
import { type CacheLookups, MemoryObjectCache, type ObjectCache, TransactionObjectCache } from './object-cache.ts';

/** A source of the objects and refs of one repository. Its cache is not shared with other repositories. */
export interface Repository {
  readonly id: number;
  readonly read: Read;
  readonly cache: ObjectCache;
}

/** A repository as one transaction sees it. Call `cache.publish()` after the commit. */
export interface RepositoryInTransaction extends Repository {
  readonly cache: TransactionObjectCache;
  readonly db: Kysely<unknown>;
}

const cacheFor = perServer(() => new MemoryObjectCache());

/** Lookups in the cache of objects, since the start of the process. */
export const objectLookups = (read: Read): Readonly<CacheLookups> => cacheFor(read).lookups;

/** Opens a repository for reads outside of a transaction. */
export function openRepository(read: Read, id: number): Repository {
  return { id, read, cache: cacheFor(read) };
}

/**
 * Reads through the connection of the transaction: a second connection of the pool may never become free when every
 * holder of one waits for another. `beforeRead` runs before each read, for a caller that buffers writes.
 */
export function openInTransaction(
  db: Kysely<unknown>,
  { id, cache }: Pick<Repository, 'id' | 'cache'>,
  beforeRead?: () => Promise<void>,
): RepositoryInTransaction {
  const read: Read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => {
    await beforeRead?.();
    return (await query.execute(db)).rows;
  };
  return { id, db, read, cache: new TransactionObjectCache(cache, id) };
}

/** An object id as its column stores it: 20 bytes. */
export function oidBytes(oid: string): Buffer {
  return Buffer.from(oid, 'hex');
}
