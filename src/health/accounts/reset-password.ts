import { type Kysely, sql } from 'kysely';
import { hashPassword } from '../../auth/passwords/hash.ts';
import type { Context } from '../../context/context.ts';
import { invalidInput } from '../../errors/errors.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { InputChecks } from '../input/input-checks.ts';
import { resendActivation } from './activation-mail.ts';
import { checkNewPassword, finishPasswordChange, type PasswordChange } from './change-password.ts';
import { buildPasswordResetLink } from './mail-links.ts';
import { hashMailToken, newMailToken, validHours } from './mail-token.ts';
import { recordAuditEvent } from './record-audit-event.ts';

type Dependencies = Pick<Context, 'actor' | 'transaction' | 'keys' | 'now' | 'sql' | 'rateLimiter'>;

const invalidTokenError = () => invalidInput({ token: ['Invalid or expired password reset token.'] });

/** Sets a new password with the token of a mail. Ends every session and opens none. Returns the time of the change. */
export async function confirmPasswordReset(
  context: Dependencies,
  input: { token: string } & Pick<PasswordChange, 'newPassword' | 'newPassword2'>,
): Promise<Date> {
  await context.rateLimiter.charge([{ action: 'mailedToken', key: context.actor.ip }]);
  const hash = hashMailToken(input.token);
  const now = context.now();
  const found = await sql<{ id: number; email: string; firstName: string; lastName: string }>`
    select u.id, u.email, u.first_name as "firstName", u.last_name as "lastName"
    from password_reset r join users u on u.id = r.user_id
    where r.token_hash = ${hash} and r.expires_at > ${now} and u.is_active and u.deleted_at is null`.execute(
    context.sql,
  );
  const account = found.rows[0];
  if (!account) throw invalidTokenError();
  const checks = new InputChecks();
  checkNewPassword(checks, input, account);
  checks.assertPassed();
  const passwordHash = await hashPassword(input.newPassword);
  await context.transaction(async db => {
    // Deleting the row consumes the token: of two concurrent requests one succeeds.
    const used =
      await sql`delete from password_reset where token_hash = ${hash} and expires_at > ${now} returning id`.execute(db);
    if (used.rows.length === 0) throw invalidTokenError();
    await sql`update users set password_hash = ${passwordHash} where id = ${account.id} and deleted_at is null`.execute(
      db,
    );
    await finishPasswordChange(db, context, account, 'password_reset');
  });
  return now;
}

/**
 * Sends a reset mail to the active account of an address, an activation mail when the account was never activated, and
 * nothing when there is none. Runs as a job, so that the response and its time do not depend on the address.
 */
export async function sendPasswordReset(
  db: Kysely<unknown>,
  context: Pick<Context, 'config' | 'keys' | 'now' | 'publicOrigin'>,
  email: string,
): Promise<void> {
  const found = await sql<{ id: number; email: string; firstName: string }>`
    select id, email, first_name as "firstName" from users
    where lower(email) = lower(${email}) and is_active and deleted_at is null`.execute(db);
  const account = found.rows[0];
  if (!account) return resendActivation(db, context, email);
  const { token, hash } = newMailToken();
  const created = context.now();
  const expires = new Date(created.getTime() + validHours.passwordReset * 3_600_000);
  // A new mail invalidates the links of earlier ones.
  await sql`delete from password_reset where user_id = ${account.id}`.execute(db);
  await sql`insert into password_reset (user_id, token_hash, created_at, expires_at)
    values (${account.id}, ${hash}, ${created}, ${expires})`.execute(db);
  await recordAuditEvent(db, account.id, 'password_reset_requested', created);
  await queueMail(db, context.keys, {
    to: account.email,
    template: 'password-reset',
    facts: {
      name: account.firstName,
      link: buildPasswordResetLink(context, token),
      validHours: validHours.passwordReset,
    },
    at: created,
  });
}
