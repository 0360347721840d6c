import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { callingUser } from '../accounts/caller.ts';
import { grantToClient } from '../apps/authorize-app.ts';
import { assertMayAuthorize } from './approve.ts';
import { issueTokens, lockGrant, newSecret, type OauthContext, revokeGrant, type TokenAnswer } from './grant.ts';
import { type ClientIds, findOauthClient, type OauthClient } from './oauth-client.ts';

/** Lifetime of the codes of a device and the interval of its polls, in seconds. */
const device = { lifetimeSeconds: 900, intervalSeconds: 5 };
/** Consonants, so that no code is a word (RFC 8628, section 6.1). Eight of them are 34 bits. */
const userCodeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';

/** Codes of a device, as the endpoint answers them. */
export interface DeviceCodes {
  device_code: string;
  user_code: string;
  expires_in: number;
  interval: number;
}

/** Begins the flow of a device, which shows its user a code. */
export async function startDeviceFlow(
  context: Pick<Context, 'transaction' | 'now'>,
  { appId, oauthAppId }: ClientIds,
  scopes: readonly string[],
): Promise<DeviceCodes> {
  const now = context.now();
  const secret = newSecret();
  const expiresAt = new Date(now.getTime() + device.lifetimeSeconds * 1000);
  const userCode = await context.transaction(async db => {
    for (;;) {
      const made = Array.from({ length: 8 }, () => userCodeAlphabet[randomInt(userCodeAlphabet.length)]).join('');
      const { rows } = await sql`insert into oauth_grant (app_id, oauth_app_id, scopes, flow, code_hash, user_code,
          interval_seconds, created_at, expires_at)
        values (${appId}, ${oauthAppId}, ${[...scopes]}, 'device', ${secret.hash}, ${made}, ${device.intervalSeconds}, ${now},
          ${expiresAt}) on conflict (user_code) where user_code is not null do nothing returning id`.execute(db);
      if (rows.length > 0) return made;
    }
  });
  return {
    device_code: secret.text,
    user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
    expires_in: device.lifetimeSeconds,
    interval: device.intervalSeconds,
  };
}

/** Answers a poll of a device. One that polls too often must wait longer (RFC 8628, section 3.5). */
export async function pollDevice(context: OauthContext, client: OauthClient, deviceCode: string): Promise<TokenAnswer> {
  const now = context.now();
  const answer = await context.transaction<TokenAnswer>(async db => {
    const grant = await lockGrant(db, client, { flow: 'device', code: deviceCode, now });
    if (!grant) return { error: 'incorrect_device_code' };
    if (grant.isUsed) {
      await revokeGrant(db, grant, now);
      return { error: 'incorrect_device_code' };
    }
    if (grant.isExpired) return { error: 'expired_token' };
    const isEarly = grant.sincePollMs !== null && grant.sincePollMs < grant.intervalSeconds * 1000;
    const interval = grant.intervalSeconds + (isEarly ? 5 : 0);
    await sql`update oauth_grant set polled_at = ${now}, interval_seconds = ${interval} where id = ${grant.id}`.execute(
      db,
    );
    if (isEarly) return { error: 'slow_down', interval };
    if (!grant.isDecided) return { error: 'authorization_pending' };
    if (grant.isDenied || !grant.isParentLive) return { error: 'access_denied' };
    return issueTokens(db, client, grant, now);
  });
  if ('error' in answer) context.credentials.invalidate();
  return answer;
}

/** What a device asks for. */
export interface DeviceRequest {
  id: number;
  /** Null where a browser is to be signed in. */
  client: OauthClient | null;
  scopes: string[];
}

/** The undecided request with this user code, written with or without a hyphen; null for none. */
export async function findDeviceRequest(context: Context, userCode: string): Promise<DeviceRequest | null> {
  const code = userCode.replace(/[\s-]/g, '').toUpperCase();
  if (!/^[A-Z]{8}$/.test(code)) return null;
  const [found] = await context.read(sql<{ id: number; scopes: string[]; clientId: string | null }>`
    select g.id, g.scopes, coalesce(a.client_id, o.client_id) as "clientId"
    from oauth_grant g left join app a on a.id = g.app_id left join oauth_app o on o.id = g.oauth_app_id
    where g.user_code = ${code} and g.decided_at is null and g.expires_at > ${context.now()}`);
  if (!found) return null;
  const { id, scopes, clientId } = found;
  const client = clientId === null ? null : await findOauthClient(context, clientId);
  return client || clientId === null ? { id, scopes, client } : null;
}

/**
 * Decides about a device for the caller. A browser gets the scopes of the credential that the caller is signed in with. Returns whether it was undecided until now.
 *
 * @throws 403 for scopes that the caller's credential lacks
 */
export async function decideDevice(
  context: Context,
  { id, client, scopes: requested }: DeviceRequest,
  isApproved: boolean,
): Promise<boolean> {
  assertMayAuthorize(context);
  const { accountId, credential } = callingUser(context.actor);
  const scopes = client || credential.kind !== 'classic' ? requested : [...credential.scopes];
  const parent = isApproved
    ? grantToClient(context, { appId: client?.appId ?? null }, scopes)
    : { parentId: null, parentLastEight: null };
  const now = context.now();
  return context.transaction(async db => {
    const { rows } = await sql`update oauth_grant set account_id = ${accountId}, parent_id = ${parent.parentId},
        parent_last_eight = ${parent.parentLastEight}, scopes = ${[...scopes]}, decided_at = ${now}, is_denied = ${!isApproved}
      where id = ${id} and decided_at is null and expires_at > ${now} returning id`.execute(db);
    return rows.length > 0;
  });
}
