import { type Kysely, sql } from 'kysely';
import { deleteRows } from '../../db/row-batches.ts';

const dayMs = 24 * 3_600_000;

/** Deletes the companion history of accounts. `limit` and the result are those of a `RowBatch`; null for all. */
export const eraseCompanionHistory = (
  db: Kysely<unknown>,
  userIds: readonly number[],
  limit: number | null = null,
): Promise<number> => deleteRows(db, 'companion_message', sql`user_id = any(${userIds})`, limit);

/** Deletes messages older than `days`. `limit` and the result are those of a `RowBatch`; null for all. */
export function purgeCompanionHistory(
  db: Kysely<unknown>,
  now: Date,
  days: number,
  limit: number | null = null,
): Promise<number> {
  const before = new Date(now.getTime() - days * dayMs).toISOString();
  return deleteRows(db, 'companion_message', sql`created_at < ${before}`, limit);
}
