import type { RawBuilder } from 'kysely';
import type pg from 'pg';
import { compiler, type DatabaseUsage } from './kysely-client.ts';
import { isStalePlan } from './sql-state.ts';

/** Sends a read that belongs to no transaction and gives its rows. */
export interface Read {
  <Row>(query: RawBuilder<Row>): Promise<Row[]>;
  /** Stands for the database that is read; absent where the function itself does. See `perDatabase`. */
  readonly database?: object;
}

/** Statements that one connection keeps prepared at most. A plan takes some 20 KB in the server, for each connection. */
const maxPreparedStatements = 200;

/**
 * Names of statements, shared by the pools of one database. Each text has a name of its own under which a connection parses
 * it once; that saved a tenth of the CPU time of the gateway and a third of PostgreSQL's for a page of articles. A connection
 * prepares only what its own pool sends. Texts beyond `mostPrepared` have no name.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #nameCount = 0;

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxPreparedStatements) return known;
    const name = `read_${this.#nameCount++}`;
    this.#names.set(text, name);
    return name;
  }

  /** The next use of `text` gets another name. */
  forget(text: string): void {
    this.#names.delete(text);
  }
}

/**
 * Kysely writes the statement, `pg` sends it: the ten promises of Kysely's own executor were a twentieth of a request.
 * The time of the statements is added to `usage`.
 */
export function createReader(
  pool: { query(query: pg.QueryConfig, usage?: DatabaseUsage): Promise<pg.QueryResult> },
  statements: PreparedStatements,
  database: object,
  usage?: DatabaseUsage,
): Read {
  const read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => {
    const { sql: text, parameters } = query.compile(compiler);
    const values = [...parameters];
    const name = statements.nameOf(text);
    if (name === undefined) return (await pool.query({ text, values }, usage)).rows;
    try {
      return (await pool.query({ name, text, values }, usage)).rows;
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      statements.forget(text);
      return (await pool.query({ text, values }, usage)).rows;
    }
  };
  return Object.assign(read, { database });
}
