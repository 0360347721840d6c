import { type Kysely, sql } from 'kysely';
import type pg from 'pg';

/** A server that does not answer is given up this long after PostgreSQL would have canceled the statement. */
export const answerMarginMs = 500;
/** Of a statement that PostgreSQL does not cancel; the longest timer of Node.js is not longer. */
const unlimitedMs = 2 ** 31 - 1;

/** Replaces the time limit of the statements that follow in a transaction; 0 for none. The client waits as long as the server. */
export async function setStatementTimeout(db: Kysely<unknown>, ms: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(db);
}

const text = "select set_config('statement_timeout', $1, true)";

/** How long the client waits for statements after this one; undefined if it does not change. */
export function waitSetBy(query: pg.QueryConfig): number | undefined {
  if (query.text !== text) return undefined;
  const ms = Number(query.values?.[0]);
  return ms === 0 ? unlimitedMs : ms + answerMarginMs;
}
