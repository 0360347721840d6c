import pg from 'pg';
import type { Database } from './database.ts';
import { migrations } from './migrations/list.ts';
import { isLockConflict } from './sql-state.ts';

/** Advisory lock for what only one process at a time may do while it starts: migrations and seeds. */
const startLockKey = 7_016_771_842;

/**
 * A migration waits at most this long for the lock of a table: meanwhile every statement on that table waits behind it. It is
 * less than the longest wait of a request for a connection.
 */
const lockTimeoutMs = 1_500;
const defaultAttempts = 10;
/** Between two attempts, so that the statements that waited can run. */
const attemptDelayMs = 1_000;

/** Every attempt to migrate met a lock that another session holds. Nothing was changed. */
export class MigrationLockError extends Error {
  constructor(attempts: number, cause: unknown) {
    super(
      `The database is not migrated, and nothing was changed: ${attempts} times a table was locked by another session. End its transaction (pg_stat_activity names the oldest), or try again later.`,
      { cause },
    );
  }
}

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

/** Runs these migrations. Call it under the start lock. @throws MigrationLockError */
export async function migrateTo(database: Database, names: readonly string[]): Promise<void> {
  if (names.length > 0) await runMigrations(database, { migrations: [...names] });
}

/** Names of the migrations of this version, in their order. */
export const migrationNames = (): string[] => migrations.map(({ name }) => name);

/** Runs the pending migrations and returns their names. Call it under the start lock. @throws MigrationLockError */
export const migrate = (database: Database, maxAttempts = defaultAttempts): Promise<string[]> =>
  runMigrations(database, {}, maxAttempts);

/** Whether no migration of this build is pending. `/readyz` reports it. */
export async function isMigrated({ orm }: Database): Promise<boolean> {
  return (await orm.migrator.getPending()).length === 0;
}

/** All in one transaction, without a time limit for statements: a migration may have to write many rows. */
async function runMigrations(
  { orm }: Database,
  chosen: { migrations?: string[] },
  maxAttempts = defaultAttempts,
): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await orm.em.transactional(async em => {
        await em.execute(`set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = 0`);
        const done = await orm.migrator.up({ ...chosen, transaction: em.getTransactionContext() });
        return done.map(({ name }) => name);
      });
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (attempt === maxAttempts) throw new MigrationLockError(maxAttempts, error);
      await new Promise(resolve => setTimeout(resolve, attemptDelayMs));
    }
  }
}
