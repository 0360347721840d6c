import { sql } from 'kysely';
import { hashPassword, verifyDummyPassword, verifyPassword } from '../../auth/passwords/hash.ts';
import { openSession } from '../../auth/sessions.ts';
import type { Context } from '../../context/context.ts';
import { badCredential } from '../../errors/errors.ts';
import { assertLoginAllowed, chargeFailedLogin, clearFailedLogins } from '../../limits/login-limits.ts';
import { canonicalAddress } from '../../mail/mail-address.ts';
import { findProfile, type ProfileRow } from './accounts.queries.ts';
import { recordAuditEvent } from './record-audit-event.ts';

/** Tokens of a session, with the profile of its person. */
export interface SessionResult {
  accessToken: string;
  refreshToken: string;
  viewer: ProfileRow;
}

type Dependencies = Pick<
  Context,
  'actor' | 'config' | 'device' | 'transaction' | 'now' | 'origin' | 'sql' | 'rateLimiter' | 'tokens'
>;

const refusedLoginError = (reason: string) =>
  badCredential({ reason }, 'No active account found with the given credentials');

/**
 * Opens a session for an address and password. An unknown address, a wrong password, and a deleted or inactive account
 * give the same error after the same work. `account_not_activated` is returned only for the right password, and never
 * with `CONCEAL_EXISTING_ACCOUNTS=on`: a registrant could learn from it whether the address already had an account.
 */
export async function logIn(context: Dependencies, input: { email: string; password: string }): Promise<SessionResult> {
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
  // Concealed attempts are counted as failures; otherwise the missing throttle after ten attempts would reveal the
  // account.
  const isConcealed = account?.isActive === false && context.config.CONCEAL_EXISTING_ACCOUNTS === 'on';
  if (!account || !verification.ok || isConcealed) {
    await chargeFailedLogin(rateLimiter, email, actor.ip);
    throw refusedLoginError('no_active_account');
  }
  // First: it refuses during a pause, when not even a right password may be told.
  await clearFailedLogins(rateLimiter, email, actor.ip);
  if (!account.isActive) throw refusedLoginError('account_not_activated');
  // Rehashing is optional: a full hash queue must not fail the login.
  const rehashed = verification.needsRehash ? await hashPassword(input.password).catch(() => undefined) : undefined;
  return context.transaction(async db => {
    const now = context.now();
    // Compares the verified hash: a password change or deletion since then refuses the login.
    const updated = await sql`update users set last_login = ${now}, password_hash = ${rehashed ?? account.hash}
      where id = ${account.id} and is_active and deleted_at is null and password_hash = ${account.hash} returning id`.execute(
      db,
    );
    if (updated.rows.length === 0) throw refusedLoginError('no_active_account');
    await recordAuditEvent(db, account.id, 'logged_in', now);
    const tokens = await openSession({ db, tokens: context.tokens, now }, { id: account.id, isGuest: false }, context);
    const viewer = await findProfile(db, context, account.id);
    if (!viewer) throw refusedLoginError('no_active_account');
    return { ...tokens, viewer };
  });
}
