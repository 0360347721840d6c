import type { Kysely } from 'kysely';
import type pg from 'pg';
import { type DatabaseUsage, kyselyForTransaction, measureUsage } from './kysely-client.ts';
import { commitResult, commitWithPosition } from './replicas/wal-position.ts';
import { isConnectionLost, isReadOnlyServer, isSessionIntact } from './sql-state.ts';
import { waitSetBy } from './statement-timeout.ts';
import { sendStatement } from './trace-statement.ts';
import type { WriteDeadline } from './write-deadline.ts';

/** Where a transaction gets its connection, and how its statements are sent. */
export interface TransactionPool {
  acquire(): Promise<Pick<pg.PoolClient, 'query' | 'release'>>;
  /** Begins a transaction. */
  begin: string;
  /** Changes each statement before it is sent. */
  prepare?(query: pg.QueryConfig): pg.QueryConfig;
  /** Called after a commit with the position of the WAL; absent where no replica needs it. */
  onCommit?(position: number): void;
}

/** Ends a transaction. */
export const commitText = ({ onCommit }: TransactionPool): string => (onCommit ? commitWithPosition : 'commit');

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. It uses a client of the pool and not the
 * ORM, which sends no statement names; planning was most of PostgreSQL's work for a push. `usage` accumulates the time of its
 * statements, `commit` included.
 * @throws RequestExpiredError when `deadline` has expired before `commit` was sent
 */
export async function runTransaction<T>(
  pool: TransactionPool,
  work: (db: Kysely<unknown>) => Promise<T>,
  usage?: DatabaseUsage,
  deadline?: WriteDeadline,
): Promise<T> {
  const client = await pool.acquire();
  let waitMs: number | undefined;
  const send = (query: pg.QueryConfig): Promise<pg.QueryResult> => {
    const limited = waitMs === undefined ? query : { ...query, query_timeout: waitMs };
    waitMs = waitSetBy(query) ?? waitMs;
    return measureUsage(usage, () => sendStatement(client, limited));
  };
  let broken: Error | undefined;
  try {
    await send({ text: pool.begin });
    const result = await work(
      kyselyForTransaction(query => {
        // A transaction that will be rolled back does not go on to hold its locks.
        deadline?.assertOpen();
        return send(pool.prepare?.(query) ?? query);
      }),
    );
    deadline?.beginCommit();
    const sent = await send({ text: commitText(pool) }).catch((error: unknown) => {
      // An error of the statement, such as a deferred constraint; after a lost connection the outcome is unknown.
      if (isSessionIntact(error)) deadline?.undoCommit();
      throw error;
    });
    const { command, position } = commitResult(sent);
    // COMMIT of a transaction in which a statement failed rolls back without an error.
    if (command === 'ROLLBACK') {
      deadline?.undoCommit();
      throw new Error('The transaction was rolled back: a statement of it had failed.');
    }
    if (position !== undefined) pool.onCommit?.(position);
    return result;
  } catch (error) {
    // A connection that cannot roll back is closed; PostgreSQL then rolls back by itself. One that did not answer is not asked again.
    if (isConnectionLost(error)) broken = error as Error;
    else {
      await send({ text: 'rollback' }).catch((reason: Error) => {
        broken = reason;
      });
    }
    if (isReadOnlyServer(error)) broken ??= error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}
