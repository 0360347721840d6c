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

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. Over a client of the pool and not by
 * the ORM, whose own way sends no names of statements: planning anew was most of what a push cost PostgreSQL.
 */
export async function runTransaction<T>(pool: pg.Pool, work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(kyselyOver(client));
    const { command } = await client.query('commit');
    // What PostgreSQL does, without an error, where one of a statement was passed over.
    if (command === 'ROLLBACK') throw new Error('The transaction was rolled back: a statement of it had failed.');
    return result;
  } catch (error) {
    // One that cannot be rolled back is no connection to be used again; PostgreSQL undoes what it had begun.
    await client.query('rollback').catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

class ClientConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>({ sql: text, parameters, name }: NamedQuery): Promise<QueryResult<Row>> {
    const values = [...parameters];
    const { command, rowCount, rows } = await (name === undefined
      ? this.#client.query(text, values)
      : this.#client.query({ name, text, values }));
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    return { rows: rows ?? [], ...(isWrite ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  // biome-ignore lint/correctness/useYield: nothing is streamed inside a transaction.
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Rows of a transaction are not streamed.');
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
/** Writes statements; has no connection of its own. */
const writer = new Kysely<unknown>(config).getExecutor();

function kyselyOver(client: pg.PoolClient): Kysely<unknown> {
  const connections: ConnectionProvider = new SingleConnectionProvider(new ClientConnection(client));
  return new Transaction<unknown>({ config, dialect, driver, executor: writer.withConnectionProvider(connections) });
}
