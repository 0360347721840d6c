import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { activationLink } from './account-mail.ts';
import { newMailToken, validHours } from './mail-token.ts';
import { lockAddress, pendingRegistrations } from './registrations.ts';

/** One registration, checked and with its password hashed. */
export interface Attempt {
  email: string;
  firstName: string;
  lastName: string;
  passwordHash: string;
}

type Surroundings = Pick<Context, 'config' | 'keys' | 'now' | 'publicOrigin'>;

/**
 * Stores an attempt for an account and sends its mail, which says how many registrations wait for the address. To be called
 * with the lock of the address.
 *
 * @param mail `none` where the address has got enough of them: the attempt counts all the same, or its password could be
 *   kept from counting by using up the budget before. Links of other attempts stay good, and are in the owner's mailbox.
 */
export async function storeAttempt(
  db: Kysely<unknown>,
  context: Surroundings,
  userId: number,
  attempt: Attempt,
  mail: 'first' | 'again' | 'none',
): Promise<void> {
  const { token, hash } = newMailToken();
  const created = context.now();
  const expires = new Date(created.getTime() + validHours.activation * 3_600_000);
  await sql`insert into registration (user_id, token_hash, email, first_name, last_name, password_hash, created_at, expires_at)
    values (${userId}, ${hash}, ${attempt.email}, ${attempt.firstName}, ${attempt.lastName}, ${attempt.passwordHash},
      ${created}, ${expires})`.execute(db);
  if (mail === 'none') return;
  const { attempts, passwords } = await pendingRegistrations(db, attempt.email);
  await queueMail(db, context.keys, {
    to: attempt.email,
    template: mail === 'first' && attempts === 1 ? 'activation' : 'activation-again',
    facts: {
      name: attempt.firstName,
      link: activationLink(context, token),
      validHours: validHours.activation,
      registrations: passwords,
    },
    at: created,
  });
}

/**
 * Sends the activation mail of the newest attempt for an address again, with a new token in place of the old one.
 * Does nothing for an address without an attempt: from outside the two look the same.
 */
export async function resendActivation(db: Kysely<unknown>, context: Surroundings, email: string): Promise<void> {
  await lockAddress(db, email);
  const taken = await sql<Attempt & { userId: number }>`
    delete from registration where id = (
      select r.id from registration r join users u on u.id = r.user_id
      where lower(r.email) = lower(${email}) and u.deleted_at is null and (not u.is_active or u.is_guest)
      order by r.id desc limit 1)
    returning user_id as "userId", email, first_name as "firstName", last_name as "lastName", password_hash as "passwordHash"`.execute(
    db,
  );
  const attempt = taken.rows[0];
  if (attempt) await storeAttempt(db, context, attempt.userId, attempt, 'again');
}
