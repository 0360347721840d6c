import type { Kysely, RawBuilder } from 'kysely';
import { perDatabase } from '../db/per-database.ts';
import type { Read } from '../db/read.ts';
import { MemoryObjectCache, type ObjectCache, TransactionObjectCache } from './object-cache.ts';

/** Where the objects and refs of one repository are read from. What is read through it is in nobody else's sight. */
export interface Repository {
  readonly id: number;
  readonly read: Read;
  readonly cache: ObjectCache;
}

/** The same repository as a transaction sees it. Call `cache.share()` once it is committed. */
export interface RepositoryInTransaction extends Repository {
  readonly cache: TransactionObjectCache;
  readonly db: Kysely<unknown>;
}

const cacheFor = perDatabase<ObjectCache>(() => new MemoryObjectCache());

/** A repository to read from, outside of any transaction. */
export function openRepository(read: Read, id: number): Repository {
  return { id, read, cache: cacheFor(read) };
}

/**
 * Reads through the connection of the transaction: a second connection taken out of the pool meanwhile could be one that
 * never gets free, when every holder of one waits for another. `before` runs ahead of every read: for who writes late.
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

/** An id as the column holds it. */
export function oidBytes(oid: string): Buffer {
  return Buffer.from(oid, 'hex');
}
