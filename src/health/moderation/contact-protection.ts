import { type Kysely, sql } from 'kysely';
import type { ContactSummary, HeldAgeRecord } from '../../../schema/health/contact-protection.ts';
import type { DataAccessSubject } from '../../../schema/health/data-access.ts';
import type { Context } from '../../context/context.ts';
import { deleteRows, largest, updateRows } from '../../db/row-batches.ts';
import { forbidden, notFound } from '../../errors/errors.ts';
import { readOf, recordModeratorRead } from '../data-accesses/record-data-accesses.ts';
import { personCard } from '../people/person-card.ts';
import { isModerator } from './moderation.queries.ts';
import { recordModeration } from './record-moderation.ts';
import type { Moderation } from './suspend-person.ts';

/** Maximum entries of each list of this file. */
export const maxContactEntries = 100;
/** Days for which refused attempts are kept. */
const retentionDays = 365;

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'read' | 'transaction'>;

/** People whose attempts to reach the other age group were refused in the last `days`, those with the most people first. */
export async function contactSummaries(context: Dependencies, days: number): Promise<ContactSummary[]> {
  const { actor, now, origin, read } = context;
  const since = new Date(now().getTime() - days * 24 * 3_600_000).toISOString();
  const summaries = await read(sql<ContactSummary>`
    select ${personCard('u', origin)} as person, u.age_group = 'adult' as "isAdult", tried.attempts as "refusedAttempts",
      tried.people as "refusedPeople", asked.requests, asked.declined as "declinedRequests",
      (select count(*)::int from peer_connection b where b.status = 'blocked' and b.blocked_by_id <> u.id
        and u.id in (b.asker_id, b.asked_id)) as blockers
    from (select person_id, count(*)::int as attempts, count(distinct other_id)::int as people
      from refused_contact where occurred_at > ${since} group by person_id
      order by people desc, attempts desc, person_id limit ${maxContactEntries}) tried
    join users u on u.id = tried.person_id
    cross join lateral (select count(*)::int as requests, count(*) filter (where c.status = 'declined')::int as declined
      from peer_connection c where c.asker_id = u.id and c.created_at > ${since}) asked
    where ${isModerator(actor)} order by tried.people desc, tried.attempts desc, u.id`);
  await recordPeopleRead(context, 'moderation', summaries);
  return summaries;
}

/** People whose new date of birth is of the other age group, the latest first. */
export async function heldAges(context: Dependencies): Promise<HeldAgeRecord[]> {
  const { actor, origin, read } = context;
  const held = await read(sql<HeldAgeRecord>`
    select ${personCard('u', origin)} as person, u.age_group = 'adult' as "isAdult", u.date_of_birth::text as "bornOn", h.held_at as "heldAt"
    from held_age h join users u on u.id = h.user_id
    where ${isModerator(actor)} order by h.held_at desc, h.user_id limit ${maxContactEntries}`);
  await recordPeopleRead(context, 'birth_date', held);
  return held;
}

async function recordPeopleRead(
  context: Dependencies,
  subject: DataAccessSubject,
  entries: readonly { person: { databaseId: number } }[],
): Promise<void> {
  if (entries.length === 0) return;
  const ids = entries.map(({ person }) => person.databaseId);
  await recordModeratorRead(context, readOf(subject, ids));
}

/**
 * Decides whether a person whose date of birth was held is an adult. A date that says otherwise is removed, so that no birthday follows
 * from it.
 * @throws notFound for any other person; forbidden `own_age`
 */
export async function decideHeldAge(
  { db, now, moderatorId }: Moderation,
  { personId, isAdult, note }: { personId: number; isAdult: boolean; note: string },
): Promise<void> {
  if (personId === moderatorId)
    throw forbidden({ reason: 'own_age' }, 'Another moderator decides on your date of birth.');
  const release = sql`delete from held_age where user_id = ${personId} returning user_id`;
  const held = await release.execute(db);
  if (held.rows.length === 0) throw notFound();
  await sql`update users set age_group = ${isAdult ? 'adult' : 'minor'} where id = ${personId}`.execute(db);
  await sql`update users set date_of_birth = null where id = ${personId}
    and (date_of_birth <= ${now.toISOString()}::timestamptz::date - interval '18 years') is distinct from ${isAdult}`.execute(
    db,
  );
  // The trigger holds a removed date as well.
  await release.execute(db);
  await recordModeration(db, { action: isAdult ? 'age_adult' : 'age_minor', moderatorId, personId, note, at: now });
}

/**
 * Makes adults of minors who have become 18, and forgets refused attempts after a year. `limit` and the result are those of a `RowBatch`;
 * null for all.
 */
export async function ageByBirthdays(db: Kysely<unknown>, now: Date, limit: number | null = null): Promise<number> {
  const before = new Date(now.getTime() - retentionDays * 24 * 3_600_000);
  return largest([
    await updateRows(
      db,
      'users',
      sql`age_group = 'adult'`,
      sql`age_group = 'minor' and date_of_birth <= ${now.toISOString()}::timestamptz::date - interval '18 years'
        and not exists (select from held_age h where h.user_id = users.id)`,
      limit,
    ),
    await deleteRows(db, 'refused_contact', sql`occurred_at < ${before}`, limit),
  ]);
}
