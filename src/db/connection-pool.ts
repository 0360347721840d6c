import type { Kysely } from 'kysely';
import pg from 'pg';
import { type DatabaseUsage, kyselyForPool, measureUsage } from './kysely-client.ts';
import type { PoolLimits, PoolName } from './pool-limits.ts';
import { createReader, type PreparedStatements, type Read } from './read.ts';
import { runTransaction } from './transaction.ts';

/** A statement was not sent: too many wait for a connection of its pool already, or it has waited too long. */
export class PoolBusyError extends Error {
  readonly code: 'POOL_QUEUE_FULL' | 'POOL_WAIT_TIMEOUT';

  constructor(pool: PoolName, code: PoolBusyError['code']) {
    const why = code === 'POOL_QUEUE_FULL' ? 'the queue is full' : 'the wait took too long';
    super(`No connection of the pool «${pool}» is free: ${why}.`);
    this.code = code;
  }
}

export interface ConnectionPoolOptions extends PoolLimits {
  name: PoolName;
  /** Address, client class and type parsers. */
  connection: pg.PoolConfig;
  /** Stands for the database in `perDatabase`: the same for all of its pools. */
  database: object;
  statements: PreparedStatements;
}

/** What the metrics show of one pool. */
export interface PoolState {
  name: PoolName;
  max: number;
  /** Open connections, and how many of them nobody uses. */
  total: number;
  idle: number;
  waiting: number;
  /** Statements and transactions that got no connection, since the process began. */
  refused: Readonly<{ queueFull: number; waitTimeout: number }>;
}

/**
 * Connections for one class of work, with a bounded queue in front. `pg.Pool` bounds the wait by `connectionTimeoutMillis`
 * and tells the length of its queue; the bound of the length is added here.
 */
export class ConnectionPool {
  readonly name: PoolName;
  readonly #options: ConnectionPoolOptions;
  readonly #pool: pg.Pool;
  readonly #refused = { queueFull: 0, waitTimeout: 0 };
  /** Reads that no request is charged for. */
  readonly read: Read;
  /** Single statements that no request is charged for. */
  readonly sql: Kysely<unknown>;

  constructor(options: ConnectionPoolOptions) {
    const { name, connection, max, waitTimeoutMs } = options;
    this.name = name;
    this.#options = options;
    this.#pool = new pg.Pool({
      ...connection,
      max,
      min: 1,
      // The connection that stays keeps no process from ending.
      allowExitOnIdle: true,
      idleTimeoutMillis: 30_000,
      connectionTimeoutMillis: waitTimeoutMs,
      keepAlive: true,
      application_name: `portico ${name}`,
      onConnect: client => configureSession(client, options.statementTimeoutMs),
    });
    // A connection that breaks is reported by the statement that runs on it, and an idle one is no event: the next statement
    // opens another. An `error` event without a listener would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', client => client.on('error', () => {}));
    this.read = this.reader();
    this.sql = this.kysely();
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    const { name, max } = this.#options;
    return { name, max, total: totalCount, idle: idleCount, waiting: waitingCount, refused: this.#refused };
  }

  /** A connection, to be released by the caller. Rejects with PoolBusyError, or with the error of a connection that failed. */
  async acquire(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= this.#options.maxWaiting) throw this.#refuse('POOL_QUEUE_FULL');
    try {
      return await this.#pool.connect();
    } catch (error) {
      // The words are the only way to tell it from a connection that could not be opened in time.
      const isWait = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
      throw isWait ? this.#refuse('POOL_WAIT_TIMEOUT') : error;
    }
  }

  /** Sends one statement outside of any transaction. */
  async query(query: pg.QueryConfig, usage?: DatabaseUsage): Promise<pg.QueryResult> {
    const client = await this.acquire();
    let isBroken = false;
    try {
      return await measureUsage(usage, () => client.query(query));
    } catch (error) {
      isBroken = !isSessionIntact(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  /** `usage`: what the time of the statements is added to. */
  reader(usage?: DatabaseUsage): Read {
    const { statements, database } = this.#options;
    return createReader(this, statements, database, usage);
  }

  kysely(usage?: DatabaseUsage): Kysely<unknown> {
    return kyselyForPool(query => this.query(query, usage));
  }

  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>, usage?: DatabaseUsage): Promise<T> {
    return runTransaction(this, work, usage);
  }

  /** Opens the first connection, which then stays. Otherwise the first request would wait for PostgreSQL to start a process. */
  async warmUp(): Promise<void> {
    const client = await this.acquire();
    client.release();
  }

  /** Closes the connections once those in use are released. */
  async end(): Promise<void> {
    await this.#pool.end();
  }

  #refuse(code: PoolBusyError['code']): PoolBusyError {
    this.#refused[code === 'POOL_QUEUE_FULL' ? 'queueFull' : 'waitTimeout']++;
    return new PoolBusyError(this.name, code);
  }
}

/**
 * By statements, and not by the start-up parameter `options`, which PgBouncer refuses. `pg.Pool` waits for it before anybody
 * gets the connection, and gives up one on which it fails.
 */
export async function configureSession(client: pg.ClientBase, statementTimeoutMs: number): Promise<void> {
  await client.query(
    `set timezone = 'UTC'; set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = 60000`,
  );
}

/**
 * Whether the connection can be used again: an ordinary error of a statement ends the statement alone. `pool.query` of `pg`
 * would close the connection, and callers who provoke errors would have PostgreSQL start a process for each of them.
 */
function isSessionIntact(error: unknown): boolean {
  return (error as { severity?: unknown } | undefined)?.severity === 'ERROR';
}
