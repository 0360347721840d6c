import type { Kysely } from 'kysely';
import type pg from 'pg';
import { type DatabaseUsage, kyselyForTransaction, measureUsage } from './kysely-client.ts';

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. Over a client of the pool and not by
 * the ORM, whose own way sends no names of statements: planning anew was most of what a push cost PostgreSQL. The time of its
 * statements, `commit` included, is added to `usage`.
 */
export async function runTransaction<T>(
  pool: { acquire(): Promise<pg.PoolClient> },
  work: (db: Kysely<unknown>) => Promise<T>,
  usage?: DatabaseUsage,
): Promise<T> {
  const client = await pool.acquire();
  const send = (query: pg.QueryConfig): Promise<pg.QueryResult> => measureUsage(usage, () => client.query(query));
  let broken: Error | undefined;
  try {
    await send({ text: 'begin' });
    const result = await work(kyselyForTransaction(send));
    const { command } = await send({ text: 'commit' });
    // What PostgreSQL does, without an error, where one of a statement was passed over.
    if (command === 'ROLLBACK') throw new Error('The transaction was rolled back: a statement of it had failed.');
    return result;
  } catch (error) {
    // One that cannot be rolled back is no connection to be used again; PostgreSQL undoes what it had begun.
    await send({ text: 'rollback' }).catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
