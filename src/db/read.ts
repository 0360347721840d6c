import type { RawBuilder } from 'kysely';
import type pg from 'pg';
import { compiler, type DatabaseUsage } from './kysely-client.ts';
import type { OnPosition } from './replicas/wal-position.ts';
import { isStalePlan } from './sql-state.ts';

/** Runs a query outside of a transaction and returns its rows. */
export interface Read {
  <Row>(query: RawBuilder<Row>): Promise<Row[]>;
  /** Identity of the database for `perDatabase`; when absent, the function itself is the identity. */
  readonly database?: object;
  /** The replica that reads now, for caches of rows that refer to others; absent for the primary. */
  readonly replica?: object | undefined;
}

/** A prepared plan takes about 20 KB in the server, for each connection. */
const maxPreparedStatements = 200;
/**
 * Minimum time between two replacements of names. Documents of callers decide about texts, and a name is never taken back on
 * connections that know it: 360 an hour are 7 MB for each of them.
 */
const minReplaceIntervalMs = 10_000;

/**
 * Names of prepared statements, shared by the pools of one database. Each text has a name under which a connection parses it once;
 * for a page of articles that saved a tenth of the gateway's CPU time and a third of PostgreSQL's. A connection prepares only what
 * its own pool sends. A text beyond `maxPreparedStatements` replaces the least recently used one, or gets no name.
 */
export class PreparedStatements {
  /** The least recently used text first. */
  readonly #names = new Map<string, string>();
  #nameCount = 0;
  #lastReplacedMs = Number.NEGATIVE_INFINITY;

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known === undefined && this.#names.size >= maxPreparedStatements && !this.#replaceOne()) return undefined;
    const name = known ?? `read_${this.#nameCount++}`;
    this.#names.delete(text);
    this.#names.set(text, name);
    return name;
  }

  /** The next use of `text` gets a new name. */
  forget(text: string): void {
    this.#names.delete(text);
  }

  #replaceOne(): boolean {
    const now = performance.now();
    if (now - this.#lastReplacedMs < minReplaceIntervalMs) return false;
    this.#lastReplacedMs = now;
    this.forget(this.#names.keys().next().value ?? '');
    return true;
  }
}

/**
 * Kysely compiles the statement and `pg` sends it. Rejected: Kysely's executor, whose ten promises took a twentieth of a request.
 * `usage` accumulates the time of the statements, and `onPosition` receives where the WAL ended after each.
 */
export function createReader(
  pool: { query(query: pg.QueryConfig, usage?: DatabaseUsage, onPosition?: OnPosition): Promise<pg.QueryResult> },
  statements: PreparedStatements,
  database: object,
  usage?: DatabaseUsage,
  onPosition?: OnPosition,
): Read {
  const read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => {
    const { sql: text, parameters } = query.compile(compiler);
    const values = [...parameters];
    const name = statements.nameOf(text);
    if (name === undefined) return (await pool.query({ text, values }, usage, onPosition)).rows;
    try {
      return (await pool.query({ name, text, values }, usage, onPosition)).rows;
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      statements.forget(text);
      return (await pool.query({ text, values }, usage, onPosition)).rows;
    }
  };
  return Object.assign(read, { database });
}
