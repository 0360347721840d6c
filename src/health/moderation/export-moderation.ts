import { type Kysely, sql } from 'kysely';
import type { ModerationNoticeRecord, ReportRecord } from '../../../schema/health/data-export.ts';

/** Reports of a user and measures against the user, for the data export. Reports by others, and who decided, are theirs. */
export async function exportModeration(
  db: Kysely<unknown>,
  userId: number,
): Promise<{ reports: ReportRecord[]; moderationNotices: ModerationNoticeRecord[] }> {
  const reports = await sql<ReportRecord>`
    select kind, reason, text, created_at as "createdAt", closed_at as "closedAt" from report
    where reporter_id = ${userId} order by id desc`.execute(db);
  const notices = await sql<ModerationNoticeRecord>`
    select action, note, content as text, suspended_until as "suspendedUntil", occurred_at as "occurredAt"
    from moderation_event where person_id = ${userId} and action <> 'dismissed' order by id desc`.execute(db);
  return { reports: reports.rows, moderationNotices: notices.rows };
}
