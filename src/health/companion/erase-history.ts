import { type Kysely, sql } from 'kysely';

const dayMs = 24 * 3_600_000;

/** Deletes the companion history of accounts. */
export async function eraseCompanionHistory(db: Kysely<unknown>, userIds: readonly number[]): Promise<void> {
  await sql`delete from companion_message where user_id = any(${userIds})`.execute(db);
}

/** Deletes messages older than `days`. */
export async function purgeCompanionHistory(db: Kysely<unknown>, now: Date, days: number): Promise<void> {
  const before = new Date(now.getTime() - days * dayMs).toISOString();
  await sql`delete from companion_message where created_at < ${before}`.execute(db);
}
