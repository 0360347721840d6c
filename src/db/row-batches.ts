import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isStatementTimeout } from './sql-state.ts';
import { setStatementTimeout } from './statement-timeout.ts';

/** Rows of the first batch, and of the largest. */
const firstLimit = 200;
const maxLimit = 5_000;
/** Batches grow while they take less than half of it, and shrink when they take more. */
const targetMs = 300;
/** PostgreSQL cancels a statement of a batch after this time, and the batch is repeated with fewer rows. */
const maxStatementMs = 2_000;
/** A pause as long as the batch before it, up to this: requests have at least half of the database. */
const maxPauseMs = 200;

/** Runs `work` in one transaction. */
export type Transact = <T>(work: (db: Kysely<unknown>) => Promise<T>) => Promise<T>;

/**
 * Changes at most `limit` rows by each of its statements, and returns the largest number of rows that one of them has changed: less than
 * `limit` when nothing is left.
 */
export type RowBatch = (db: Kysely<unknown>, limit: number) => Promise<number>;

/**
 * Runs `batch` in one short transaction after another until nothing is left, so that no row is locked for long and what an interrupted run
 * has done stays done. The number of rows follows the time that batches take. Returns the sum of what the batches have returned.
 */
export async function runInBatches(transaction: Transact, batch: RowBatch, signal?: AbortSignal): Promise<number> {
  for (let limit = firstLimit, total = 0; ; ) {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    let count: number;
    try {
      count = await transaction(db => runOne(db, batch, limit));
    } catch (error) {
      if (limit === 1 || !isStatementTimeout(error)) throw error;
      limit = Math.ceil(limit / 8);
      continue;
    }
    total += count;
    if (count < limit) return total;
    const ms = performance.now() - startedAt;
    if (ms > targetMs) limit = Math.ceil(limit / 2);
    else if (ms < targetMs / 2) limit = Math.min(limit * 2, maxLimit);
    await delay(Math.min(ms, maxPauseMs), undefined, signal ? { signal } : {});
  }
}

/** A single row may take longer than a batch should: what refers to it is deleted with it. */
async function runOne(db: Kysely<unknown>, batch: RowBatch, limit: number): Promise<number> {
  if (limit > 1) await setStatementTimeout(db, maxStatementMs);
  return batch(db, limit);
}

/** Deletes rows of a table that is not partitioned, at most `limit`; all for null. Returns their number. */
export async function deleteRows(
  db: Kysely<unknown>,
  table: string,
  where: RawBuilder<unknown>,
  limit: number | null,
): Promise<number> {
  return affected(await sql`delete from ${sql.table(table)} ${chosen(table, where, limit)}`.execute(db));
}

/** Sets columns of rows that then no longer match `where`. Otherwise as `deleteRows`. */
export async function updateRows(
  db: Kysely<unknown>,
  table: string,
  set: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
  limit: number | null,
): Promise<number> {
  return affected(await sql`update ${sql.table(table)} set ${set} ${chosen(table, where, limit)}`.execute(db));
}

/** By the place of the rows, which needs no key. A row that another transaction changes at the same time is left to the next run. */
const chosen = (table: string, where: RawBuilder<unknown>, limit: number | null): RawBuilder<unknown> =>
  limit === null
    ? sql`where ${where}`
    : sql`where ctid = any(array(select ctid from ${sql.table(table)} where ${where} limit ${limit}))`;

const affected = ({ numAffectedRows }: { numAffectedRows?: bigint }): number => Number(numAffectedRows ?? 0n);

/** What a `RowBatch` of several statements returns. */
export const largest = (counts: readonly number[]): number => counts.reduce((most, count) => Math.max(most, count), 0);

/** Runs all `works` one after the other: what fails does not keep those behind it from their turn. @throws the first error, at the end */
export async function runEach(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
