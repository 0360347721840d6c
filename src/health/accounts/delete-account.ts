import { sql } from 'kysely';
import { endSessions } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { leaveAllGroups } from '../community/leave-groups.ts';
import { withdrawConsents } from '../consents/consents.ts';
import { refreshMatchingTerms } from '../profiles/matching-terms.ts';
import { findOwnRefreshToken } from './log-out.ts';
import { recordAuditEvent } from './record-audit-event.ts';
import { requireOpenSession, requirePerson } from './require-person.ts';

type Dependencies = Pick<Context, 'actor' | 'config' | 'transaction' | 'keys' | 'now' | 'tokens'>;

/**
 * Soft-deletes the caller's account: deactivates it, ends all sessions, leaves all groups and frees the address for registration.
 * `eraseDeletedAccounts` removes the data after `ERASE_AFTER_DAYS`. A refresh token, if given, must belong to the
 * caller.
 */
export async function deleteAccount(context: Dependencies, refresh: string | null | undefined): Promise<void> {
  const person = requirePerson(context.actor);
  const { userId } = person;
  if (refresh && !(await findOwnRefreshToken(context.tokens, refresh, userId)))
    throw invalidInput({ refreshToken: ['Token is invalid or belongs to another account.'] });
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
