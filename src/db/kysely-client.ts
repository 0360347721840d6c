import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SingleConnectionProvider,
  Transaction,
} from 'kysely';
import type pg from 'pg';

/** A compiled statement with a name is parsed and planned once by each connection: see `compiledStatement`. */
export interface NamedQuery<Row = unknown> extends CompiledQuery<Row> {
  readonly name?: string;
}

/** Accumulates the time of statements. */
export interface DatabaseUsage {
  /** Whole microseconds, each statement from sending it to its last row. */
  databaseMicroseconds: number;
}

/** Adds to `usage` how long `send` takes, whether it succeeds or fails. */
export async function measureUsage<T>(usage: DatabaseUsage | undefined, send: () => Promise<T>): Promise<T> {
  if (usage === undefined) return send();
  const startedAt = performance.now();
  try {
    return await send();
  } finally {
    usage.databaseMicroseconds += Math.round((performance.now() - startedAt) * 1_000);
  }
}

type SendQuery = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

class QueryConnection implements DatabaseConnection {
  readonly #send: SendQuery;

  constructor(send: SendQuery) {
    this.#send = send;
  }

  async executeQuery<Row>({ sql: text, parameters, name }: NamedQuery): Promise<QueryResult<Row>> {
    const values = [...parameters];
    const { command, rowCount, rows } = await this.#send(
      name === undefined ? { text, values } : { name, text, values },
    );
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    return { rows: (rows as Row[]) ?? [], ...(isWrite ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  // biome-ignore lint/correctness/useYield: streaming is not supported.
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Rows are not streamed.');
  }
}

const driver = new DummyDriver();
const dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => driver,
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const config = { dialect };

/** Compiles statements; it has no connection. */
export const compiler = new Kysely<unknown>(config);

const executor = compiler.getExecutor();

/** A Kysely on the client of one transaction, which sends its statements one after the other. */
export function kyselyForTransaction(send: SendQuery): Kysely<unknown> {
  const connections = new SingleConnectionProvider(new QueryConnection(send));
  return new Transaction<unknown>({ config, dialect, driver, executor: executor.withConnectionProvider(connections) });
}

/** A Kysely on a pool: each statement takes its own connection. */
export function kyselyForPool(send: SendQuery): Kysely<unknown> {
  const connection = new QueryConnection(send);
  const connections: ConnectionProvider = { provideConnection: consumer => consumer(connection) };
  return new Kysely<unknown>({ config, dialect, driver, executor: executor.withConnectionProvider(connections) });
}
