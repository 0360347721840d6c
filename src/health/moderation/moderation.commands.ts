import { type Kysely, sql } from 'kysely';
import { ReportDecision } from '../../../schema/health/report.ts';
import { isDay } from '../../../schema/vocabulary/scalars.ts';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import { invalidInput } from '../../errors/errors.ts';
import { readModerationEvents, readReports, recordOperatorRead } from '../data-accesses/record-data-accesses.ts';
import { decideReport } from './decide-report.ts';
import { recordModeration } from './record-moderation.ts';
import { checkSuspensionEnd, liftSuspension, type Moderation, suspendPerson } from './suspend-person.ts';

/** Context of the moderation commands. `db` is a transaction. */
export interface ModerationCommandContext {
  db: Kysely<unknown>;
  keys: Pick<DerivedKeys, 'encryption'>;
  now: Date;
  write(line: string): void;
}

/** Entries that a list prints. */
const maxListed = 200;

const moderationOf = ({ db, keys, now }: ModerationCommandContext): Moderation => ({
  db,
  keys,
  now,
  moderatorId: null,
});

/** Makes an account a moderator, or takes the rights away. */
export async function setModeratorCommand(
  email: string,
  isModerator: boolean,
  { db, now, write }: ModerationCommandContext,
): Promise<void> {
  const personId = await personOf(db, email);
  await sql`update users set is_moderator = ${isModerator} where id = ${personId}`.execute(db);
  const action = isModerator ? 'moderator_added' : 'moderator_removed';
  await recordModeration(db, { action, moderatorId: null, personId, at: now });
  write(`${email} is ${isModerator ? 'a moderator now' : 'no moderator any more'}.`);
}

/** Lists reports, the newest first. */
export async function listReportsCommand(all: boolean, { db, now, write }: ModerationCommandContext): Promise<void> {
  const found = await sql<
    Record<'id' | 'at' | 'kind' | 'reason' | 'decision' | 'accused' | 'text' | 'content', string>
  >`
    select r.id, to_char(r.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, r.kind, r.reason,
      coalesce(r.decision, 'open') as decision, coalesce(u.email, 'an erased account') as accused, r.text, r.content
    from report r left join users u on u.id = r.accused_id
    where ${all}::boolean or r.closed_at is null order by r.id desc limit ${maxListed}`.execute(db);
  await recordOperatorRead(db, now, readReports(found.rows.map(one => Number(one.id))));
  if (found.rows.length === 0) write('There are no reports.');
  for (const one of found.rows) {
    write([one.id, one.at, one.decision, one.kind, one.reason, one.accused].join('\t'));
    if (one.content) write(`\treported: ${oneLine(one.content)}`);
    if (one.text) write(`\tsays: ${oneLine(one.text)}`);
  }
}

/** Prints the audit trail, the newest first. */
export async function listModerationCommand({ db, now, write }: ModerationCommandContext): Promise<void> {
  const found = await sql<
    Record<'id' | 'at' | 'action' | 'person' | 'moderator' | 'note', string> & { until: string | null }
  >`
    select e.id, to_char(e.occurred_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, e.action, coalesce(u.email, '-') as person,
      coalesce(m.email, 'command line') as moderator, e.note,
      to_char(e.suspended_until, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until
    from moderation_event e left join users u on u.id = e.person_id left join users m on m.id = e.moderator_id
    order by e.id desc limit ${maxListed}`.execute(db);
  await recordOperatorRead(db, now, readModerationEvents(found.rows.map(one => Number(one.id))));
  if (found.rows.length === 0) write('Nothing was moderated.');
  for (const { at, action, until, person, moderator, note } of found.rows) {
    write(
      [at, until === null ? action : `${action} until ${until}`, person, `by ${moderator}`, oneLine(note)].join('\t'),
    );
  }
}

/** Decides on a report. @throws field errors; notFound */
export async function decideReportCommand(
  report: string,
  decision: string,
  { until, note }: { until?: string; note?: string },
  context: ModerationCommandContext,
): Promise<void> {
  const known = Object.values(ReportDecision).find(one => one === decision);
  if (!known) throw invalidInput({ decision: [`It must be one of ${Object.values(ReportDecision).join(', ')}.`] });
  const reportId = Number(report);
  if (!Number.isSafeInteger(reportId)) throw invalidInput({ report: ['It must be the number of a report.'] });
  await decideReport(moderationOf(context), {
    reportId,
    decision: known,
    suspendedUntil: parseUntil(until),
    note: note ?? null,
  });
  context.write(`Report ${report}: ${decision}.`);
}

/** Suspends a person without a report. */
export async function suspendCommand(
  email: string,
  { until, note }: { until: string; note: string },
  context: ModerationCommandContext,
): Promise<void> {
  const end = checkSuspensionEnd(parseUntil(until), context.now);
  await suspendPerson(moderationOf(context), { personId: await personOf(context.db, email), note }, end);
  context.write(`${email} is suspended until ${end.toISOString()}.`);
}

/** Ends a suspension early. */
export async function liftSuspensionCommand(
  email: string,
  note: string,
  context: ModerationCommandContext,
): Promise<void> {
  await liftSuspension(moderationOf(context), { personId: await personOf(context.db, email), note });
  context.write(`${email} can log in again.`);
}

async function personOf(db: Kysely<unknown>, email: string): Promise<number> {
  const found = await sql<{ id: number }>`
    select id from users where lower(email) = lower(${email}) and deleted_at is null and is_active`.execute(db);
  const [person] = found.rows;
  if (!person) throw invalidInput({ email: ['There is no active account with this address.'] });
  return person.id;
}

function parseUntil(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || !isDay(text.slice(0, 10)))
    throw invalidInput({ until: [`«${text}» is no time such as 2026-02-14T09:30:00Z.`] });
  return date;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 300);
