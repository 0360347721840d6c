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

/** A compiled statement with a name is parsed and planned once by each connection: see `fixedStatement`. */
export interface NamedQuery<Row = unknown> extends CompiledQuery<Row> {
  readonly name?: string;
}

/** What the time of statements is added to. */
export interface DatabaseUsage {
  /** Whole microseconds from sending a statement to its last row. */
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

  // biome-ignore lint/correctness/useYield: nothing is streamed.
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

/** Compiles statements; has no connection. */
export const compiler = new Kysely<unknown>(config);

const executor = compiler.getExecutor();

/** Over the client of one transaction: its statements are sent one after the other. */
export function kyselyForTransaction(send: SendQuery): Kysely<unknown> {
  const connections = new SingleConnectionProvider(new QueryConnection(send));
  return new Transaction<unknown>({ config, dialect, driver, executor: executor.withConnectionProvider(connections) });
}

/** Over a pool: each statement takes a connection of its own. */
export function kyselyForPool(send: SendQuery): Kysely<unknown> {
  const connection = new QueryConnection(send);
  const connections: ConnectionProvider = { provideConnection: consumer => consumer(connection) };
  return new Kysely<unknown>({ config, dialect, driver, executor: executor.withConnectionProvider(connections) });
}
