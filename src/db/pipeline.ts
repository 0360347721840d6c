import type { RawBuilder } from 'kysely';
import type pg from 'pg';
import { compiler, type DatabaseUsage, measureUsage } from './kysely-client.ts';
import type { PreparedStatements } from './read.ts';
import { commitResult } from './replicas/wal-position.ts';
import { isSessionIntact, isStalePlan } from './sql-state.ts';
import { traceBatch } from './trace-statement.ts';
import { commitText, type TransactionPool } from './transaction.ts';
import type { WriteDeadline } from './write-deadline.ts';

/** The rows of each statement, in their order. */
export type PipelineRows<Statements extends readonly RawBuilder<unknown>[]> = {
  -readonly [At in keyof Statements]: Statements[At] extends RawBuilder<infer Row> ? Row[] : never;
};

/** Runs statements in one transaction and one round trip: see `runPipeline`. */
export type Pipeline = <const Statements extends readonly RawBuilder<unknown>[]>(
  statements: Statements,
) => Promise<PipelineRows<Statements>>;

/**
 * Runs statements in one transaction and one round trip: BEGIN, the statements and COMMIT are sent without waiting for results, so
 * that no lock is held while a result travels. For writes of a row that many callers write: with a round trip for each statement,
 * sixteen writers of one row got 59 transactions a second.
 *
 * Each statement sees what those before it wrote, and what other transactions committed before a lock was granted. No statement can
 * depend on a result, so each repeats the conditions that a result would have decided.
 * @throws RequestExpiredError when `deadline` has expired before the statements are sent
 * @throws the first error of PostgreSQL; the transaction is then rolled back. After a lost connection its outcome is unknown.
 */
export async function runPipeline<const Statements extends readonly RawBuilder<unknown>[]>(
  pool: TransactionPool,
  names: PreparedStatements,
  statements: Statements,
  usage?: DatabaseUsage,
  deadline?: WriteDeadline,
): Promise<PipelineRows<Statements>> {
  const compiled = statements.map(statement => statement.compile(compiler));
  const attempt = async (): Promise<unknown[][]> => {
    const queries = compiled.map(({ sql: text, parameters }): pg.QueryConfig => {
      const name = names.nameOf(text);
      return { ...(name === undefined ? {} : { name }), text, values: [...parameters] };
    });
    const results = await sendTogether(pool, queries, usage, deadline);
    return results.map(({ rows }) => rows);
  };
  let rows: unknown[][];
  try {
    rows = await attempt();
  } catch (error) {
    if (!isStalePlan(error)) throw error;
    for (const { sql: text } of compiled) names.forget(text);
    rows = await attempt();
  }
  return rows as PipelineRows<Statements>;
}

/**
 * Sends a transaction without waiting for results. Returns the result of each query.
 * @throws as `runPipeline`
 */
export async function sendTogether(
  pool: TransactionPool,
  queries: readonly pg.QueryConfig[],
  usage?: DatabaseUsage,
  deadline?: WriteDeadline,
): Promise<pg.QueryResult[]> {
  const sent = [
    { text: pool.begin },
    ...queries.map(query => pool.prepare?.(query) ?? query),
    { text: commitText(pool) },
  ];
  const client = await pool.acquire();
  let isBroken = false;
  try {
    deadline?.beginCommit();
  } catch (error) {
    client.release();
    throw error;
  }
  try {
    // COMMIT of a failed transaction rolls back.
    const answers = await measureUsage(usage, () => traceBatch(queries, () => sendAll(client, sent)));
    const { position } = commitResult(answers.at(-1) as pg.QueryResult);
    if (position !== undefined) pool.onCommit?.(position);
    return answers.slice(1, -1);
  } catch (error) {
    isBroken = !isSessionIntact(error);
    if (!isBroken) deadline?.undoCommit();
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** Waits for all results: a connection must not be released with statements on their way. @throws the first error */
async function sendAll(
  client: Pick<pg.PoolClient, 'query'>,
  queries: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  const results = await Promise.allSettled(queries.map(query => client.query(query)));
  return results.map(result => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
