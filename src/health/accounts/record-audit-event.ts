import { type Kysely, sql } from 'kysely';
import type { AuditKind } from '../../../schema/health/audit-event.ts';

/** Notes, in the transaction of the change, what happened to somebody's credentials. */
export async function recordAuditEvent(
  db: Kysely<unknown>,
  userId: number,
  kind: (typeof AuditKind)[keyof typeof AuditKind],
  at: Date,
): Promise<void> {
  await sql`insert into audit_event (user_id, kind, at) values (${userId}, ${kind}, ${at})`.execute(db);
}
