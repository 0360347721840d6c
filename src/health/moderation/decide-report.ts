import { type Kysely, sql } from 'kysely';
import type { ModerationAction } from '../../../schema/health/moderation-event.ts';
import type { Report, ReportDecision } from '../../../schema/health/report.ts';
import { forbidden, invalidInput, notFound } from '../../errors/errors.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledText } from '../input/text-limits.ts';
import { type HiddenContent, hideComment, hideMessage, restoreComment, restoreMessage } from './hide-content.ts';
import { recordModeration } from './record-moderation.ts';
import { checkSuspensionEnd, type Measure, type Moderation, suspendPerson, warnPerson } from './suspend-person.ts';

export interface Decision {
  reportId: number;
  decision: ReportDecision;
  /** End of a suspension. */
  suspendedUntil?: Date | null;
  note?: string | null;
}

type ReportRow = Pick<Report, 'id' | 'kind' | 'commentId' | 'messageId' | 'accusedId' | 'closedAt'>;

/**
 * Decides on a report, and with it on all open ones about the same subject. A report may be decided on again: hide first, suspend later,
 * or restore what was hidden by mistake.
 * @throws notFound; forbidden for a report about the moderator; field errors
 */
export async function decideReport(
  moderation: Moderation,
  { reportId, decision, suspendedUntil, note }: Decision,
): Promise<void> {
  const { db, now, moderatorId } = moderation;
  const checks = new InputChecks();
  const text = checks.text(
    'note',
    note ?? '',
    decision === 'warn' || decision === 'suspend' ? filledText(1000) : { maxLength: 1000 },
  );
  checks.assertPassed();
  const until = decision === 'suspend' ? checkSuspensionEnd(suspendedUntil, now) : null;
  const report = await lockReport(db, reportId);
  if (!report) throw notFound();
  if (moderatorId !== null && report.accusedId === moderatorId)
    throw forbidden({ reason: 'own_report' }, 'Another moderator decides on a report about you.');
  if (decision === 'dismiss') {
    if (report.closedAt !== null) throw invalidInput({ decision: ['The report is closed.'] });
    await recordModeration(db, {
      action: 'dismissed',
      moderatorId,
      personId: report.accusedId,
      reportId,
      note: text,
      at: now,
    });
  } else if (decision === 'hide') {
    const content = await hideSubject(db, report, now);
    const { accusedId: personId } = report;
    if (content !== null)
      await recordModeration(db, { action: 'hidden', moderatorId, personId, reportId, note: text, content, at: now });
  } else if (decision === 'restore') {
    await restoreSubject(db, report);
    const { accusedId: personId } = report;
    await recordModeration(db, { action: 'restored', moderatorId, personId, reportId, note: text, at: now });
  } else {
    if (report.accusedId === null) throw invalidInput({ decision: ['The account was erased.'] });
    const measure: Measure = { personId: report.accusedId, reportId, note: text };
    await (until ? suspendPerson(moderation, measure, until) : warnPerson(moderation, measure));
  }
  await sql`update report r set closed_at = coalesce(r.closed_at, ${now}), decision = ${decision}
    where r.id = ${reportId} or (r.closed_at is null and r.kind = ${report.kind} and case r.kind
      when 'comment' then r.comment_id = ${report.commentId}
      when 'message' then r.message_id = ${report.messageId}
      else r.accused_id = ${report.accusedId} end)`.execute(db);
}

async function lockReport(db: Kysely<unknown>, id: number): Promise<ReportRow | undefined> {
  const found = await sql<ReportRow>`
    select id, kind, comment_id as "commentId", message_id as "messageId", accused_id as "accusedId", closed_at as "closedAt"
    from report where id = ${id} for update`.execute(db);
  return found.rows[0];
}

async function hideSubject(
  db: Kysely<unknown>,
  { commentId, messageId }: ReportRow,
  now: Date,
): Promise<string | null> {
  if (messageId !== null) return hideMessage(db, messageId, now);
  if (commentId !== null) return hideComment(db, commentId, now);
  throw invalidInput({ decision: ['There is nothing to hide.'] });
}

/**
 * Undoes the last hiding of the subject, by any report about it.
 * @throws a field error when no moderator hid it, its author has deleted it since, or its text was erased
 */
async function restoreSubject(db: Kysely<unknown>, { commentId, messageId }: ReportRow): Promise<void> {
  // After the lock of the report, which does not exclude decisions on other reports: the update decides who restores.
  const last = await sql<{ action: ModerationAction } & HiddenContent>`
    select e.action, e.content, e.occurred_at as "hiddenAt" from moderation_event e
    where e.action in ('hidden', 'restored') and e.report_id in (select id from report r where
      ${messageId === null ? sql`r.comment_id = ${commentId}` : sql`r.message_id = ${messageId}`})
    order by e.id desc limit 1`.execute(db);
  const [event] = last.rows;
  const isRestored =
    event?.action === 'hidden' &&
    event.content !== '' &&
    (messageId !== null
      ? await restoreMessage(db, messageId, event)
      : commentId !== null && (await restoreComment(db, commentId, event)));
  if (!isRestored) throw invalidInput({ decision: ['There is nothing to restore.'] });
}
