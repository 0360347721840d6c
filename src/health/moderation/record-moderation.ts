import { type Kysely, sql } from 'kysely';
import type { ModerationAction } from '../../../schema/health/moderation-event.ts';

export interface ModerationRecord {
  action: ModerationAction;
  /** Null for the command line. */
  moderatorId: number | null;
  personId: number | null;
  reportId?: number;
  note?: string;
  /** Text that was hidden. */
  content?: string;
  suspendedUntil?: Date;
  at: Date;
}

/** Adds an entry to the audit trail, in the transaction of the action. */
export async function recordModeration(
  db: Kysely<unknown>,
  { action, moderatorId, personId, reportId, note = '', content = '', suspendedUntil, at }: ModerationRecord,
): Promise<void> {
  await sql`insert into moderation_event
      (moderator_id, action, person_id, report_id, note, content, suspended_until, occurred_at)
    values (${moderatorId}, ${action}, ${personId}, ${reportId ?? null}, ${note}, ${content}, ${suspendedUntil ?? null}, ${at})`.execute(
    db,
  );
}
