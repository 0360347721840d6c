import { timingSafeEqual } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { OauthApp } from '../../../schema/hosting/app.ts';
import type { HostCredential } from '../../../schema/hosting/credential.ts';
import type { OauthAppActor } from '../actor.ts';
import { storedHash } from '../hosting-token.ts';
import { isLive } from './stored-token.ts';

/** A client id and secret. Basic authentication accepts them and tokens, and no password: hosting accounts have none. */
export interface ClientCredentials {
  clientId: string;
  secret: string;
}

type ClientRow = Pick<HostCredential, 'appId' | 'oauthAppId'> & Pick<OauthApp, 'clientSecretHash'>;

/**
 * Parses the payload of a Basic header; undefined when it has no client id. Accepts any secret, so that a wrong one counts as a
 * failed attempt for its app.
 */
export function parseClientCredentials(payload: string): ClientCredentials | undefined {
  if (!/^[A-Za-z0-9+/]{1,4000}={0,2}$/.test(payload)) return undefined;
  const [, clientId, secret] = /^([\w.-]{1,64}):(.*)$/s.exec(Buffer.from(payload, 'base64').toString()) ?? [];
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

/** Parses the login from the payload of a Basic header; undefined when the user name is no valid login. */
export function parseBasicLogin(payload: string): string | undefined {
  // 48 bytes are enough: a login has at most 39 characters, and the rest is a password.
  const text = Buffer.from(payload.slice(0, 64), 'base64').toString('latin1');
  return /^([A-Za-z\d][A-Za-z\d-]{0,38}):/.exec(text)?.[1];
}

/**
 * Apps and OAuth apps have client ids of different formats, so at most one row matches. A secret is invalid once the credential
 * that created it is, and while the owner of the app is suspended.
 */
export function selectClient({ clientId }: ClientCredentials, now: Date): RawBuilder<ClientRow> {
  const isGood = sql`a.client_id = ${clientId} and o.suspended_at is null and ${isLive(sql`a.secret_by_id`, now)}`;
  return sql<ClientRow>`
    select a.id as "appId", null::bigint as "oauthAppId", a.client_secret_hash as "clientSecretHash"
      from app a join account o on o.id = a.owner_id where ${isGood}
    union all select null, a.id, a.client_secret_hash from oauth_app a join account o on o.id = a.owner_id where ${isGood}`;
}

/** The app, or undefined when the secret is wrong: every secret is for a public client, which has none. */
export function clientActor(credentials: ClientCredentials, row: ClientRow, ip: string): OauthAppActor | undefined {
  const presentedHash = storedHash(credentials.secret);
  if (!row.clientSecretHash || !timingSafeEqual(presentedHash, row.clientSecretHash)) return undefined;
  const { appId, oauthAppId } = row;
  const client = appId !== null ? { appId } : { oauthAppId: oauthAppId ?? 0 };
  return { kind: 'oauth-app', ip, clientId: credentials.clientId, client };
}
