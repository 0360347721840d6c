import { type Kysely, sql } from 'kysely';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import { endSessions } from '../../auth/sessions.ts';
import { invalidInput, notFound } from '../../errors/errors.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { recordModeration } from './record-moderation.ts';

/** Who moderates, and when. `db` is the transaction of the action. */
export interface Moderation {
  db: Kysely<unknown>;
  keys: Pick<DerivedKeys, 'encryption'>;
  now: Date;
  /** Null for the command line. */
  moderatorId: number | null;
}

/** About whom and why. */
export interface Measure {
  personId: number;
  reportId?: number;
  /** Told to the person. */
  note: string;
}

const maxSuspensionMs = 10 * 366 * 24 * 3_600_000;

/** @throws a field error for a missing time and one that is not within the next ten years */
export function checkSuspensionEnd(until: Date | null | undefined, now: Date): Date {
  const isGood = until && until > now && until.getTime() - now.getTime() <= maxSuspensionMs;
  if (isGood) return until;
  throw invalidInput({ suspendedUntil: ['Give a time within the next 10 years.'] });
}

/**
 * Suspends a person: all sessions end at once, and none is opened before `until`.
 * @throws notFound for a deleted account; a field error for a moderator, whom only the command line may dismiss
 */
export async function suspendPerson(
  { db, keys, now, moderatorId }: Moderation,
  { personId, reportId, note }: Measure,
  until: Date,
): Promise<void> {
  const changed = await sql<{ email: string | null; firstName: string; isModerator: boolean }>`
    update users set suspended_until = ${until} where id = ${personId} and deleted_at is null
    returning email, first_name as "firstName", is_moderator as "isModerator"`.execute(db);
  const [account] = changed.rows;
  if (!account) throw notFound();
  if (account.isModerator)
    throw invalidInput({ decision: ['A moderator is not suspended. The command line removes moderators.'] });
  await endSessions({ db, now }, { userId: personId }, 'suspended');
  await recordModeration(db, {
    action: 'suspended',
    moderatorId,
    personId,
    note,
    suspendedUntil: until,
    at: now,
    ...(reportId === undefined ? {} : { reportId }),
  });
  if (account.email === null) return;
  const facts = { name: account.firstName, reason: note, until: until.toISOString() };
  await queueMail(db, keys, { to: account.email, template: 'account-suspended', facts, at: now });
}

/** Warns a person by mail. @throws notFound for a deleted account */
export async function warnPerson(
  { db, keys, now, moderatorId }: Moderation,
  { personId, reportId, note }: Measure,
): Promise<void> {
  const found = await sql<{ email: string | null; firstName: string }>`
    select email, first_name as "firstName" from users where id = ${personId} and deleted_at is null`.execute(db);
  const [account] = found.rows;
  if (!account) throw notFound();
  const report = reportId === undefined ? {} : { reportId };
  await recordModeration(db, { action: 'warned', moderatorId, personId, note, at: now, ...report });
  if (account.email === null) return;
  const facts = { name: account.firstName, reason: note };
  await queueMail(db, keys, { to: account.email, template: 'warning', facts, at: now });
}

/** Ends a suspension early. @throws notFound for a person who is not suspended */
export async function liftSuspension({ db, now, moderatorId }: Moderation, { personId, note }: Measure): Promise<void> {
  const lifted = await sql`update users set suspended_until = null
    where id = ${personId} and suspended_until > ${now} returning id`.execute(db);
  if (lifted.rows.length === 0) throw notFound();
  await recordModeration(db, { action: 'suspension_lifted', moderatorId, personId, note, at: now });
}
