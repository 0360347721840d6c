import { timingSafeEqual } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { OauthAppActor } from '../actor.ts';
import { tokenHash } from '../hosting-token.ts';

/** The one thing that is taken with Basic. A user name and a password are not: there are no passwords. */
export interface ClientPair {
  clientId: string;
  secret: string;
}

interface ClientRow {
  appId: number | null;
  oauthAppId: number | null;
  secretHash: Buffer;
}

/** The client id and secret of a Basic header's payload; undefined for what cannot be one. */
export function clientPair(payload: string): ClientPair | undefined {
  if (!/^[A-Za-z0-9+/]{1,400}={0,2}$/.test(payload)) return undefined;
  const [, clientId, secret] =
    /^([\w.-]{1,64}):([\x21-\x7e]{1,200})$/.exec(Buffer.from(payload, 'base64').toString()) ?? [];
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

/** Apps and OAuth apps have client ids of different forms, so that at most one row is found. */
export function clientRow({ clientId }: ClientPair): RawBuilder<ClientRow> {
  return sql<ClientRow>`
    select id as "appId", null::bigint as "oauthAppId", client_secret_hash as "secretHash" from app where client_id = ${clientId}
    union all select null, id, client_secret_hash from oauth_app where client_id = ${clientId}`;
}

/** The app, if the secret is its own. */
export function clientActor(pair: ClientPair, row: ClientRow, ip: string): OauthAppActor | undefined {
  const given = Buffer.from(tokenHash(pair.secret), 'base64url');
  if (!timingSafeEqual(given, row.secretHash)) return undefined;
  const { appId, oauthAppId } = row;
  const client = appId !== null ? { appId } : { oauthAppId: oauthAppId ?? 0 };
  return { kind: 'oauth-app', ip, clientId: pair.clientId, client };
}
