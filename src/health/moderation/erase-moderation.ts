import { type Kysely, sql } from 'kysely';
import { largest, updateRows } from '../../db/row-batches.ts';

/**
 * Removes erased accounts from reports and from the audit trail: who reported or moderated, and what erased people wrote. That
 * something was reported and decided on stays. `limit` and the result are those of a `RowBatch`; null for all.
 */
export async function eraseFromModeration(
  db: Kysely<unknown>,
  userIds: readonly number[],
  limit: number | null = null,
): Promise<number> {
  const erased = sql`any(${userIds}::bigint[])`;
  const counts = [
    await updateRows(db, 'report', sql`reporter_id = null, text = ''`, sql`reporter_id = ${erased}`, limit),
    await updateRows(db, 'report', sql`content = '', text = '', accused_id = null`, sql`accused_id = ${erased}`, limit),
    await updateRows(
      db,
      'moderation_event',
      sql`person_id = null, content = '', note = ''`,
      sql`person_id = ${erased}`,
      limit,
    ),
    await updateRows(db, 'moderation_event', sql`moderator_id = null`, sql`moderator_id = ${erased}`, limit),
  ];
  await sql`update users set is_moderator = false, suspended_until = null
    where id = ${erased} and (is_moderator or suspended_until is not null)`.execute(db);
  return largest(counts);
}
