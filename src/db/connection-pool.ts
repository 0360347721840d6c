import type { Kysely } from 'kysely';
import pg from 'pg';
import { heard } from '../errors/heard.ts';
import { type DatabaseUsage, kyselyForPool, measureUsage } from './kysely-client.ts';
import { type Pipeline, runPipeline, sendTogether } from './pipeline.ts';
import type { PoolLimits, PoolName } from './pool-limits.ts';
import { createReader, type PreparedStatements, type Read } from './read.ts';
import { type OnPosition, positionOf, positionQuery } from './replicas/wal-position.ts';
import { configureSession, pooledBegin } from './session-settings.ts';
import { isSessionIntact } from './sql-state.ts';
import { answerMarginMs } from './statement-timeout.ts';
import { sendStatement } from './trace-statement.ts';
import { runTransaction, type TransactionPool } from './transaction.ts';
import type { WriteDeadline } from './write-deadline.ts';

// int8 as a JavaScript number: counts and ids are published as JSON numbers, and no sequence reaches 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Where a pool connects to. */
export interface DatabaseAddress {
  url: string;
  /** Whether a pooler assigns a server connection to each transaction: see `pooledBegin`. */
  isBehindPooler: boolean;
}

/** A statement was not sent: the queue of its pool is full, or it has waited for `waitTimeoutMs`. */
export class PoolBusyError extends Error {
  readonly code: 'POOL_QUEUE_FULL' | 'POOL_WAIT_TIMEOUT';

  constructor(pool: string, code: PoolBusyError['code']) {
    const why = code === 'POOL_QUEUE_FULL' ? 'the queue is full' : 'the wait took too long';
    super(`No connection of the pool «${pool}» is free: ${why}.`);
    this.code = code;
  }
}

export interface ConnectionPoolOptions extends PoolLimits {
  /** That of `portico work` is of another process: see `openReadPool`. */
  name: PoolName | 'work';
  /** Address, client class and type parsers. */
  connection: pg.PoolConfig;
  /** Whether a pooler assigns a server connection to each transaction: see `pooledBegin`. */
  isBehindPooler: boolean;
  /** Identity of the database for `perDatabase`, the same object for all of its pools. */
  database: object;
  statements: PreparedStatements;
  /** Whether PostgreSQL refuses every write; false by default. */
  isReadOnly?: boolean;
}

/** The state of one pool, for the metrics. */
export interface PoolState {
  name: ConnectionPoolOptions['name'];
  max: number;
  /** Open connections, and how many of them are idle. */
  total: number;
  idle: number;
  waiting: number;
  /** Statements and transactions that got no connection, since the start of the process. */
  refused: Readonly<{ queueFull: number; waitTimeout: number }>;
}

/** One connection of a pool. */
export interface PoolSession {
  /** Single statements. */
  sql: Kysely<unknown>;
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
}

/**
 * Connections for one class of work, with a bounded queue. `pg.Pool` bounds the wait by `connectionTimeoutMillis` and reports the
 * length of its queue; this class bounds the length.
 */
export class ConnectionPool {
  readonly name: ConnectionPoolOptions['name'];
  readonly #options: ConnectionPoolOptions;
  readonly #pool: pg.Pool;
  readonly #refused = { queueFull: 0, waitTimeout: 0 };
  readonly #transactions: TransactionPool;
  /** Reads that are charged to no request. */
  readonly read: Read;
  /** Single statements that are charged to no request. */
  readonly sql: Kysely<unknown>;

  constructor(options: ConnectionPoolOptions) {
    const { name, connection, max, waitTimeoutMs, statementTimeoutMs } = options;
    this.name = name;
    this.#options = options;
    this.#transactions = {
      acquire: () => this.acquire(),
      ...(options.isBehindPooler
        ? { begin: pooledBegin(options.statementTimeoutMs, options.isReadOnly), prepare: withoutName }
        : { begin: 'begin' }),
    };
    const config: pg.PoolConfig & { pipeline: true } = {
      ...connection,
      // Statements that are not awaited one by one are sent at once: see `runPipeline`.
      pipeline: true,
      max,
      min: 1,
      // The one idle connection does not keep the process alive.
      allowExitOnIdle: true,
      idleTimeoutMillis: 30_000,
      connectionTimeoutMillis: waitTimeoutMs,
      // For a server that no longer answers; the limit of the server is in the session. A pooler may let a statement wait.
      query_timeout: statementTimeoutMs + answerMarginMs + (options.isBehindPooler ? waitTimeoutMs : 0),
      keepAlive: true,
      application_name: `portico ${name}`,
      ...(options.isBehindPooler
        ? {}
        : {
            onConnect: (client: pg.ClientBase) =>
              configureSession(client, options.statementTimeoutMs, options.isReadOnly),
          }),
    };
    this.#pool = heard(new pg.Pool(config));
    // A broken connection fails the statement that runs on it. A broken idle one needs no report, because the next statement
    // opens another.
    this.#pool.on('connect', client => client.on('error', () => {}));
    this.read = this.reader();
    this.sql = this.kysely();
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    const { name, max } = this.#options;
    return { name, max, total: totalCount, idle: idleCount, waiting: waitingCount, refused: this.#refused };
  }

  /** Takes a connection, which the caller must release. @throws PoolBusyError, or the error of opening a connection */
  async acquire(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= this.#options.maxWaiting) throw this.#refuse('POOL_QUEUE_FULL');
    try {
      return await this.#pool.connect();
    } catch (error) {
      // Only the message distinguishes it from a connection that could not be opened in time.
      const isWait = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
      throw isWait ? this.#refuse('POOL_WAIT_TIMEOUT') : error;
    }
  }

  /** Sends one statement outside of a transaction. `onPosition` receives where the WAL of a primary ended after it. */
  async query(query: pg.QueryConfig, usage?: DatabaseUsage, onPosition?: OnPosition): Promise<pg.QueryResult> {
    return this.#withPosition(onPosition, async pool => {
      if (!this.#options.isBehindPooler) return sendAlone(pool, query, usage);
      const [result] = await sendTogether(pool, [query], usage);
      return result as pg.QueryResult;
    });
  }

  /** `usage` accumulates the time of the statements, and `onPosition` receives where the WAL of a primary ended after each. */
  reader(usage?: DatabaseUsage, onPosition?: OnPosition): Read {
    const { statements, database } = this.#options;
    return createReader(this, statements, database, usage, onPosition);
  }

  /** As `reader`. */
  kysely(usage?: DatabaseUsage, onPosition?: OnPosition): Kysely<unknown> {
    return kyselyForPool(query => this.query(query, usage, onPosition));
  }

  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. `onCommit` receives where the WAL ended after
   * the commit.
   */
  transaction<T>(
    work: (db: Kysely<unknown>) => Promise<T>,
    usage?: DatabaseUsage,
    deadline?: WriteDeadline,
    onCommit?: OnPosition,
  ): Promise<T> {
    return this.#withPosition(onCommit, pool => runTransaction(pool, work, usage, deadline));
  }

  /**
   * Runs `work` on one connection, which may hold advisory locks of its session. When `work` fails, the connection is closed, and
   * with it the locks. After one that breaks, the following statements and transactions fail.
   */
  async session<T>(work: (session: PoolSession) => Promise<T>): Promise<T> {
    if (this.#options.isBehindPooler)
      throw new Error(`The pool «${this.name}» has no sessions: it is behind a pooler.`);
    const client = await this.acquire();
    let broken: Error | undefined;
    const lent = {
      query: (query: pg.QueryConfig) => {
        if (broken) throw broken;
        return sendStatement(client, query);
      },
      release: (error?: Error | boolean) => {
        if (error) broken ??= error instanceof Error ? error : new Error('The connection is broken.');
      },
    } as Pick<pg.PoolClient, 'query' | 'release'>;
    try {
      return await work({
        sql: kyselyForPool(query => lent.query(query)),
        transaction: inside => runTransaction({ ...this.#transactions, acquire: async () => lent }, inside),
      });
    } catch (error) {
      broken ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Runs statements in one transaction and one round trip. `usage` accumulates its time; `onCommit` is as for `transaction`. */
  pipeline(usage?: DatabaseUsage, deadline?: WriteDeadline, onCommit?: OnPosition): Pipeline {
    const names = this.#options.statements;
    return statements => this.#withPosition(onCommit, pool => runPipeline(pool, names, statements, usage, deadline));
  }

  /**
   * Opens the first connection, which then stays open, so that the first request does not wait for PostgreSQL to fork a
   * process.
   */
  async warmUp(): Promise<void> {
    const client = await this.acquire();
    client.release();
  }

  /** Closes all connections once those in use are released. */
  async end(): Promise<void> {
    await this.#pool.end();
  }

  /** Awaits `onPosition` once the connection is released. */
  async #withPosition<T>(onPosition: OnPosition | undefined, run: (pool: TransactionPool) => Promise<T>): Promise<T> {
    if (!onPosition) return run(this.#transactions);
    let reached: number | undefined;
    const onCommit = (position: number): void => {
      reached = position;
    };
    const result = await run({ ...this.#transactions, onCommit });
    if (reached !== undefined) await onPosition(reached);
    return result;
  }

  #refuse(code: PoolBusyError['code']): PoolBusyError {
    this.#refused[code === 'POOL_QUEUE_FULL' ? 'queueFull' : 'waitTimeout']++;
    return new PoolBusyError(this.name, code);
  }
}

/** Sends one statement without a transaction, and at the same time the question for the position if the pool asks for it. */
async function sendAlone(pool: TransactionPool, query: pg.QueryConfig, usage?: DatabaseUsage): Promise<pg.QueryResult> {
  const { onCommit } = pool;
  const client = await pool.acquire();
  let isBroken = false;
  try {
    if (!onCommit) return await measureUsage(usage, () => sendStatement(client, query));
    // Both results are awaited: a connection must not be released with a statement on its way.
    const [result, position] = await measureUsage(usage, () =>
      Promise.allSettled([sendStatement(client, query), client.query(positionQuery)]),
    );
    if (result.status === 'rejected') throw result.reason;
    const reached = position.status === 'fulfilled' ? positionOf(position.value) : undefined;
    if (reached !== undefined) onCommit(reached);
    return result.value;
  } catch (error) {
    isBroken = !isSessionIntact(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** The statement as it is sent behind a pooler, whose connections have no prepared statements. */
function withoutName({ name: _name, ...query }: pg.QueryConfig): pg.QueryConfig {
  return query;
}
