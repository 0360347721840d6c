import { sql } from 'kysely';
import { isLive } from '../../auth/credentials/stored-token.ts';
import { storedHash } from '../../auth/hosting-token.ts';
import type { Context } from '../../context/context.ts';
import { callingUser } from '../accounts/caller.ts';
import { insertCredential } from '../credentials/insert-credential.ts';
import { revokeWhere } from '../credentials/revoke-token.ts';
import { type DeviceCodes, startDeviceFlow } from './device-flow.ts';
import { lockGrant, type OauthContext, revokeGrant } from './grant.ts';
import type { ClientIds } from './oauth-client.ts';

/** The server's own pages, as the client of a device grant (RFC 8628). */
const ownPages: ClientIds = { appId: null, oauthAppId: null };

/** Begins the sign-in of a browser by a code, which its user types in a browser that is signed in. */
export const startBrowserSignIn = (context: Pick<Context, 'transaction' | 'now'>): Promise<DeviceCodes> =>
  startDeviceFlow(context, ownPages, []);

/** How far the sign-in of a browser is. */
export type BrowserSignInState =
  | { state: 'pending'; userCode: string }
  | { state: 'approved'; login: string }
  | { state: 'denied' };

/** The state of a sign-in that was begun with `deviceCode`; null for one that has expired or is done. */
export async function findBrowserSignIn(
  { read, now }: Pick<Context, 'read' | 'now'>,
  deviceCode: string,
): Promise<BrowserSignInState | null> {
  const [found] = await read(sql<{ userCode: string; isDecided: boolean; login: string | null }>`
    select g.user_code as "userCode", g.decided_at is not null as "isDecided",
      case when not g.is_denied and ${isLive(sql`g.parent_id`, now())} then a.login end as login
    from oauth_grant g left join account a on a.id = g.account_id
    where g.code_hash = ${storedHash(deviceCode)} and g.app_id is null and g.oauth_app_id is null and g.used_at is null
      and g.expires_at > ${now()}`);
  if (!found) return null;
  const { userCode, isDecided, login } = found;
  if (!isDecided) return { state: 'pending', userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}` };
  return login === null ? { state: 'denied' } : { state: 'approved', login };
}

/**
 * Ends the sign-in of a browser: a classic token for `lifetimeMs`, which ends with the credential that approved it and is good in the
 * organizations with single sign-on that this one is authorized for. A code is good once; its second use revokes the token.
 *
 * @returns null unless the sign-in was approved
 */
export async function finishBrowserSignIn(
  context: OauthContext,
  deviceCode: string,
  lifetimeMs: number,
): Promise<string | null> {
  const now = context.now();
  return context.transaction(async db => {
    const grant = await lockGrant(db, ownPages, { flow: 'device', code: deviceCode, now });
    if (!grant) return null;
    if (grant.isUsed) {
      await revokeGrant(db, grant, now);
      return null;
    }
    if (grant.isExpired || !grant.isDecided || grant.isDenied || !grant.isParentLive) return null;
    const { id, accountId, parentId, parentLastEight, scopes } = grant;
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    const { token, credential } = await insertCredential(
      db,
      { kind: 'classic', accountId, note: 'Browser', scopes, parentId, parentLastEight, expiresAt },
      now,
    );
    await sql`insert into sso_authorization (credential_id, organization_id, authorized_at, authorized_by_ids)
      select ${credential.databaseId}, organization_id, ${now}, authorized_by_ids || credential_id
      from sso_authorization where credential_id = ${parentId}`.execute(db);
    await sql`update oauth_grant set credential_id = ${credential.databaseId}, used_at = ${now} where id = ${id}`.execute(
      db,
    );
    return token;
  });
}

/** Revokes the token that the sign-in by a code gave the browser of the caller. */
export async function endBrowserSignIn(context: Context): Promise<void> {
  const { credential } = callingUser(context.actor);
  await context.transaction(db => revokeWhere(db, sql`id = ${credential.id}`, context.now()));
  context.credentials.invalidate();
}
