import { sql } from 'kysely';
import { endSessions } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { refreshTerms } from '../profiles/refresh-terms.ts';
import { audit } from './audit.ts';
import { ownToken } from './log-out.ts';
import { personOf, requireOpenSession } from './person.ts';

type Surroundings = Pick<Context, 'actor' | 'transaction' | 'keys' | 'now' | 'tokens'>;

/**
 * Soft-deletes one's own account: inactive at once, all sessions ended, the address free to register again. What is stored
 * is erased by `eraseAccounts` after the set number of days. A refresh token that is sent along must be one's own.
 */
export async function deleteAccount(context: Surroundings, refresh: string | null | undefined): Promise<void> {
  const person = personOf(context.actor);
  const { userId } = person;
  if (refresh && !(await ownToken(context.tokens, refresh, userId)))
    throw invalidInput({ refresh: ['Token is invalid or belongs to another account.'] });
  await context.transaction(async db => {
    const now = context.now();
    await requireOpenSession(db, person, now);
    const deleted = await sql<{ email: string | null; firstName: string }>`
      update users set is_active = false, deleted_at = ${now}, is_visible_in_community = false
      where id = ${userId} and deleted_at is null returning email, first_name as "firstName"`.execute(db);
    await endSessions({ db, now }, { userId }, 'deleted');
    await sql`delete from registration where user_id = ${userId}`.execute(db);
    await sql`delete from password_reset where user_id = ${userId}`.execute(db);
    await refreshTerms(db, [userId], now);
    await audit(db, userId, 'deleted', now);
    const account = deleted.rows[0];
    if (account?.email) {
      await queueMail(db, context.keys, {
        to: account.email,
        template: 'account-deleted',
        facts: { name: account.firstName },
        at: now,
      });
    }
  });
}
