import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { healthEntities } from '../../schema/health/entities.ts';
import { hostingEntities } from '../../schema/hosting/entities.ts';
import { migrations } from './migrations/list.ts';
import { type Notices, openNotices } from './notices.ts';
import { type Read, reader } from './read.ts';
import { runTransaction } from './transaction.ts';

export interface DatabaseOptions {
  /** postgres://name:secret@host:port/database */
  url: string;
  /** Most connections in the pool. */
  pool: number;
  /** Longest time of one statement, in milliseconds; enforced by the server. */
  statementTimeout: number;
  /** Replaces the `pg` client class; tests count statements with it. */
  client?: unknown;
}

/** One process's way to PostgreSQL: the ORM for migrations, `sql` and `read` for reads, transactions for writes; over one pool. */
export interface Database {
  orm: MikroORM;
  pool: pg.Pool;
  // Reads name their row type at the query; a generated table map would only be right until the next migration.
  sql: Kysely<unknown>;
  read: Read;
  notices: Notices;
  close(): Promise<void>;
}

// Counts and ids are published as JSON numbers; beyond 2^53, where they would lose digits, no sequence of ours gets.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens the pool. Nothing is migrated: see `migrate`. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const orm = await MikroORM.init({
    clientUrl: options.url,
    entities: [...healthEntities, ...hostingEntities],
    extensions: [Migrator],
    migrations: { migrationsList: migrations, transactional: true, allOrNothing: true, snapshot: false },
    metadataCache: { enabled: false },
    debug: false,
    forceUtcTimezone: true,
    pool: { min: 0, max: options.pool, idleTimeoutMillis: 30_000 },
    driverOptions: {
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      options: `-c timezone=UTC -c statement_timeout=${options.statementTimeout} -c idle_in_transaction_session_timeout=60000`,
      application_name: 'portico',
      ...(options.client === undefined ? {} : { Client: options.client }),
    },
    logger: () => {},
  });
  await orm.connect();
  const sql = orm.em.getKysely() as unknown as Kysely<unknown>;
  const notices = openNotices(options.url);
  const close = async (): Promise<void> => {
    await notices.close();
    await orm.close(true);
  };
  const pool = await poolOf(orm);
  return { orm, pool, sql, read: reader(pool, sql), notices, close };
}

/** The ORM's own pool, so that reads and writes share its connections and its limit. */
function poolOf(orm: MikroORM): Promise<pg.Pool> {
  return (orm.em.getConnection() as PostgreSqlConnection).getNativeClient();
}

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
export function inTransaction<T>({ pool }: Database, work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
  return runTransaction(pool, work);
}
