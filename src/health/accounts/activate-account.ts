import { sql } from 'kysely';
import { openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { refreshTerms } from '../profiles/refresh-terms.ts';
import { profileOf } from './accounts.queries.ts';
import { audit } from './audit.ts';
import type { SignedIn } from './log-in.ts';
import { hashOfToken } from './mail-token.ts';

type Surroundings = Pick<Context, 'actor' | 'transaction' | 'now' | 'origin' | 'throttle' | 'tokens'>;

const refused = () => invalidInput({ token: ['Invalid or expired activation token.'] });

/**
 * Activates an account with the credentials of the attempt that the token belongs to, and discards all other attempts.
 * One answer for a token that is wrong, used or expired. Opens a session.
 */
export async function activateAccount(context: Surroundings, token: string): Promise<SignedIn> {
  await context.throttle.spend([{ budget: 'mailedToken', key: context.actor.ip }]);
  return context.transaction(async db => {
    const now = context.now();
    // Deleting is taking: of two clicks at once one gets the row.
    const taken = await sql<{
      userId: number;
      email: string;
      firstName: string;
      lastName: string;
      passwordHash: string;
    }>`
      delete from registration where token_hash = ${hashOfToken(token)} and expires_at > ${now}
      returning user_id as "userId", email, first_name as "firstName", last_name as "lastName", password_hash as "passwordHash"`.execute(
      db,
    );
    const attempt = taken.rows[0];
    if (!attempt) throw refused();
    // A guest takes the address over from an account that was never activated: who answers the mail owns the address.
    await sql`delete from users where lower(email) = lower(${attempt.email}) and id <> ${attempt.userId}
      and not is_active and deleted_at is null`.execute(db);
    const activated = await sql<{ id: number }>`
      update users set email = ${attempt.email}, first_name = ${attempt.firstName}, last_name = ${attempt.lastName},
        password_hash = ${attempt.passwordHash}, is_active = true, is_verified = true, is_guest = false, last_login = ${now}
      where id = ${attempt.userId} and deleted_at is null and (not is_active or is_guest)
        and not exists (select 1 from users other where lower(other.email) = lower(${attempt.email})
          and other.deleted_at is null and other.id <> ${attempt.userId})
      returning id`.execute(db);
    if (activated.rows.length === 0) throw refused();
    await sql`delete from registration where user_id = ${attempt.userId}`.execute(db);
    // A guest may have asked to be found; from now on that can be done.
    await refreshTerms(db, [attempt.userId], now);
    await audit(db, attempt.userId, 'activated', now);
    const tokens = await openSession({ db, tokens: context.tokens, now }, { id: attempt.userId, isGuest: false });
    const user = await profileOf(db, context, attempt.userId);
    if (!user) throw refused();
    return { ...tokens, user, detail: 'Account activated.' };
  });
}
