import type { Kysely } from 'kysely';
import type pg from 'pg';
import { type DatabaseUsage, kyselyForTransaction, measureUsage } from './kysely-client.ts';

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. It uses a client of the pool and not the
 * ORM, which sends no statement names; planning was most of PostgreSQL's work for a push. `usage` accumulates the time of its
 * statements, `commit` included.
 */
export async function runTransaction<T>(
  pool: { acquire(): Promise<Pick<pg.PoolClient, 'query' | 'release'>> },
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
    // COMMIT of a transaction in which a statement failed rolls back without an error.
    if (command === 'ROLLBACK') throw new Error('The transaction was rolled back: a statement of it had failed.');
    return result;
  } catch (error) {
    // A connection that cannot roll back is closed; PostgreSQL then rolls back by itself.
    await send({ text: 'rollback' }).catch((reason: Error) => {
      broken = reason;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
