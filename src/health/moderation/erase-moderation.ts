import { type Kysely, sql } from 'kysely';

/**
 * Removes erased accounts from reports and from the audit trail: who reported or moderated, and what erased people wrote. That
 * something was reported and decided on stays.
 */
export async function eraseFromModeration(db: Kysely<unknown>, userIds: readonly number[]): Promise<void> {
  const erased = sql`any(${userIds}::bigint[])`;
  await sql`update report set reporter_id = null, text = '' where reporter_id = ${erased}`.execute(db);
  await sql`update report set content = '', text = '', accused_id = null where accused_id = ${erased}`.execute(db);
  await sql`update moderation_event set person_id = null, content = '', note = '' where person_id = ${erased}`.execute(
    db,
  );
  await sql`update moderation_event set moderator_id = null where moderator_id = ${erased}`.execute(db);
  await sql`update users set is_moderator = false, suspended_until = null where id = ${erased}`.execute(db);
}
