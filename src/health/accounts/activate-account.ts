import { type Kysely, sql } from 'kysely';
import type { Registration } from '../../../schema/health/person.ts';
import { hashPassword } from '../../auth/passwords/hash.ts';
import { passwordProblems } from '../../auth/passwords/policy.ts';
import { endSessions, openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import type { Read } from '../../db/read.ts';
import { invalidInput } from '../../errors/errors.ts';
import { InputChecks } from '../input/input-checks.ts';
import { refreshMatchingTerms } from '../profiles/matching-terms.ts';
import { findProfile } from './accounts.queries.ts';
import type { RegistrationData } from './activation-mail.ts';
import type { SessionResult } from './log-in.ts';
import { hashMailToken } from './mail-token.ts';
import { recordAuditEvent } from './record-audit-event.ts';
import { countPendingRegistrations, lockAddress } from './registrations.ts';

export interface Activation {
  token: string;
  /** New password; replaces the registered one. */
  password?: string | null | undefined;
  /** Repetition of the password; not compared when absent. */
  password2?: string | null | undefined;
}

type Dependencies = Pick<
  Context,
  'actor' | 'config' | 'device' | 'transaction' | 'now' | 'origin' | 'sql' | 'rateLimiter' | 'tokens'
>;

const invalidTokenError = () => invalidInput({ token: ['Invalid or expired activation token.'] });
const passwordRequiredError = () =>
  invalidInput({
    password: [
      'This address was registered more than once, with different passwords, and none of them is used. Choose the password of the account.',
    ],
  });

/**
 * Activates an account with the token of a mail and opens a session. Ends all earlier sessions of the account and
 * deletes all other registrations of the address.
 *
 * A token proves control of the mailbox, not that the same person registered. The registered password is used only when
 * all pending registrations of the address have the same one. Otherwise `password` is required: the call fails with 400
 * on that field and the token stays valid.
 * @throws field errors; one error for a token that is wrong, used or expired
 */
export async function activateAccount(context: Dependencies, input: Activation): Promise<SessionResult> {
  await context.rateLimiter.charge([{ action: 'mailedToken', key: context.actor.ip }]);
  const tokenHash = hashMailToken(input.token);
  const candidate = await findRegistration(context.sql, tokenHash, context.now());
  if (!candidate) throw invalidTokenError();
  // Hash before the transaction: hashing takes 22 ms or more, and the transaction holds the lock of the address.
  const chosenHash =
    typeof input.password === 'string' ? await hashChosenPassword(input.password, input.password2, candidate) : null;
  return context.transaction(async db => {
    const now = context.now();
    await lockAddress(db, candidate.email);
    // Read again under the lock: the second of two concurrent activations finds no row.
    const registration = await findRegistration(db, tokenHash, now);
    if (!registration) throw invalidTokenError();
    const { passwords } = await countPendingRegistrations(db, registration.email);
    if (chosenHash === null && passwords > 1) throw passwordRequiredError();
    const { userId } = registration;
    await assignAddress(db, registration, chosenHash ?? registration.passwordHash, now);
    await sql`insert into used_activation_link (token_hash, used_at) values (${tokenHash}, ${now})`.execute(db);
    await endSessions({ db, now }, { userId }, 'activated');
    // A guest may have opted in to the community; an activated account can be matched.
    await refreshMatchingTerms(db, [userId]);
    await recordAuditEvent(db, userId, 'activated', now);
    const tokens = await openSession({ db, tokens: context.tokens, now }, { id: userId, isGuest: false }, context);
    const viewer = await findProfile(db, context, userId);
    if (!viewer) throw invalidTokenError();
    return { ...tokens, viewer };
  });
}

/** `open`: it activates an account. `used`: it did. `void`: expired, replaced by a newer one, or never sent. */
export type ActivationLinkState = 'open' | 'used' | 'void';

/** The state of an activation link, for its page. It changes nothing. */
export async function findActivationLinkState(read: Read, token: string, now: Date): Promise<ActivationLinkState> {
  const hash = hashMailToken(token);
  const [found] = await read<{ isOpen: boolean; isUsed: boolean }>(sql`
    select exists (select from registration where token_hash = ${hash} and expires_at > ${now}) as "isOpen",
      exists (select from used_activation_link where token_hash = ${hash}) as "isUsed"`);
  if (found?.isUsed) return 'used';
  return found?.isOpen ? 'open' : 'void';
}

type StoredRegistration = RegistrationData & Pick<Registration, 'userId'>;

async function findRegistration(
  db: Kysely<unknown>,
  tokenHash: string,
  now: Date,
): Promise<StoredRegistration | undefined> {
  const found = await sql<StoredRegistration>`
    select user_id as "userId", email, first_name as "firstName", last_name as "lastName", password_hash as "passwordHash",
      date_of_birth::text as "bornOn"
    from registration where token_hash = ${tokenHash} and expires_at > ${now}`.execute(db);
  return found.rows[0];
}

async function hashChosenPassword(
  password: string,
  password2: string | null | undefined,
  about: RegistrationData,
): Promise<string> {
  const checks = new InputChecks();
  if (password === '') checks.add('password', 'This field may not be blank.');
  else for (const problem of passwordProblems(password, about)) checks.add('password', problem);
  if (typeof password2 === 'string' && password2 !== password)
    checks.add('password2', "The two password fields didn't match.");
  checks.assertPassed();
  return hashPassword(password);
}

/**
 * Gives the address to the account of the registration. Throws `invalidTokenError` when another active account has the
 * address.
 */
async function assignAddress(
  db: Kysely<unknown>,
  { userId, email, firstName, lastName, bornOn }: StoredRegistration,
  passwordHash: string,
  now: Date,
): Promise<void> {
  // A guest takes the address over from an account that was never activated: the token proves ownership of the mailbox.
  await sql`delete from users where lower(email) = lower(${email}) and id <> ${userId}
    and not is_active and deleted_at is null`.execute(db);
  const activated = await sql<{ id: number }>`
    update users set email = ${email}, first_name = ${firstName}, last_name = ${lastName},
      date_of_birth = coalesce(${bornOn}::date, date_of_birth), password_hash = ${passwordHash}, is_active = true, is_verified = true, is_guest = false, last_login = ${now}
    where id = ${userId} and deleted_at is null and (not is_active or is_guest)
      and not exists (select 1 from users other where lower(other.email) = lower(${email})
        and other.deleted_at is null and other.id <> ${userId})
    returning id`.execute(db);
  if (activated.rows.length === 0) throw invalidTokenError();
  // Also by address: registrations of the same address by other guests must not stay usable.
  await sql`delete from registration where user_id = ${userId} or lower(email) = lower(${email})`.execute(db);
}
