import { type RawBuilder, sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import type { TestGateway } from './gateway.ts';

/**
 * Runs the statements in a transaction, sends the request, and commits as soon as the request waits for a lock of that
 * transaction: the request has read the old state and writes after the commit. Returns its response.
 */
export async function commitOnceAwaited<T>(
  { database }: Pick<TestGateway, 'database'>,
  statements: readonly RawBuilder<unknown>[],
  request: () => Promise<T>,
): Promise<T> {
  let answer: Promise<T> | undefined;
  await inTransaction(database, async transaction => {
    for (const statement of statements) await statement.execute(transaction);
    let isDone = false;
    answer = request().finally(() => {
      isDone = true;
    });
    for (let waits = false; !waits && !isDone; ) {
      const waiting = await database.read(sql`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`);
      waits = waiting.length > 0;
    }
  });
  return answer as Promise<T>;
}
