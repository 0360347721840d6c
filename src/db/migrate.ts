import pg from 'pg';
import type { Database } from './database.ts';

/** One key for everything that only one process may do at a time while it starts: migrating and planting. */
const startLockKey = 7_016_771_842;

/**
 * Runs `work` while holding the start lock, on a connection of its own: of two processes that start together
 * the second waits and then finds everything done. The lock goes with the connection, so a kill leaves nothing behind.
 */
export async function withStartLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'portico start',
    connectionTimeoutMillis: 5_000,
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [startLockKey]);
    return await work();
  } finally {
    await client.end();
  }
}

/** Brings the database up to the newest migration. Returns the names of those it ran. Call it under the start lock. */
export async function migrate({ orm }: Database): Promise<string[]> {
  const done = await orm.migrator.up();
  return done.map(one => one.name);
}

/** Whether every migration of this build is in the database: what `/readyz` asks. */
export async function isMigrated({ orm }: Database): Promise<boolean> {
  return (await orm.migrator.getPending()).length === 0;
}
