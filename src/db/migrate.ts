import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { heard } from '../errors/heard.ts';
import { buildIndexes } from './concurrent-indexes.ts';
import type { Database } from './database.ts';
import { migrations } from './migrations/list.ts';
import { appliedMigrations, type ConcurrentStep, type ListedMigration, migrationSteps } from './pending-migrations.ts';
import { isConnectionLost, isLockConflict, isPermissionDenied, sqlState } from './sql-state.ts';

/** Advisory lock for what only one process at a time may do while it starts: migrations and seeds. */
const startLockKey = 7_016_771_842;
const startLockIntervalMs = 50;

/**
 * A migration waits at most this long for the lock of a table: meanwhile every statement on that table waits behind it. It is
 * less than the longest wait of a request for a connection.
 */
const lockTimeoutMs = 1_500;
/**
 * An index that is built concurrently waits for the transactions that began before it, and nothing waits behind it. Transactions of a
 * gateway are shorter.
 */
const concurrentLockTimeoutMs = 60_000;
const defaultAttempts = 10;
/** Between two attempts, so that the statements that waited can run. */
const attemptDelayMs = 1_000;

/** A migration failed. Those before it may have run; of it nothing is left, or what the next start repairs. */
export class MigrationFailedError extends Error {
  constructor(names: readonly string[], cause: unknown) {
    const reason = (cause as { cause?: unknown }).cause ?? cause;
    const code = sqlState(cause);
    super(
      `The database is not migrated (${names.join(', ')}): ${reason instanceof Error ? reason.message : String(reason)}${code === undefined ? '' : ` (SQLSTATE ${code})`}. The version before can still use it. Correct what the message names, or restore a backup, and start again.`,
      { cause },
    );
  }
}

/** Every attempt to migrate met a lock that another session holds. The migrations before it may have run; of it nothing is left. */
export class MigrationLockError extends Error {
  constructor(attempts: number, cause: unknown) {
    super(
      `The database is not migrated: ${attempts} times a table was locked by another session. End its transaction (pg_stat_activity names the oldest), or try again later.`,
      { cause },
    );
  }
}

/**
 * Runs `work` while holding the start lock on a dedicated connection: of two processes that start together the second waits and
 * then finds the work done. The session owns the lock, so a killed process leaves none behind.
 *
 * It asks again and again. A statement that waits for the lock would have a snapshot, which `create index concurrently` of the holder
 * waits for.
 */
export async function withStartLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = heard(
    new pg.Client({
      connectionString: url,
      application_name: 'portico start',
      connectionTimeoutMillis: 5_000,
    }),
  );
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query('select pg_try_advisory_lock($1) as done', [startLockKey]);
      if (rows[0].done) break;
      await delay(startLockIntervalMs);
    }
    return await work();
  } finally {
    await client.end();
  }
}

/** Runs these migrations. Call it under the start lock. @throws MigrationLockError */
export async function migrateTo(database: Database, names: readonly string[]): Promise<void> {
  await runMigrations(
    database,
    migrations.filter(({ name }) => names.includes(name)),
    defaultAttempts,
  );
}

/** Names of the migrations of this version, in their order. */
export const migrationNames = (): string[] => migrations.map(({ name }) => name);

/** Runs the pending migrations and returns their names. Call it under the start lock. @throws MigrationLockError */
export const migrate = (
  database: Database,
  maxAttempts = defaultAttempts,
  listed: readonly ListedMigration[] = migrations,
): Promise<string[]> => runMigrations(database, listed, maxAttempts);

/** Whether no migration of this build is pending. `/readyz` reports it. */
export async function isMigrated({ orm }: Database): Promise<boolean> {
  return (await orm.migrator.getPending()).length === 0;
}

async function runMigrations(
  database: Database,
  listed: readonly ListedMigration[],
  maxAttempts: number,
): Promise<string[]> {
  const done = new Set(await appliedMigrations(database));
  const pending = listed.filter(({ name }) => !done.has(name));
  for (const step of migrationSteps(database, pending)) {
    const names = 'names' in step ? step.names : [step.name];
    try {
      await withAttempts(maxAttempts, () =>
        'names' in step ? runInTransaction(database, step.names) : runOutside(database, step),
      );
    } catch (error) {
      // The start says itself what a database that is away, or a role without rights, needs.
      const isExplained = error instanceof MigrationLockError || isConnectionLost(error) || isPermissionDenied(error);
      throw isExplained ? error : new MigrationFailedError(names, error);
    }
  }
  return pending.map(({ name }) => name);
}

/** Repeats work that meets a lock of another session. @throws MigrationLockError */
async function withAttempts(maxAttempts: number, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (attempt === maxAttempts) throw new MigrationLockError(maxAttempts, error);
      await delay(attemptDelayMs);
    }
  }
}

/** All in one transaction, without a time limit for statements: a migration may have to write many rows. */
async function runInTransaction({ orm }: Database, names: readonly string[]): Promise<void> {
  await orm.em.transactional(async em => {
    await em.execute(`set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = 0`);
    await orm.migrator.up({ migrations: [...names], transaction: em.getTransactionContext() });
  });
}

/** On a session of its own, because the limits of the pools end a statement that takes minutes. */
async function runOutside({ orm }: Database, { name, migration }: ConcurrentStep): Promise<void> {
  const client = heard(
    new pg.Client({
      connectionString: String(orm.config.get('clientUrl')),
      application_name: 'portico migrate',
      connectionTimeoutMillis: 5_000,
    }),
  );
  await client.connect();
  try {
    await client.query(`set statement_timeout = 0; set lock_timeout = ${concurrentLockTimeoutMs}`);
    await buildIndexes(client, migration.indexes);
    await client.query('insert into mikro_orm_migrations (name, executed_at) values ($1, now())', [name]);
  } finally {
    await client.end();
  }
}
