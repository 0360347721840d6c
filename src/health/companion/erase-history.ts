import { type Kysely, sql } from 'kysely';

const dayMs = 24 * 3_600_000;

/** Takes away everything these accounts said to the companion and were told by it: it belongs to nobody else. */
export async function eraseCompanionHistory(db: Kysely<unknown>, userIds: readonly number[]): Promise<void> {
  await sql`delete from companion_message where user_id = any(${userIds})`.execute(db);
}

/** Takes away what was said more than `days` ago. */
export async function purgeCompanionHistory(db: Kysely<unknown>, now: Date, days: number): Promise<void> {
  const before = new Date(now.getTime() - days * dayMs).toISOString();
  await sql`delete from companion_message where created_at < ${before}`.execute(db);
}
