import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { ConnectionPool } from '../../db/connection-pool.ts';

/** First key of the two-key advisory lock; the second key is the repository. */
const maintenanceLockKey = 701_679;

/** A session that may rewrite or delete stored objects of one repository. */
export interface MaintenanceSession {
  /** Runs `work` in one transaction on the connection that holds the lock: when the lock is lost, so is the transaction. */
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
}

/**
 * Runs `work` while no other process repacks, collects or verifies the repository; undefined when one does. The session owns the
 * lock, so that a killed process leaves none behind, and all writes use its connection, so that a process that has lost it writes
 * nothing more. Readers and pushes do not take this lock. A lease in a table was rejected: a process that is slow for longer than
 * the lease would go on writing beside the next one, and two that store objects as deltas of each other lose both.
 */
export async function withMaintenanceLock<T>(
  pool: ConnectionPool,
  repositoryId: number,
  work: (session: MaintenanceSession) => Promise<T>,
): Promise<T | undefined> {
  return pool.session(async ({ sql: db, transaction }) => {
    const { rows } = await sql<{ isLocked: boolean }>`
      select pg_try_advisory_lock(${maintenanceLockKey}, hashint8(${repositoryId})) as "isLocked"`.execute(db);
    if (!rows[0]?.isLocked) return undefined;
    try {
      return await work({ transaction });
    } finally {
      await sql`select pg_advisory_unlock(${maintenanceLockKey}, hashint8(${repositoryId}))`.execute(db);
    }
  });
}
