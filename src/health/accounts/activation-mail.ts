import { type Kysely, sql } from 'kysely';
import type { Registration } from '../../../schema/health/person.ts';
import type { Context } from '../../context/context.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { buildActivationLink } from './mail-links.ts';
import { newMailToken, validHours } from './mail-token.ts';
import { countPendingRegistrations, lockAddress } from './registrations.ts';

/** One validated registration with its password hash. */
export type RegistrationData = Pick<Registration, 'email' | 'firstName' | 'lastName' | 'passwordHash' | 'bornOn'>;

type Dependencies = Pick<Context, 'config' | 'keys' | 'now' | 'publicOrigin'>;

/**
 * Stores a registration and queues its activation mail, which states the number of pending registrations of the
 * address. The caller holds the lock of the address.
 *
 * @param mail `none` when the mail budget of the address is spent. The registration still counts; otherwise an attacker
 *   could spend the budget to keep another password from being counted. Links of earlier mails stay valid.
 */
export async function storeRegistration(
  db: Kysely<unknown>,
  context: Dependencies,
  userId: number,
  registration: RegistrationData,
  mail: 'first' | 'again' | 'none',
): Promise<void> {
  const { token, hash } = newMailToken();
  const created = context.now();
  const expires = new Date(created.getTime() + validHours.activation * 3_600_000);
  await sql`insert into registration (user_id, token_hash, email, first_name, last_name, password_hash, date_of_birth,
      created_at, expires_at)
    values (${userId}, ${hash}, ${registration.email}, ${registration.firstName}, ${registration.lastName}, ${registration.passwordHash},
      ${registration.bornOn}, ${created}, ${expires})`.execute(db);
  if (mail === 'none') return;
  const { attempts, passwords } = await countPendingRegistrations(db, registration.email);
  await queueMail(db, context.keys, {
    to: registration.email,
    template: mail === 'first' && attempts === 1 ? 'activation' : 'activation-again',
    facts: {
      name: registration.firstName,
      link: buildActivationLink(context, token),
      validHours: validHours.activation,
      registrations: passwords,
    },
    at: created,
  });
}

/**
 * Sends the activation mail of the newest registration of an address again, with a new token that replaces the old one.
 * Does nothing when there is no registration; the response does not reveal which.
 */
export async function resendActivation(db: Kysely<unknown>, context: Dependencies, email: string): Promise<void> {
  await lockAddress(db, email);
  const taken = await sql<RegistrationData & { userId: number }>`
    delete from registration where id = (
      select r.id from registration r join users u on u.id = r.user_id
      where lower(r.email) = lower(${email}) and u.deleted_at is null and (not u.is_active or u.is_guest)
      order by r.id desc limit 1)
    returning user_id as "userId", email, first_name as "firstName", last_name as "lastName", password_hash as "passwordHash",
      date_of_birth::text as "bornOn"`.execute(db);
  const registration = taken.rows[0];
  if (registration) await storeRegistration(db, context, registration.userId, registration, 'again');
}
