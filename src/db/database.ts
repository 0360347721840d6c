import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { healthEntities } from '../../schema/health/entities.ts';
import { hostingEntities } from '../../schema/hosting/entities.ts';
import { ConnectionPool, type DatabaseAddress, PoolBusyError } from './connection-pool.ts';
import { namesOfKind } from './migration-only-objects.ts';
import { migrations } from './migrations/list.ts';
import { type Notifications, openNotifications } from './notifications.ts';
import { type PoolName, poolLimits } from './pool-limits.ts';
import { PreparedStatements, type Read } from './read.ts';
import { openReplicas, type ReplicaSettings } from './replicas/open-replicas.ts';
import type { ReplicaSet } from './replicas/replica-set.ts';
import { assertSuitable, readServerReport, type ServerReport } from './server-report.ts';
import { configureSession } from './session-settings.ts';

export interface DatabaseOptions {
  /** postgres://name:secret@host:port/database, of the server or of a pooler in front of it. */
  url: string;
  /** Address for work that needs a session: of the server, or of a pooler with a server connection for each client. Default: `url`. */
  directUrl?: string | undefined;
  /** Number of connections for requests; `poolLimits` divides them. */
  poolSize: number;
  /** Statement timeout of requests; PostgreSQL enforces it. */
  statementTimeoutMs: number;
  /** Standby servers that may read for requests. */
  replicas?: ReplicaSettings | undefined;
  /** Replaces the client class of `pg`. Tests count statements with it. */
  clientClass?: unknown;
}

/** `url` leads to a pooler, and the address of the server is not known. */
export class PoolerWithoutServerError extends Error {
  constructor() {
    super(
      'DATABASE_URL leads to a connection pooler. Set DATABASE_DIRECT_URL to the address of the PostgreSQL server behind it, or to a database of the pooler in session mode: migrations, jobs and notifications need sessions.',
    );
  }
}

/** The connections of one process: a pool for each class of work, and the ORM for migrations and the command line. */
export interface Database {
  /** Has at most two connections of its own, which close when idle. */
  orm: MikroORM;
  pools: Readonly<Record<PoolName, ConnectionPool>>;
  // Queries declare their row types themselves; a generated table map would be wrong after the next migration.
  /** Single statements outside of requests, on the write pool. Requests use `context.sql`. */
  sql: Kysely<unknown>;
  /** Reads outside of requests. Requests use `context.read`. */
  read: Read;
  notifications: Notifications;
  /** Undefined without replicas. */
  replicas: ReplicaSet | undefined;
  /** Of the server at the time of opening. */
  server: ServerReport;
  /** How another process reaches the same primary. */
  address: DatabaseAddress;
  /** The same for work that needs a session. */
  directAddress: DatabaseAddress;
  close(): Promise<void>;
}

/**
 * Opens the pools. They connect on demand. Does not migrate: see `migrate`.
 * @throws UnsuitableServerError, PoolerWithoutServerError, or the error of connecting
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, directUrl = url, clientClass } = options;
  const server = await readServerReport({ connectionString: url });
  assertSuitable(server);
  const isBehindPooler = server.isPooler;
  if (isBehindPooler && options.directUrl === undefined) throw new PoolerWithoutServerError();
  const orm = await openOrm(options, server.database);
  // The pools use the ORM's type parsers, so dates have the same form in rows of both.
  const { types } = await ormPool(orm);
  const common: pg.PoolConfig = {
    ...(types === undefined ? {} : { types }),
    ...(clientClass === undefined ? {} : { Client: clientClass as typeof pg.Client }),
  };
  const shared = { database: {}, statements: new PreparedStatements() };
  const pooled = { ...shared, isBehindPooler, connection: { ...common, connectionString: url } };
  const direct = { ...shared, isBehindPooler: false, connection: { ...common, connectionString: directUrl } };
  const limits = poolLimits(options.poolSize, options.statementTimeoutMs);
  const open = (name: PoolName): ConnectionPool =>
    new ConnectionPool({ ...(name === 'jobs' ? direct : pooled), ...limits[name], name });
  const pools = {
    anonymous: open('anonymous'),
    signedIn: open('signedIn'),
    authentication: open('authentication'),
    write: open('write'),
    jobs: open('jobs'),
  };
  const replicas = options.replicas && (await openReplicas(options.replicas, { ...shared, common, directUrl, limits }));
  const notifications = openNotifications(directUrl);
  const close = async (): Promise<void> => {
    await notifications.close();
    await replicas?.close();
    await Promise.all(Object.values(pools).map(pool => pool.end()));
    await orm.close(true);
  };
  const { sql, read } = { sql: pools.write.sql, read: pools.signedIn.read };
  const [address, directAddress] = [
    { url, isBehindPooler },
    { url: directUrl, isBehindPooler: false },
  ];
  return { orm, pools, sql, read, notifications, replicas, server, address, directAddress, close };
}

/** The same database for work outside of requests: everything runs on the connections of the jobs pool. */
export function databaseForJobs(database: Database): Database {
  const { jobs } = database.pools;
  const pools = { anonymous: jobs, signedIn: jobs, authentication: jobs, write: jobs, jobs };
  return { ...database, pools, sql: jobs.sql, read: jobs.read, replicas: undefined };
}

/**
 * Whether the connections of requests reach the server. A full queue is no reason to take a process out of service: its load would
 * fall on the others.
 * @throws the error of the statement
 */
export async function isServing({ pools }: Database): Promise<boolean> {
  try {
    await pools.authentication.query({ text: 'select' });
  } catch (error) {
    if (!(error instanceof PoolBusyError)) throw error;
  }
  return true;
}

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
export function inTransaction<T>({ pools }: Database, work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
  return pools.write.transaction(work);
}

/** `name`: of the database in the server, where the ORM looks for it. */
async function openOrm(
  { url, directUrl = url, statementTimeoutMs, clientClass }: DatabaseOptions,
  name: string,
): Promise<MikroORM> {
  const orm = await MikroORM.init({
    clientUrl: directUrl,
    dbName: name,
    entities: [...healthEntities, ...hostingEntities],
    extensions: [Migrator],
    migrations: { migrationsList: migrations, transactional: true, allOrNothing: true, snapshot: false },
    // For drafts of migrations: what only the migrations or pg-boss declare is not to be dropped.
    schemaGenerator: {
      ignoreTriggers: true,
      ignoreRoutines: true,
      ignoreSchema: ['jobs'],
      skipTables: namesOfKind('table'),
      skipViews: namesOfKind('view'),
    },
    metadataCache: { enabled: false },
    debug: false,
    forceUtcTimezone: true,
    pool: { min: 0, max: 2, idleTimeoutMillis: 30_000 },
    driverOptions: {
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // A pooler may offer the database under another name.
      database: decodeURIComponent(new URL(directUrl).pathname.slice(1)) || name,
      onConnect: (one: pg.ClientBase) => configureSession(one, statementTimeoutMs),
      application_name: 'portico orm',
      ...(clientClass === undefined ? {} : { Client: clientClass }),
    },
    logger: () => {},
  });
  await orm.connect();
  return orm;
}

async function ormPool(orm: MikroORM): Promise<pg.PoolConfig> {
  const pool: pg.Pool = await (orm.em.getConnection() as PostgreSqlConnection).getNativeClient();
  return pool.options;
}
