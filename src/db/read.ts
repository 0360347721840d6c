import type { Kysely, RawBuilder } from 'kysely';
import type pg from 'pg';

/** Sends a read that belongs to no transaction and gives its rows. */
export type Read = <Row>(query: RawBuilder<Row>) => Promise<Row[]>;

/** Statements that one connection keeps prepared at most. A plan takes some 20 KB in the server, for each connection. */
const mostPrepared = 200;

/**
 * Kysely writes the statement, `pg` sends it: the ten promises of Kysely's own executor were a twentieth of a request.
 * Each text has a name of its own under which a connection parses it once; that saved a tenth of the CPU time of the
 * gateway and a third of PostgreSQL's for a page of articles. Texts beyond `mostPrepared` are sent without a name.
 */
export function reader(pool: pg.Pool, kysely: Kysely<unknown>): Read {
  const names = new Map<string, string>();
  let named = 0;
  return async <Row>(query: RawBuilder<Row>): Promise<Row[]> => {
    const { sql: text, parameters } = query.compile(kysely);
    const values = [...parameters];
    let name = names.get(text);
    if (name === undefined && names.size < mostPrepared) {
      name = `read_${named++}`;
      names.set(text, name);
    }
    if (name === undefined) return (await pool.query(text, values)).rows;
    try {
      return (await pool.query({ name, text, values })).rows;
    } catch (error) {
      if (!changedUnderneath(error)) throw error;
      names.delete(text);
      return (await pool.query(text, values)).rows;
    }
  };
}

/** «cached plan must not change result type»: a migration ran since the statement was prepared. Nothing was read. */
function changedUnderneath(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
