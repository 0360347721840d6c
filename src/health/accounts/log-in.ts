import { sql } from 'kysely';
import { hashPassword, verifyDummyPassword, verifyPassword } from '../../auth/passwords/hash.ts';
import { openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { badCredential } from '../../errors/errors.ts';
import { assertLoginAllowed, chargeFailedLogin, clearFailedLogins } from '../../limits/login-limits.ts';
import { canonicalAddress } from '../../mail/mail-address.ts';
import { findProfile, type ProfileRow } from './accounts.queries.ts';
import { recordAuditEvent } from './record-audit-event.ts';

/** Tokens of a new session and whose they are. */
export interface LoginResult {
  access: string;
  refresh: string;
  user: ProfileRow;
  /** What was done, for people. */
  detail: string;
}

type Dependencies = Pick<
  Context,
  'actor' | 'config' | 'transaction' | 'now' | 'origin' | 'sql' | 'rateLimiter' | 'tokens'
>;

const refusedLoginError = (reason: string) =>
  badCredential({ reason }, 'No active account found with the given credentials');

/**
 * Opens a session for whoever knows the password of an active account. Unknown address, wrong password, deleted and inactive
 * accounts get one answer after the same work. That an account merely waits for activation is said to who has its password,
 * unless existing accounts are concealed: who registers an address would learn from it whether it had an account before.
 */
export async function logIn(context: Dependencies, input: { email: string; password: string }): Promise<LoginResult> {
  const { actor, rateLimiter } = context;
  const email = canonicalAddress(input.email.trim());
  await assertLoginAllowed(rateLimiter, email, actor.ip);
  const found = await sql<{ id: number; isActive: boolean; hash: string | null }>`
    select u.id, u.is_active as "isActive",
      case when u.is_active then u.password_hash
        else (select r.password_hash from registration r where r.user_id = u.id order by r.id desc limit 1) end as hash
    from users u where lower(u.email) = lower(${email}) and u.deleted_at is null`.execute(context.sql);
  const account = found.rows[0];
  const verification = account?.hash
    ? await verifyPassword(account.hash, input.password)
    : await verifyDummyPassword(input.password);
  // Concealed means counted, too: attempts that are not refused after ten would tell what the answer does not.
  const isConcealed = account?.isActive === false && context.config.CONCEAL_EXISTING_ACCOUNTS === 'on';
  if (!account || !verification.ok || isConcealed) {
    await chargeFailedLogin(rateLimiter, email, actor.ip);
    throw refusedLoginError('no_active_account');
  }
  // First: it refuses during a pause, when not even a right password may be told.
  await clearFailedLogins(rateLimiter, email, actor.ip);
  if (!account.isActive) throw refusedLoginError('account_not_activated');
  // A better hash can wait for another login; a full queue is no reason to turn this one away.
  const rehashed = verification.needsRehash ? await hashPassword(input.password).catch(() => undefined) : undefined;
  return context.transaction(async db => {
    const now = context.now();
    // Guarded by the hash that was verified: a password changed or an account deleted meanwhile lets nobody in.
    const updated = await sql`update users set last_login = ${now}, password_hash = ${rehashed ?? account.hash}
      where id = ${account.id} and is_active and deleted_at is null and password_hash = ${account.hash} returning id`.execute(
      db,
    );
    if (updated.rows.length === 0) throw refusedLoginError('no_active_account');
    await recordAuditEvent(db, account.id, 'logged_in', now);
    const tokens = await openSession({ db, tokens: context.tokens, now }, { id: account.id, isGuest: false });
    const user = await findProfile(db, context, account.id);
    if (!user) throw refusedLoginError('no_active_account');
    return { ...tokens, user, detail: 'Logged in.' };
  });
}
