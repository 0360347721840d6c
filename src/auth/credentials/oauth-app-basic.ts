import { timingSafeEqual } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { OauthAppActor } from '../actor.ts';
import { hashToken } from '../hosting-token.ts';
import { isLive } from './stored-token.ts';

/** The one thing that is taken with Basic. A user name and a password are not: there are no passwords. */
export interface ClientCredentials {
  clientId: string;
  secret: string;
}

interface ClientRow {
  appId: number | null;
  oauthAppId: number | null;
  secretHash: Buffer;
}

/** The client id and secret of a Basic header's payload; undefined for what cannot be one. Any secret: a wrong one counts for its app. */
export function parseClientCredentials(payload: string): ClientCredentials | undefined {
  if (!/^[A-Za-z0-9+/]{1,4000}={0,2}$/.test(payload)) return undefined;
  const [, clientId, secret] = /^([\w.-]{1,64}):(.*)$/s.exec(Buffer.from(payload, 'base64').toString()) ?? [];
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

/** The login that a Basic header's payload names, whatever its password; undefined where it cannot be one. */
export function parseBasicLogin(payload: string): string | undefined {
  // 48 bytes: a login has 39 letters at most. The rest is a password and need not be read.
  const text = Buffer.from(payload.slice(0, 64), 'base64').toString('latin1');
  return /^([A-Za-z\d][A-Za-z\d-]{0,38}):/.exec(text)?.[1];
}

/**
 * Apps and OAuth apps have client ids of different forms, so that at most one row is found. A secret ends with the credential
 * that made it, and while the account that owns the app is suspended.
 */
export function selectClient({ clientId }: ClientCredentials, now: Date): RawBuilder<ClientRow> {
  const isGood = sql`a.client_id = ${clientId} and o.suspended_at is null and ${isLive(sql`a.secret_by_id`, now)}`;
  return sql<ClientRow>`
    select a.id as "appId", null::bigint as "oauthAppId", a.client_secret_hash as "secretHash"
      from app a join account o on o.id = a.owner_id where ${isGood}
    union all select null, a.id, a.client_secret_hash from oauth_app a join account o on o.id = a.owner_id where ${isGood}`;
}

/** The app, if the secret is its own. */
export function clientActor(credentials: ClientCredentials, row: ClientRow, ip: string): OauthAppActor | undefined {
  const presentedHash = Buffer.from(hashToken(credentials.secret), 'base64url');
  if (!timingSafeEqual(presentedHash, row.secretHash)) return undefined;
  const { appId, oauthAppId } = row;
  const client = appId !== null ? { appId } : { oauthAppId: oauthAppId ?? 0 };
  return { kind: 'oauth-app', ip, clientId: credentials.clientId, client };
}
