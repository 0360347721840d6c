import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { OauthGrant } from '../../../schema/hosting/oauth-grant.ts';
import { isLive } from '../../auth/credentials/stored-token.ts';
import { encodeBase62, storedHash } from '../../auth/hosting-token.ts';
import type { Context } from '../../context/context.ts';
import { userTokenLifetimeMs } from '../apps/authorize-app.ts';
import { insertCredential } from '../credentials/insert-credential.ts';
import { revokeWhere } from '../credentials/revoke-token.ts';
import { type ClientIds, isOfClient, type OauthClient } from './oauth-client.ts';

/** Published errors of the token endpoint, with their descriptions. */
export const oauthErrors = {
  access_denied: 'The authorization request was denied.',
  authorization_pending: 'The authorization request is still pending.',
  bad_refresh_token: 'The refresh token passed is incorrect or expired.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  expired_token: 'The device_code has expired.',
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  incorrect_device_code: 'The device_code provided is not valid.',
  invalid_scope: 'A scope of the request is unknown.',
  redirect_uri_mismatch: 'The redirect_uri MUST match the registered callback URL for this application.',
  slow_down: 'Too many requests have been made in the same timeframe.',
  unsupported_grant_type: 'The grant type is not supported.',
} as const;
export type OauthErrorName = keyof typeof oauthErrors;

/** The answer of the token endpoint. Its status is 200, also for an error. */
export type TokenAnswer =
  | { error: OauthErrorName; interval?: number }
  | {
      access_token: string;
      expires_in?: number;
      refresh_token?: string;
      refresh_token_expires_in?: number;
      scope: string;
      token_type: 'bearer';
    };

export type OauthContext = Pick<Context, 'transaction' | 'now' | 'credentials'>;

/** Six months, in milliseconds. */
const refreshTokenLifetimeMs = 184 * 24 * 60 * 60_000;

/** A random text of 238 bits and its SHA-256, which is what is stored. */
export function newSecret(prefix = ''): { text: string; hash: Buffer } {
  const text = `${prefix}${encodeBase62(randomBytes(40))}`;
  return { text, hash: storedHash(text) };
}

/** A grant as the exchanges need it. */
export type GrantRow = Pick<
  OauthGrant,
  'id' | 'accountId' | 'parentId' | 'parentLastEight' | 'scopes' | 'flow' | 'redirectUri' | 'codeChallenge'
> &
  Pick<OauthGrant, 'credentialId' | 'intervalSeconds' | 'isDenied'> & {
    isExpired: boolean;
    isUsed: boolean;
    isDecided: boolean;
    /** Whether the credential that the user signed in with is valid. */
    isParentLive: boolean;
    /** Milliseconds since the last poll of the device; null before the first. */
    sincePollMs: number | null;
  };

/** SQL: the columns of a `GrantRow` over `g` (oauth_grant). */
export const grantColumns = (now: Date) => sql`g.id, g.account_id as "accountId", g.parent_id as "parentId",
  g.parent_last_eight as "parentLastEight", g.scopes, g.flow, g.redirect_uri as "redirectUri",
  g.code_challenge as "codeChallenge", g.credential_id as "credentialId", g.interval_seconds as "intervalSeconds",
  g.is_denied as "isDenied", g.expires_at <= ${now} as "isExpired", g.used_at is not null as "isUsed",
  g.decided_at is not null as "isDecided", ${isLive(sql`g.parent_id`, now)} as "isParentLive",
  (extract(epoch from ${now}::timestamptz - g.polled_at) * 1000)::float8 as "sincePollMs"`;

/** Locks the grant of a flow with this code; undefined where the client has none. */
export async function lockGrant(
  db: Kysely<unknown>,
  client: ClientIds,
  { flow, code, now }: { flow: GrantRow['flow']; code: string; now: Date },
): Promise<GrantRow | undefined> {
  const { rows } = await sql<GrantRow>`select ${grantColumns(now)} from oauth_grant g
    where g.code_hash = ${storedHash(code)} and g.flow = ${flow} and ${isOfClient(client, 'g')} for update of g`.execute(
    db,
  );
  return rows[0];
}

/** Issues the tokens of a grant in its transaction, which holds the lock of the row. The code of the grant is used by that. */
export async function issueTokens(
  db: Kysely<unknown>,
  { appId, oauthAppId }: OauthClient,
  { id, accountId, parentId, parentLastEight, scopes }: GrantRow,
  now: Date,
): Promise<TokenAnswer> {
  const isExpiring = appId !== null;
  const expiresAt = isExpiring ? new Date(now.getTime() + userTokenLifetimeMs) : null;
  const { token, credential } = await insertCredential(
    db,
    {
      kind: isExpiring ? 'user_to_server' : 'oauth',
      accountId,
      scopes,
      appId,
      oauthAppId,
      parentId,
      parentLastEight,
      expiresAt,
    },
    now,
  );
  await sql`update oauth_grant set credential_id = ${credential.databaseId}, used_at = coalesce(used_at, ${now})
    where id = ${id}`.execute(db);
  const answer = { access_token: token, scope: scopes.join(','), token_type: 'bearer' } as const;
  if (!isExpiring) return answer;
  const refresh = newSecret('hostr_');
  await sql`insert into oauth_refresh_token (grant_id, hash, created_at, expires_at)
    values (${id}, ${refresh.hash}, ${now}, ${new Date(now.getTime() + refreshTokenLifetimeMs)})`.execute(db);
  return {
    ...answer,
    expires_in: userTokenLifetimeMs / 1000,
    refresh_token: refresh.text,
    refresh_token_expires_in: refreshTokenLifetimeMs / 1000,
  };
}

/**
 * Ends a grant whose code or refresh token was used twice: one of the two users stole it. Its refresh tokens are valid only as
 * long as its newest token is not revoked.
 */
export async function revokeGrant(db: Kysely<unknown>, { credentialId }: GrantRow, now: Date): Promise<void> {
  if (credentialId !== null) await revokeWhere(db, sql`id = ${credentialId}`, now);
}
