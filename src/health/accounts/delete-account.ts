import { sql } from 'kysely';
import { endSessions } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { leaveAllGroups } from '../community/leave-groups.ts';
import { withdrawConsents } from '../consents/consents.ts';
import { refreshMatchingTerms } from '../profiles/matching-terms.ts';
import { recordAuditEvent } from './record-audit-event.ts';
import { requireOpenSession, requirePerson } from './require-person.ts';

type Dependencies = Pick<Context, 'actor' | 'config' | 'transaction' | 'keys' | 'now'>;

/**
 * Soft-deletes the caller's account: deactivates it, ends all sessions, leaves all groups and frees the address for registration.
 * `eraseDeletedAccounts` removes the data after `ERASE_AFTER_DAYS`. A refresh token that is sent
 * ends with all others of the account, and one of somebody else is not touched.
 */
export async function deleteAccount(context: Dependencies): Promise<void> {
  const person = requirePerson(context.actor);
  const { userId } = person;
  await context.transaction(async db => {
    const now = context.now();
    await requireOpenSession(db, person, now);
    const deleted = await sql<{ email: string | null; firstName: string }>`
      update users set is_active = false, deleted_at = ${now}, is_visible_in_community = false
      where id = ${userId} and deleted_at is null returning email, first_name as "firstName"`.execute(db);
    await endSessions({ db, now }, { userId }, 'deleted');
    await withdrawConsents(db, userId, now);
    await sql`delete from registration where user_id = ${userId}`.execute(db);
    await sql`delete from password_reset where user_id = ${userId}`.execute(db);
    // At once and not on erasure: a deleted account can neither let others into its groups nor hand them over.
    await leaveAllGroups(db, [userId]);
    await refreshMatchingTerms(db, [userId]);
    await recordAuditEvent(db, userId, 'deleted', now);
    const account = deleted.rows[0];
    if (account?.email) {
      await queueMail(db, context.keys, {
        to: account.email,
        template: 'account-deleted',
        facts: {
          name: account.firstName,
          erasure: { accountId: userId, afterDays: context.config.ERASE_AFTER_DAYS },
        },
        at: now,
      });
    }
  });
}
