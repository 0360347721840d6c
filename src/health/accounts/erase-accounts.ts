import { type Kysely, sql } from 'kysely';
import { eraseArticleActivity } from '../articles/erase-activity.ts';
import { eraseFromCommunity } from '../community/erase-community.ts';
import { eraseCompanionHistory } from '../companion/erase-history.ts';
import { purgeDataAccesses } from '../data-accesses/record-data-accesses.ts';
import { eraseFromModeration } from '../moderation/erase-moderation.ts';

const dayMs = 24 * 3_600_000;
/** Guests without activity for this long are deleted. */
const idleGuestDays = 30;

/** Measurements and goals. No other table refers to these rows. */
const measurements = ['health_goal', 'symptom_log', 'vital_reading'];

/**
 * Erases the personal data of accounts that were deleted at least `afterDays` days ago. The `users` row stays, as
 * «Deleted user», because other rows refer to it. Returns the number of accounts.
 */
export async function eraseDeletedAccounts(db: Kysely<unknown>, now: Date, afterDays: number): Promise<number> {
  const erased = await sql<{ id: number }>`
    update users set email = null, first_name = '', last_name = '', password_hash = null, mobile_no = null, gender = null,
      date_of_birth = null, weight_kg = null, height_cm = null, blood_type = null, allergies = '', has_hypertension = null,
      has_diabetes = null, has_chronic_condition = null, is_smoker = null, had_recent_surgery = null, conditions = '{}',
      symptoms = '{}', conditions_for_peers = '{}', conditions_for_suggestions = '{}', display_name = '', about_me = '', picture = null, last_login = null, time_zone = null, share_profile_with_ai = false,
      erased_at = ${now}
    where deleted_at <= ${new Date(now.getTime() - afterDays * dayMs)} and erased_at is null returning id`.execute(db);
  const ids = erased.rows.map(row => row.id);
  if (ids.length === 0) return 0;
  for (const table of [
    'media',
    'registration',
    'password_reset',
    'session',
    'audit_event',
    'ad_click',
    'assessment',
    'consent',
    'data_access',
    'held_age',
    ...measurements,
  ]) {
    await sql`delete from ${sql.table(table)} where user_id = any(${ids})`.execute(db);
  }
  await eraseArticleActivity(db, ids);
  await eraseFromCommunity(db, ids);
  await eraseFromModeration(db, ids);
  await sql`delete from refused_contact where person_id = any(${ids}) or other_id = any(${ids})`.execute(db);
  await eraseCompanionHistory(db, ids);
  await sql`insert into audit_event (user_id, kind, at) select unnest(${ids}::bigint[]), 'erased', ${now}`.execute(db);
  return ids.length;
}

/**
 * Deletes guests without activity for 30 days, used activation links of that age, expired registrations with the accounts that were made for
 * them, password resets and sessions, and reads of data of a year ago.
 */
export async function purgeStale(db: Kysely<unknown>, now: Date): Promise<{ guests: number }> {
  const idle = new Date(now.getTime() - idleGuestDays * dayMs);
  const guests = await sql`delete from users where is_guest and last_seen_at < ${idle} returning id`.execute(db);
  await sql`delete from registration where expires_at < ${idle}`.execute(db);
  await purgeUnconfirmed(db, idle);
  await sql`delete from used_activation_link where used_at < ${idle}`.execute(db);
  await sql`delete from password_reset where expires_at < ${now}`.execute(db);
  await sql`delete from session where expires_at < ${now} or ended_at < ${idle}`.execute(db);
  await purgeDataAccesses(db, now);
  return { guests: guests.rows.length };
}

/**
 * Deletes accounts that were never activated and have no registration left: name and address can be those of somebody who knows nothing of
 * it. Two statements, because the second one sees a registration that was committed before the first one got its locks.
 */
async function purgeUnconfirmed(db: Kysely<unknown>, joinedBefore: Date): Promise<void> {
  const isUnconfirmed = sql`not u.is_active and not u.is_verified and not u.is_guest and u.deleted_at is null
    and u.date_joined < ${joinedBefore} and not exists (select from registration r where r.user_id = u.id)`;
  const locked = await sql<{
    id: number;
  }>`select u.id from users u where ${isUnconfirmed} for update skip locked`.execute(db);
  const ids = locked.rows.map(row => row.id);
  await sql`delete from users u where u.id = any(${ids}::bigint[]) and ${isUnconfirmed}`.execute(db);
}
