import { type Kysely, sql } from 'kysely';
import { hashPassword } from '../../auth/passwords/hash.ts';
import { passwordProblems } from '../../auth/passwords/policy.ts';
import { endSessions, openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { invalidInput } from '../../errors/errors.ts';
import { refreshTerms } from '../profiles/refresh-terms.ts';
import { profileOf } from './accounts.queries.ts';
import type { Attempt } from './activation-mail.ts';
import { audit } from './audit.ts';
import type { SignedIn } from './log-in.ts';
import { hashOfToken } from './mail-token.ts';
import { lockAddress, pendingRegistrations } from './registrations.ts';

export interface Activation {
  token: string;
  /** The password to set, in place of the registered one. */
  password?: string | null | undefined;
  /** The same once more; not compared when left out. */
  password2?: string | null | undefined;
}

type Surroundings = Pick<Context, 'actor' | 'transaction' | 'now' | 'origin' | 'sql' | 'throttle' | 'tokens'>;

const refused = () => invalidInput({ token: ['Invalid or expired activation token.'] });
const passwordNeeded = () =>
  invalidInput({
    password: [
      'This address was registered more than once, with different passwords, and none of them is used. Choose the password of the account.',
    ],
  });

/**
 * Activates an account with the token of a mail and opens a session; every earlier session of the account ends, and all
 * other registrations of the address are void.
 *
 * A token proves the mailbox, and not that its reader made any of the registrations. The password of the registration is
 * adopted where it is the only one that waits for the address. Where there are several, `password` is needed: 400 with that
 * field until it is given, and the token stays good. One answer for a token that is wrong, used or expired.
 */
export async function activateAccount(context: Surroundings, input: Activation): Promise<SignedIn> {
  await context.throttle.spend([{ budget: 'mailedToken', key: context.actor.ip }]);
  const tokenHash = hashOfToken(input.token);
  const waiting = await findAttempt(context.sql, tokenHash, context.now());
  if (!waiting) throw refused();
  // Before the transaction: hashing takes 22 ms and may have to wait, and the lock of the address is held until the end.
  const chosen = typeof input.password === 'string' ? await hashChosen(input.password, input.password2, waiting) : null;
  return context.transaction(async db => {
    const now = context.now();
    await lockAddress(db, waiting.email);
    // Read again: of two activations at once the second finds no row.
    const attempt = await findAttempt(db, tokenHash, now);
    if (!attempt) throw refused();
    const { passwords } = await pendingRegistrations(db, attempt.email);
    if (chosen === null && passwords > 1) throw passwordNeeded();
    const { userId } = attempt;
    await takeAddress(db, attempt, chosen ?? attempt.passwordHash, now);
    await endSessions({ db, now }, { userId }, 'activated');
    // A guest may have asked to be found; from now on that can be done.
    await refreshTerms(db, [userId], now);
    await audit(db, userId, 'activated', now);
    const tokens = await openSession({ db, tokens: context.tokens, now }, { id: userId, isGuest: false });
    const user = await profileOf(db, context, userId);
    if (!user) throw refused();
    return { ...tokens, user, detail: 'Account activated.' };
  });
}

interface FoundAttempt extends Attempt {
  userId: number;
}

async function findAttempt(db: Kysely<unknown>, tokenHash: string, now: Date): Promise<FoundAttempt | undefined> {
  const found = await sql<FoundAttempt>`
    select user_id as "userId", email, first_name as "firstName", last_name as "lastName", password_hash as "passwordHash"
    from registration where token_hash = ${tokenHash} and expires_at > ${now}`.execute(db);
  return found.rows[0];
}

async function hashChosen(password: string, password2: string | null | undefined, about: Attempt): Promise<string> {
  const checks = new Checks();
  if (password === '') checks.add('password', 'This field may not be blank.');
  else checks.add('password', ...passwordProblems(password, about));
  if (typeof password2 === 'string' && password2 !== password)
    checks.add('password2', "The two password fields didn't match.");
  checks.done();
  return hashPassword(password);
}

/** Makes the account of the attempt the one account of its address. Throws `refused` where the address has another one. */
async function takeAddress(
  db: Kysely<unknown>,
  { userId, email, firstName, lastName }: FoundAttempt,
  passwordHash: string,
  now: Date,
): Promise<void> {
  // A guest takes the address over from an account that was never activated: who answers the mail owns the address.
  await sql`delete from users where lower(email) = lower(${email}) and id <> ${userId}
    and not is_active and deleted_at is null`.execute(db);
  const activated = await sql<{ id: number }>`
    update users set email = ${email}, first_name = ${firstName}, last_name = ${lastName},
      password_hash = ${passwordHash}, is_active = true, is_verified = true, is_guest = false, last_login = ${now}
    where id = ${userId} and deleted_at is null and (not is_active or is_guest)
      and not exists (select 1 from users other where lower(other.email) = lower(${email})
        and other.deleted_at is null and other.id <> ${userId})
    returning id`.execute(db);
  if (activated.rows.length === 0) throw refused();
  // By address too: what other guests have registered it with must not wait until its owner deletes the account.
  await sql`delete from registration where user_id = ${userId} or lower(email) = lower(${email})`.execute(db);
}
