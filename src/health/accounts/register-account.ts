import { type Kysely, sql } from 'kysely';
import type { RegisteredAccount } from '../../../schema/health/session.ts';
import { hashPassword } from '../../auth/passwords/hash.ts';
import { passwordProblems } from '../../auth/passwords/policy.ts';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { invalidInput } from '../../errors/errors.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { activationLink } from './account-mail.ts';
import { audit } from './audit.ts';
import { emailField } from './email-field.ts';
import { newMailToken, validHours } from './mail-token.ts';

export interface Registration {
  email: string;
  firstName: string;
  lastName: string;
  password: string;
  password2: string;
}

type Surroundings = Pick<Context, 'actor' | 'config' | 'transaction' | 'keys' | 'now' | 'origin' | 'throttle'>;

/** An attempt to register, checked and with its password hashed. */
interface Attempt {
  email: string;
  firstName: string;
  lastName: string;
  passwordHash: string;
}

/**
 * Registers an address: an inactive account and a mail that activates it. Each call is an attempt of its own with its own
 * password; the mail that is answered decides which one counts. A guest who registers keeps the account with all its data.
 * Throws field errors, for an address in use too unless the installation conceals that; throttled by address of origin.
 */
export async function registerAccount(context: Surroundings, input: Registration): Promise<RegisteredAccount> {
  await context.throttle.spend([{ budget: 'register', key: context.actor.ip }]);
  const attempt = { ...check(input), passwordHash: await hashPassword(input.password) };
  const id = await context.transaction(async db => {
    const { actor } = context;
    const claimed =
      actor.kind === 'person' && actor.isGuest
        ? await claimForGuest(db, attempt, actor.userId)
        : await claimAddress(db, attempt, context.now());
    if (claimed.taken) {
      if (context.config.CONCEAL_EXISTING_ACCOUNTS === 'off')
        throw invalidInput({ email: ['user with this email already exists.'] });
      await queueMail(db, context.keys, {
        to: attempt.email,
        template: 'already-registered',
        facts: { name: attempt.firstName },
        at: context.now(),
      });
      return claimed.id;
    }
    await sendActivation(db, context, claimed.id, attempt, claimed.isNew ? 'activation' : 'activation-again');
    await audit(db, claimed.id, 'registered', context.now());
    return claimed.id;
  });
  const { email, firstName, lastName } = attempt;
  return { id, email, firstName, lastName, isActive: false, detail: 'Activation e-mail sent.' };
}

function check(input: Registration): Omit<Attempt, 'passwordHash'> {
  const checks = new Checks();
  const email = emailField(checks, 'email', input.email);
  const firstName = checks.text('first_name', input.firstName, { most: 150 });
  const lastName = checks.text('last_name', input.lastName, { most: 150 });
  if (input.password === '') checks.add('password', 'This field may not be blank.');
  else checks.add('password', ...passwordProblems(input.password, { email, firstName, lastName }));
  if (input.password2 !== input.password) checks.add('password2', "The two password fields didn't match.");
  checks.done();
  return { email, firstName, lastName };
}

interface Claim {
  id: number;
  /** In use by an active account. */
  taken: boolean;
  /** Nobody has tried this address before. */
  isNew: boolean;
}

/** The account of an address: a new inactive one, or the one there is. The unique index decides between calls at once. */
async function claimAddress(db: Kysely<unknown>, { email, firstName, lastName }: Attempt, now: Date): Promise<Claim> {
  const made = await sql<{ id: number }>`
    insert into users (email, first_name, last_name, date_joined, last_seen_at)
    values (${email}, ${firstName}, ${lastName}, ${now}, ${now})
    on conflict (lower(email)) where deleted_at is null and email is not null do nothing returning id`.execute(db);
  const row = made.rows[0];
  if (row) return { id: row.id, taken: false, isNew: true };
  const found = await sql<{ id: number; isActive: boolean }>`
    select id, is_active as "isActive" from users where lower(email) = lower(${email}) and deleted_at is null`.execute(
    db,
  );
  const existing = found.rows[0];
  // It was deleted between the two statements: the caller may simply try again, and so do we.
  if (!existing) return claimAddress(db, { email, firstName, lastName, passwordHash: '' }, now);
  return { id: existing.id, taken: existing.isActive, isNew: false };
}

/** A guest's own account takes the attempt; the address becomes its own at activation. Only an account in use is in the way. */
async function claimForGuest(db: Kysely<unknown>, { email }: Attempt, guest: number): Promise<Claim> {
  const found =
    await sql`select 1 from users where lower(email) = lower(${email}) and deleted_at is null and is_active`.execute(
      db,
    );
  return { id: guest, taken: found.rows.length > 0, isNew: true };
}

/** Stores an attempt and sends its mail. */
async function sendActivation(
  db: Kysely<unknown>,
  { config, keys, now, origin }: Pick<Context, 'config' | 'keys' | 'now' | 'origin'>,
  userId: number,
  attempt: Attempt,
  template: 'activation' | 'activation-again',
): Promise<void> {
  const { token, hash } = newMailToken();
  const created = now();
  const expires = new Date(created.getTime() + validHours.activation * 3_600_000);
  await sql`insert into registration (user_id, token_hash, email, first_name, last_name, password_hash, created_at, expires_at)
    values (${userId}, ${hash}, ${attempt.email}, ${attempt.firstName}, ${attempt.lastName}, ${attempt.passwordHash},
      ${created}, ${expires})`.execute(db);
  await queueMail(db, keys, {
    to: attempt.email,
    template,
    facts: { name: attempt.firstName, link: activationLink(config, origin, token), validHours: validHours.activation },
    at: created,
  });
}

/**
 * Sends the activation mail of the newest attempt for an address again, with a new token in place of the old one.
 * Does nothing for an address without an attempt: nobody can tell from outside.
 */
export async function resendActivation(
  db: Kysely<unknown>,
  context: Pick<Context, 'config' | 'keys' | 'now' | 'origin'>,
  email: string,
): Promise<void> {
  const taken = await sql<Attempt & { userId: number }>`
    delete from registration where id = (
      select r.id from registration r join users u on u.id = r.user_id
      where lower(r.email) = lower(${email}) and u.deleted_at is null and (not u.is_active or u.is_guest)
      order by r.id desc limit 1)
    returning user_id as "userId", email, first_name as "firstName", last_name as "lastName", password_hash as "passwordHash"`.execute(
    db,
  );
  const attempt = taken.rows[0];
  if (attempt) await sendActivation(db, context, attempt.userId, attempt, 'activation-again');
}
