import { type RawBuilder, sql } from 'kysely';
import type { ReportKind, ReportReason } from '../../../schema/health/report.ts';
import { decodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId, uuidOfId } from '../../context/global-ids.ts';
import { invalidInput, notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { InputChecks } from '../input/input-checks.ts';

export interface NewReport {
  /** Global id of a comment, a message or a person. */
  subjectId: string;
  reason: ReportReason;
  text?: string | null;
}

/** What is reported. */
interface Subject {
  kind: ReportKind;
  id: number | string;
}

interface ReportedRow {
  accusedId: number | null;
  content: string;
}

const maxTextLength = 1_000;

/**
 * Reports a comment, a message or a person to the moderators, with the text as it is now. A block does not hinder it: an account
 * may report an earlier act of a person whom it has blocked.
 * @throws field errors, also for a second report while the first is open; notFound for what the caller cannot see; tooManyRequests
 */
export async function createReport(
  context: Pick<Context, 'actor' | 'now' | 'rateLimiter' | 'read' | 'transaction'>,
  { subjectId, reason, text }: NewReport,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const subject = subjectOf(subjectId);
  const checks = new InputChecks();
  const explanation = checks.text('text', text ?? '', { maxLength: maxTextLength });
  checks.assertPassed();
  await context.rateLimiter.charge([{ action: 'report', key: String(userId) }]);
  await context.transaction(async db => {
    const found = await reportedBy(context, userId, subject).execute(db);
    const [reported] = found.rows;
    if (!reported) throw notFound();
    if (reported.accusedId === userId) throw invalidInput({ subjectId: ['You cannot report yourself.'] });
    // The unique indexes decide between concurrent reports.
    const stored = await sql`
      insert into report (reporter_id, kind, comment_id, message_id, accused_id, reason, text, content, created_at)
      values (${userId}, ${subject.kind}, ${subject.kind === 'comment' ? subject.id : null},
        ${subject.kind === 'message' ? subject.id : null}, ${reported.accusedId}, ${reason}, ${explanation}, ${reported.content},
        ${context.now()})
      on conflict do nothing returning id`.execute(db);
    if (stored.rows.length === 0) throw invalidInput({ subjectId: ['You have reported this already.'] });
  });
}

function subjectOf(id: string): Subject {
  const types = ['ArticleComment', 'ChatMessage', 'Person'];
  switch (decodeGlobalId(id)?.type) {
    case 'ArticleComment':
      return { kind: 'comment', id: numberOfId(types, id, 'subjectId') };
    case 'ChatMessage':
      return { kind: 'message', id: uuidOfId(types, id, 'subjectId') };
    default:
      return { kind: 'person', id: numberOfId(types, id, 'subjectId') };
  }
}

/** The author and text of what is reported, if the reporter can see it. */
function reportedBy(
  context: Pick<Context, 'actor' | 'now'>,
  userId: number,
  { kind, id }: Subject,
): RawBuilder<ReportedRow> {
  switch (kind) {
    case 'comment':
      return sql`select c.user_id as "accusedId", c.text as content
        from article_comment c join article a on a.id = c.article_id
        where c.id = ${id} and c.deleted_at is null and ${isVisible(context)}`;
    case 'message':
      return sql`select m.author_id as "accusedId", m.content from chat_message m
        where m.id = ${id} and m.deleted_at is null and (
          exists (select from private_chat c where c.id = m.chat_id and ${userId} in (c.low_id, c.high_id))
          or exists (select from chat_membership r where r.group_id = m.group_id and r.user_id = ${userId}
            and m.ordinal >= r.first_ordinal))`;
    case 'person':
      // Only who is known to the reporter: any other answer would tell which numbers are accounts.
      return sql`select u.id as "accusedId", '' as content from users u
        where u.id = ${id} and u.deleted_at is null and u.is_active and not u.is_guest and (u.id = ${userId}
          or u.is_visible_in_community
          or exists (select from peer_connection p where least(p.asker_id, p.asked_id) = least(${userId}::bigint, u.id)
            and greatest(p.asker_id, p.asked_id) = greatest(${userId}::bigint, u.id))
          or exists (select from chat_membership own join chat_membership theirs on theirs.group_id = own.group_id
            where own.user_id = ${userId} and theirs.user_id = u.id)
          or exists (select from article_comment c where c.user_id = u.id and c.deleted_at is null))`;
  }
}
