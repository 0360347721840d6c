import { type Kysely, sql } from 'kysely';
import type { AuditKind } from '../../../schema/health/audit-event.ts';

/** Records an event about the credentials of an account, in the transaction of the change. */
export async function recordAuditEvent(
  db: Kysely<unknown>,
  userId: number,
  kind: (typeof AuditKind)[keyof typeof AuditKind],
  at: Date,
): Promise<void> {
  await sql`insert into audit_event (user_id, kind, at) values (${userId}, ${kind}, ${at})`.execute(db);
}
