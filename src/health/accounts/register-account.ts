import { type Kysely, sql } from 'kysely';
import type { RegisteredAccount } from '../../../schema/health/session.ts';
import { hashPassword } from '../../auth/passwords/hash.ts';
import { passwordProblems } from '../../auth/passwords/policy.ts';
import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { tryChargeMail } from '../../limits/mail-limits.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { InputChecks } from '../input/input-checks.ts';
import { registeredNameLimits } from './account-limits.ts';
import { type RegistrationData, storeRegistration } from './activation-mail.ts';
import { checkBirth } from './check-birth.ts';
import { checkEmail } from './check-email.ts';
import { recordAuditEvent } from './record-audit-event.ts';
import { lockAddress, registrationSalt } from './registrations.ts';

export interface Registration {
  email: string;
  firstName: string;
  lastName: string;
  password: string;
  /** Repetition of the password; not compared when absent. */
  password2?: string | null | undefined;
  /** `YYYY-MM-DD`. */
  bornOn?: string | null | undefined;
}

type Dependencies = Pick<Context, 'actor' | 'config' | 'transaction' | 'keys' | 'now' | 'publicOrigin' | 'rateLimiter'>;

/**
 * Registers an address: creates an inactive account and sends an activation mail. Each call is a separate registration
 * with its own password; activation uses it when no other password is pending for the address. A registering guest
 * keeps the account and its data. Rate limited by IP address.
 *
 * @returns the id of the account; with `CONCEAL_EXISTING_ACCOUNTS=on`, an unused id for all but guests, because the id
 *   of an older account would reveal it
 * @throws field errors, also for an address in use unless existing accounts are concealed
 */
export async function registerAccount(context: Dependencies, input: Registration): Promise<RegisteredAccount> {
  await context.rateLimiter.charge([{ action: 'register', key: context.actor.ip }]);
  const { actor, config, keys, rateLimiter, now } = context;
  const fields = validateRegistration(input, context);
  const { email, firstName, lastName } = fields;
  const registration = { ...fields, passwordHash: await hashPassword(input.password, registrationSalt(keys, email)) };
  const mayMail = await tryChargeMail(rateLimiter, 'registration', email, actor.ip);
  const id = await context.transaction(async db => {
    await lockAddress(db, email);
    const guest = actor.kind === 'person' && actor.isGuest ? actor.userId : undefined;
    const claimed =
      guest === undefined ? await claimAddress(db, registration, now()) : await claimForGuest(db, email, guest);
    if (claimed.taken) {
      if (config.CONCEAL_EXISTING_ACCOUNTS === 'off')
        throw invalidInput({ email: ['user with this email already exists.'] });
      if (mayMail)
        await queueMail(db, keys, { to: email, template: 'already-registered', facts: { name: firstName }, at: now() });
    } else {
      await storeRegistration(db, context, claimed.id, registration, mayMail ? 'first' : 'none');
      await recordAuditEvent(db, claimed.id, 'registered', now());
    }
    return config.CONCEAL_EXISTING_ACCOUNTS === 'on' && guest === undefined ? reserveUserId(db) : claimed.id;
  });
  return { databaseId: id, email, firstName, lastName };
}

/** Every concealed registration consumes two ids, for new and existing addresses alike, so that gaps reveal nothing. */
async function reserveUserId(db: Kysely<unknown>): Promise<number> {
  const next = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('users', 'id')) as id`.execute(db);
  return next.rows[0]?.id ?? 0;
}

function validateRegistration(
  input: Registration,
  context: Pick<Context, 'config' | 'now'>,
): Omit<RegistrationData, 'passwordHash'> {
  const checks = new InputChecks();
  const email = checkEmail(checks, 'email', input.email);
  const firstName = checks.name('firstName', input.firstName, registeredNameLimits);
  const lastName = checks.name('lastName', input.lastName, registeredNameLimits);
  if (input.password === '') checks.add('password', 'This field may not be blank.');
  else
    for (const problem of passwordProblems(input.password, { email, firstName, lastName }))
      checks.add('password', problem);
  if (typeof input.password2 === 'string' && input.password2 !== input.password)
    checks.add('password2', "The two password fields didn't match.");
  const bornOn = checkBirth(input.bornOn, checks, context) ?? null;
  checks.assertPassed();
  return { email, firstName, lastName, bornOn };
}

interface AddressClaim {
  id: number;
  /** An active account has the address. */
  taken: boolean;
}

/** Returns the account of an address, or inserts an inactive one. The unique index decides between concurrent calls. */
async function claimAddress(
  db: Kysely<unknown>,
  registration: Omit<RegistrationData, 'passwordHash'>,
  now: Date,
): Promise<AddressClaim> {
  const { email, firstName, lastName } = registration;
  const made = await sql<{ id: number }>`
    insert into users (email, first_name, last_name, date_joined, last_seen_at)
    values (${email}, ${firstName}, ${lastName}, ${now}, ${now})
    on conflict (lower(email)) where deleted_at is null and email is not null do nothing returning id`.execute(db);
  const row = made.rows[0];
  if (row) return { id: row.id, taken: false };
  const found = await sql<{ id: number; isActive: boolean }>`
    select id, is_active as "isActive" from users where lower(email) = lower(${email}) and deleted_at is null
    for key share`.execute(db);
  const existing = found.rows[0];
  // Deleted between the two statements: try again.
  if (!existing) return claimAddress(db, registration, now);
  return { id: existing.id, taken: existing.isActive };
}

/**
 * Stores the registration with the guest's account; the address is assigned at activation. Only an active account
 * blocks it.
 */
async function claimForGuest(db: Kysely<unknown>, email: string, guest: number): Promise<AddressClaim> {
  const found =
    await sql`select 1 from users where lower(email) = lower(${email}) and deleted_at is null and is_active`.execute(
      db,
    );
  return { id: guest, taken: found.rows.length > 0 };
}
