import { type Kysely, sql } from 'kysely';

/** First key of the two-key advisory lock; the second key is the repository. */
export const collectionLockKey = 701_678;

/**
 * Lets no garbage collection of the repository delete anything until the transaction ends. Every transaction that stores objects or
 * moves refs takes this lock in shared mode before it looks whether an object exists; see `collectGarbage`.
 */
export async function lockAgainstCollection(db: Kysely<unknown>, repositoryId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${collectionLockKey}, hashint8(${repositoryId}))`.execute(db);
}

/** Waits until no other transaction holds the lock, at most `waitMs`, and then excludes them. @throws 55P03 */
export async function lockForCollection(db: Kysely<unknown>, repositoryId: number, waitMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${waitMs}`}, true)`.execute(db);
  await sql`select pg_advisory_xact_lock(${collectionLockKey}, hashint8(${repositoryId}))`.execute(db);
}
