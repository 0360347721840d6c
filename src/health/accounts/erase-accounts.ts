import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import { deleteRows, largest, runInBatches, type Transact } from '../../db/row-batches.ts';
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

/** Tables of which an erasure deletes the rows of the account. */
const ownTables = [
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
];

/** What an erasure does outside of the table `users`. `limit` and the result are those of a `RowBatch`; null for all. */
async function eraseRows(db: Kysely<unknown>, ids: readonly number[], limit: number | null): Promise<number> {
  const counts: number[] = [];
  for (const table of ownTables) counts.push(await deleteRows(db, table, sql`user_id = any(${ids})`, limit));
  counts.push(
    await eraseArticleActivity(db, ids, limit),
    await eraseFromCommunity(db, ids, limit),
    await eraseFromModeration(db, ids, limit),
    await deleteRows(
      db,
      'refused_contact',
      sql`person_id = any(${ids}::bigint[]) or other_id = any(${ids}::bigint[])`,
      limit,
    ),
    await eraseCompanionHistory(db, ids, limit),
  );
  return largest(counts);
}

const isDue = (now: Date, afterDays: number): RawBuilder<boolean> =>
  sql`deleted_at <= ${new Date(now.getTime() - afterDays * dayMs)} and erased_at is null`;

/**
 * Erases the personal data of accounts that were deleted at least `afterDays` days ago, of all or of `among`. The `users` row stays, as
 * «Deleted user», because other rows refer to it. Returns the number of accounts.
 */
export async function eraseDeletedAccounts(
  db: Kysely<unknown>,
  now: Date,
  afterDays: number,
  among: readonly number[] | null = null,
): Promise<number> {
  const erased = await sql<{ id: number }>`
    update users set email = null, first_name = '', last_name = '', password_hash = null, mobile_no = null, gender = null,
      date_of_birth = null, weight_kg = null, height_cm = null, blood_type = null, allergies = '', has_hypertension = null,
      has_diabetes = null, has_chronic_condition = null, is_smoker = null, had_recent_surgery = null, conditions = '{}',
      symptoms = '{}', conditions_for_peers = '{}', conditions_for_suggestions = '{}', display_name = '', about_me = '', picture = null, last_login = null, time_zone = null, share_profile_with_ai = false,
      erased_at = ${now}
    where ${isDue(now, afterDays)} and (${among}::bigint[] is null or id = any(${among}::bigint[])) returning id`.execute(
    db,
  );
  const ids = erased.rows.map(row => row.id);
  if (ids.length === 0) return 0;
  await eraseRows(db, ids, null);
  await sql`insert into audit_event (user_id, kind, at) select unnest(${ids}::bigint[]), 'erased', ${now}`.execute(db);
  return ids.length;
}

/** The number of accounts that should have been erased a day before `now`, or earlier. */
export async function countOverdueErasures(read: Read, now: Date, afterDays: number): Promise<number> {
  const rows = await read(
    sql<{ count: number }>`select count(*)::int as count from users where ${isDue(now, afterDays + 1)}`,
  );
  return rows[0]?.count ?? 0;
}

/** Accounts that are erased together. */
const erasureSize = 20;

/**
 * Erases all accounts that are due, the longest due first: their rows in short transactions, and the rest in one more. An account that
 * cannot be erased keeps no other one from it. @throws the first error, at the end
 */
export async function eraseDueAccounts(
  database: { read: Read; transaction: Transact },
  { now, afterDays, signal }: { now: Date; afterDays: number; signal?: AbortSignal },
): Promise<void> {
  const { read, transaction } = database;
  const erase = async (ids: readonly number[]): Promise<void> => {
    await runInBatches(transaction, (db, limit) => eraseRows(db, ids, limit), signal);
    await transaction(db => eraseDeletedAccounts(db, now, afterDays, ids));
  };
  const failed: number[] = [];
  const errors: unknown[] = [];
  for (;;) {
    signal?.throwIfAborted();
    const due = await read(sql<{ id: number }>`select id from users
      where ${isDue(now, afterDays)} and id <> all(${failed}::bigint[]) order by deleted_at limit ${erasureSize}`);
    if (due.length === 0) break;
    const ids = due.map(({ id }) => id);
    try {
      await erase(ids);
    } catch {
      for (const id of ids) {
        signal?.throwIfAborted();
        await erase([id]).catch((error: unknown) => {
          failed.push(id);
          errors.push(error);
        });
      }
    }
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * Deletes guests without activity for 30 days, used activation links of that age, expired registrations with the accounts that were made for
 * them, password resets and sessions, and reads of data of a year ago. `limit` holds for each statement, null for all; `rows` is the
 * result of a `RowBatch`.
 */
export async function purgeStale(
  db: Kysely<unknown>,
  now: Date,
  limit: number | null = null,
): Promise<{ guests: number; rows: number }> {
  const idle = new Date(now.getTime() - idleGuestDays * dayMs);
  const guests = await deleteRows(db, 'users', sql`is_guest and last_seen_at < ${idle}`, limit);
  const rows = largest([
    guests,
    await deleteRows(db, 'registration', sql`expires_at < ${idle}`, limit),
    await purgeUnconfirmed(db, idle, limit),
    await deleteRows(db, 'used_activation_link', sql`used_at < ${idle}`, limit),
    await deleteRows(db, 'password_reset', sql`expires_at < ${now}`, limit),
    await deleteRows(db, 'session', sql`expires_at < ${now} or ended_at < ${idle}`, limit),
    await purgeDataAccesses(db, now, limit),
  ]);
  return { guests, rows };
}

/**
 * Deletes accounts that were never activated and have no registration left: name and address can be those of somebody who knows nothing of
 * it. Two statements, because the second one sees a registration that was committed before the first one got its locks.
 */
async function purgeUnconfirmed(db: Kysely<unknown>, joinedBefore: Date, limit: number | null): Promise<number> {
  const isUnconfirmed = sql`not u.is_active and not u.is_verified and not u.is_guest and u.deleted_at is null
    and u.date_joined < ${joinedBefore} and not exists (select from registration r where r.user_id = u.id)`;
  const locked = await sql<{
    id: number;
  }>`select u.id from users u where ${isUnconfirmed} limit ${limit} for update skip locked`.execute(db);
  const ids = locked.rows.map(row => row.id);
  await sql`delete from users u where u.id = any(${ids}::bigint[]) and ${isUnconfirmed}`.execute(db);
  return ids.length;
}
