import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DataAccessSubject } from '../../../schema/health/data-access.ts';
import type { Context } from '../../context/context.ts';
import { deleteRows } from '../../db/row-batches.ts';
import { requirePerson } from '../accounts/require-person.ts';

/** Whose data was read: a query of one column `user_id`, which may be null and may repeat. */
export interface ReadData {
  subject: DataAccessSubject;
  people: RawBuilder<unknown>;
}

interface Reader {
  /** Null for the command line. */
  readerId: number | null;
  now: Date;
}

/** Days for which reads are kept. */
const retentionDays = 365;
const dayMs = 24 * 3_600_000;

/** Rows of reports: their senders, and the people whom they are about. */
export const readReports = (ids: readonly number[]): ReadData[] => [
  { subject: 'report', people: sql`select reporter_id as user_id from report where id = any(${[...ids]}::bigint[])` },
  {
    subject: 'moderation',
    people: sql`select accused_id as user_id from report where id = any(${[...ids]}::bigint[])`,
  },
];

/** Rows of the audit trail: the people whom they are about. */
export const readModerationEvents = (ids: readonly number[]): ReadData[] => [
  {
    subject: 'moderation',
    people: sql`select person_id as user_id from moderation_event where id = any(${[...ids]}::bigint[])`,
  },
];

/** Rows of known people. */
export const readOf = (subject: DataAccessSubject, personIds: readonly number[]): ReadData[] => [
  { subject, people: sql`select id as user_id from users where id = any(${[...personIds]}::bigint[])` },
];

/**
 * Records what the caller, a moderator, has read. To be awaited before the rows are returned: a read that cannot be recorded fails. It is a
 * transaction of its own, because the rows may come from a replica.
 */
export async function recordModeratorRead(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  data: readonly ReadData[],
): Promise<void> {
  const reader = { readerId: requirePerson(context.actor).userId, now: context.now() };
  await context.transaction(db => recordRead(db, reader, data));
}

/** Records what an operator has read at the command line. */
export const recordOperatorRead = (db: Kysely<unknown>, now: Date, data: readonly ReadData[]): Promise<void> =>
  recordRead(db, { readerId: null, now }, data);

async function recordRead(db: Kysely<unknown>, { readerId, now }: Reader, data: readonly ReadData[]): Promise<void> {
  for (const { subject, people } of data) {
    // In the order of the key, so that two reads of one moderator cannot lock each other out. Own data is no access.
    await sql`
      insert into data_access (user_id, reader_id, subject, read_on, read_count, last_read_at)
      select distinct p.user_id, ${readerId}::bigint, ${subject}, (${now}::timestamptz at time zone 'utc')::date, 1, ${now}::timestamptz
      from (${people}) p where p.user_id is not null and p.user_id is distinct from ${readerId}::bigint order by 1
      on conflict (user_id, subject, read_on, coalesce(reader_id, 0)) do update
        set read_count = data_access.read_count + 1, last_read_at = excluded.last_read_at`.execute(db);
  }
}

/** Deletes reads of more than a year ago. `limit` and the result are those of a `RowBatch`; null for all. */
export function purgeDataAccesses(db: Kysely<unknown>, now: Date, limit: number | null = null): Promise<number> {
  const before = new Date(now.getTime() - retentionDays * dayMs);
  return deleteRows(db, 'data_access', sql`read_on < ${before}::timestamptz::date`, limit);
}
