import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { ChatMessage } from './chat.ts';
import { ArticleComment } from './comment.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';

export const ReportKind = { COMMENT: 'comment', MESSAGE: 'message', PERSON: 'person' } as const;
export type ReportKind = (typeof ReportKind)[keyof typeof ReportKind];
registerEnumType(ReportKind, { name: 'ReportKind', description: 'Kind of a reported subject.' });

export const ReportReason = {
  HARASSMENT: 'harassment',
  HATE: 'hate',
  THREAT: 'threat',
  SELF_HARM: 'self_harm',
  SEXUAL: 'sexual',
  DANGEROUS_ADVICE: 'dangerous_advice',
  SPAM: 'spam',
  PRIVACY: 'privacy',
  IMPERSONATION: 'impersonation',
  OTHER: 'other',
} as const;
export type ReportReason = (typeof ReportReason)[keyof typeof ReportReason];
registerEnumType(ReportReason, {
  name: 'ReportReason',
  description: 'Reason of a report. `DANGEROUS_ADVICE`: advice that can harm health.',
});

export const ReportDecision = {
  DISMISS: 'dismiss',
  HIDE: 'hide',
  RESTORE: 'restore',
  WARN: 'warn',
  SUSPEND: 'suspend',
} as const;
export type ReportDecision = (typeof ReportDecision)[keyof typeof ReportDecision];
registerEnumType(ReportDecision, {
  name: 'ReportDecision',
  description:
    'Decision of a moderator on a report. `HIDE`: the comment or message loses its text. `RESTORE`: a hidden one has its text again. `WARN`: the person gets a mail. `SUSPEND`: the person is logged out until a time.',
});

@Noun('report', 'Report of a comment, a message or a person, for moderators.')
@Index<Report>('report_once_comment', ['reporterId', 'commentId'], {
  unique: true,
  where: c => `(${c.closedAt} is null) and (${c.commentId} is not null)`,
})
@Index<Report>('report_once_message', ['reporterId', 'messageId'], {
  unique: true,
  where: c => `(${c.closedAt} is null) and (${c.messageId} is not null)`,
})
@Index<Report>('report_once_person', ['reporterId', 'accusedId'], {
  unique: true,
  where: c => `(${c.closedAt} is null) and (${c.kind} = 'person')`,
})
@Index<Report>('report_waiting', ['id'], { where: c => `${c.closedAt} is null` })
@Index<Report>('report_by_reporter', ['reporterId', 'id'])
@Index<Report>('report_by_accused', ['accusedId', 'id'])
@Index<Report>('report_by_comment', ['commentId'], { where: c => `${c.commentId} is not null` })
@Index<Report>('report_by_message', ['messageId'], { where: c => `${c.messageId} is not null` })
@Check<Report>('report_kind', c => `${c.kind} in ('comment', 'message', 'person')`)
@Check<Report>('report_closed', c => `(${c.closedAt} is null) = (${c.decision} is null)`)
@Personal({
  what: 'Reports that you sent, and reports of others about you; the export has those that you sent',
  purpose: 'let moderators remove harmful content',
  kept: 'until the account is deleted',
  seenBy: 'moderators',
  inExport: ['reports'],
  left: 'the date, the reason and the decision of each report, without names and texts',
})
export class Report {
  @Key()
  id!: number;

  /** Null once the account is erased. */
  @Owner(() => Person, { onDelete: 'set null', null: true })
  reporterId!: number | null;

  @Computed(() => PersonCard, 'Person who reports.')
  reporter!: PersonCard;

  @Choice(() => ReportKind, { about: 'Kind of the reported subject.' })
  kind!: ReportKind;

  @Owner(() => ArticleComment, { onDelete: 'set null', null: true })
  commentId!: number | null;

  @Owner(() => ChatMessage, { onDelete: 'set null', null: true })
  messageId!: string | null;

  /** Null once the account is erased. */
  @Owner(() => Person, { onDelete: 'set null', null: true })
  accusedId!: number | null;

  @Computed(() => PersonCard, 'Person reported, or author of what is reported.')
  accused!: PersonCard;

  @Choice(() => ReportReason, { about: 'Reason that the reporter gave.' })
  reason!: ReportReason;

  @Text({ about: 'Explanation of the reporter, at most 1,000 characters; may be empty.', default: '' })
  text!: string;

  @Text({ about: 'Text of the comment or message when it was reported; empty for a person.', default: '' })
  content!: string;

  @Moment({ about: 'Time of the report.' })
  createdAt!: string;

  @Moment({ about: 'Time of the first decision; null for none.', null: true })
  closedAt!: string | null;

  @Choice(() => ReportDecision, { about: 'Last decision; null for none.', null: true })
  decision!: ReportDecision | null;
}

export const ReportConnection = connectionOf('Report', () => Report, 'reports');
