import pg from 'pg';
import type { Database } from './database.ts';
import { migrations } from './migrations/list.ts';

/** Advisory lock for what only one process at a time may do while it starts: migrations and seeds. */
const startLockKey = 7_016_771_842;

/**
 * Runs `work` while holding the start lock on a dedicated connection: of two processes that start together the second waits and
 * then finds the work done. The session owns the lock, so a killed process leaves none behind.
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

/** Runs these migrations. Call it under the start lock. */
export async function migrateTo({ orm }: Database, names: readonly string[]): Promise<void> {
  if (names.length > 0) await orm.migrator.up({ migrations: [...names] });
}

/** Names of the migrations of this version, in their order. */
export const migrationNames = (): string[] => migrations.map(({ name }) => name);

/** Runs the pending migrations and returns their names. Call it under the start lock. */
export async function migrate({ orm }: Database): Promise<string[]> {
  const done = await orm.migrator.up();
  return done.map(one => one.name);
}

/** Whether no migration of this build is pending. `/readyz` reports it. */
export async function isMigrated({ orm }: Database): Promise<boolean> {
  return (await orm.migrator.getPending()).length === 0;
}
