import { type Kysely, sql } from 'kysely';
import { hashPassword, verifyPassword } from '../../auth/passwords/hash.ts';
import { passwordProblems } from '../../auth/passwords/policy.ts';
import { endSessions, openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { invalidInput, notFound } from '../../errors/errors.ts';
import { assertLoginAllowed, chargeFailedLogin, clearFailedLogins } from '../../limits/login-limits.ts';
import { queueMail } from '../../mail/send-mail.ts';
import { InputChecks } from '../input/input-checks.ts';
import { findProfile } from './accounts.queries.ts';
import type { SessionResult } from './log-in.ts';
import { recordAuditEvent } from './record-audit-event.ts';
import { requirePerson } from './require-person.ts';

export interface PasswordChange {
  oldPassword: string;
  newPassword: string;
  /** Repetition of the new password; not compared when absent. */
  newPassword2?: string | null | undefined;
}

type Dependencies = Pick<
  Context,
  'actor' | 'config' | 'device' | 'transaction' | 'keys' | 'now' | 'origin' | 'sql' | 'rateLimiter' | 'tokens'
>;

/** Changes the caller's password. Ends every session, opens a new one for the caller and notifies the owner by mail. */
export async function changePassword(context: Dependencies, input: PasswordChange): Promise<SessionResult> {
  const { userId, ip } = requirePerson(context.actor);
  const found = await sql<{ email: string; firstName: string; lastName: string; hash: string }>`
    select email, first_name as "firstName", last_name as "lastName", password_hash as hash
    from users where id = ${userId} and is_active and deleted_at is null and password_hash is not null`.execute(
    context.sql,
  );
  const account = found.rows[0];
  if (!account) throw notFound();
  // A stolen session must not become a place to guess the password at.
  await assertLoginAllowed(context.rateLimiter, account.email, ip);
  const { ok } = await verifyPassword(account.hash, input.oldPassword);
  if (!ok) {
    await chargeFailedLogin(context.rateLimiter, account.email, ip);
    throw invalidInput({ oldPassword: ['Invalid password.'] });
  }
  await clearFailedLogins(context.rateLimiter, account.email, ip);
  const checks = new InputChecks();
  checkNewPassword(checks, input, account);
  if (input.newPassword === input.oldPassword)
    checks.add('newPassword', 'The new password must differ from the old one.');
  checks.assertPassed();
  const hash = await hashPassword(input.newPassword);
  return context.transaction(async db => {
    const now = context.now();
    const changed = await sql`update users set password_hash = ${hash}
      where id = ${userId} and password_hash = ${account.hash} and deleted_at is null returning id`.execute(db);
    if (changed.rows.length === 0) throw invalidInput({ oldPassword: ['Invalid password.'] });
    await finishPasswordChange(db, context, { id: userId, ...account }, 'password_changed');
    const tokens = await openSession({ db, tokens: context.tokens, now }, { id: userId, isGuest: false }, context);
    const viewer = await findProfile(db, context, userId);
    if (!viewer) throw notFound();
    return { ...tokens, viewer };
  });
}

/** Adds the problems of a new password to `checks`. */
export function checkNewPassword(
  checks: InputChecks,
  { newPassword, newPassword2 }: Pick<PasswordChange, 'newPassword' | 'newPassword2'>,
  about: { email: string; firstName: string; lastName: string },
): void {
  if (newPassword === '') checks.add('newPassword', 'This field may not be blank.');
  else for (const problem of passwordProblems(newPassword, about)) checks.add('newPassword', problem);
  if (typeof newPassword2 === 'string' && newPassword2 !== newPassword)
    checks.add('newPassword2', "The two password fields didn't match.");
}

/** Ends all sessions, deletes reset tokens, records the event and notifies the owner by mail. */
export async function finishPasswordChange(
  db: Kysely<unknown>,
  { keys, now }: Pick<Context, 'keys' | 'now'>,
  account: { id: number; email: string; firstName: string },
  kind: 'password_changed' | 'password_reset',
): Promise<void> {
  const at = now();
  await endSessions({ db, now: at }, { userId: account.id }, kind);
  await sql`delete from password_reset where user_id = ${account.id}`.execute(db);
  await recordAuditEvent(db, account.id, kind, at);
  await queueMail(db, keys, {
    to: account.email,
    template: 'password-changed',
    facts: { name: account.firstName },
    at,
  });
}
