import { type Kysely, sql } from 'kysely';
import type { ClientAuthorization, NarrowedInstallation } from '../../../schema/hosting/client-authorization.ts';
import type { HostCredential } from '../../../schema/hosting/credential.ts';
import type { OauthAppActor } from '../../auth/actor.ts';
import { isLive } from '../../auth/credentials/stored-token.ts';
import { mintToken, parseToken, storedHash } from '../../auth/hosting-token.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { revokeWhere } from '../credentials/revoke-token.ts';
import { revokeConnection } from '../oauth/approve.ts';
import { type ClientIds, isOfClient } from '../oauth/oauth-client.ts';

/** A token of the calling app, with its published properties. */
export type ClientAuthorizationRow = Omit<ClientAuthorization, 'user' | 'installation'> & {
  accountId: number;
  narrowed: (Pick<NarrowedInstallation, 'permissions' | 'repositorySelection'> & { ownerId: number }) | null;
};

type StoredAuthorization = Pick<
  ClientAuthorization,
  'databaseId' | 'scopes' | 'lastEight' | 'note' | 'createdAt' | 'updatedAt' | 'expiresAt'
> &
  Pick<HostCredential, 'resourceOwnerId' | 'permissions' | 'repositorySelection'> & {
    accountId: number;
    appName: string;
    appUrl: string;
  };

/**
 * The app that authenticates with its client id and secret.
 *
 * @throws 404 when the path names another client id.
 */
export function requireCallingClient(actor: Context['actor'], clientId: string): OauthAppActor {
  if (actor.kind !== 'oauth-app') throw new TypeError('The access scope of this field must admit OAuth clients only.');
  if (actor.clientId !== clientId) throw notFound();
  return actor;
}

const clientIds = ({ client }: OauthAppActor): ClientIds => ({ appId: null, oauthAppId: null, ...client });

/** What is stored of a token, in whatever brand its prefix is. */
function issuedHash(token: string): Buffer | undefined {
  const parsed = parseToken(token);
  return parsed && storedHash(parsed.text);
}

/**
 * Loads the authorization of a token of the calling app.
 *
 * @throws 404 for invalid tokens and those of other apps.
 */
export async function requireClientToken(
  context: Pick<Context, 'actor' | 'sql' | 'now'>,
  clientId: string,
  token: string,
  db: Kysely<unknown> = context.sql,
): Promise<ClientAuthorizationRow> {
  const client = requireCallingClient(context.actor, clientId);
  const hash = issuedHash(token);
  if (hash === undefined) throw notFound();
  const { rows } = await sql<StoredAuthorization>`
    select c.id as "databaseId", c.scopes, c.last_eight as "lastEight", nullif(c.note, '') as note,
      c.created_at as "createdAt", c.updated_at as "updatedAt", c.expires_at as "expiresAt", c.account_id as "accountId",
      c.resource_owner_id as "resourceOwnerId", c.permissions, c.repository_selection as "repositorySelection",
      coalesce(a.name, o.name) as "appName", coalesce(a.external_url, o.url) as "appUrl"
    from host_credential c left join app a on a.id = c.app_id left join oauth_app o on o.id = c.oauth_app_id
    where c.hash = ${hash} and ${isOfClient(clientIds(client), 'c')} and c.account_id is not null and c.revoked_at is null
      and ${isLive(sql`c.id`, context.now())}`.execute(db);
  const [found] = rows;
  if (!found) throw notFound();
  const { appName, appUrl, resourceOwnerId, permissions, repositorySelection, ...rest } = found;
  return {
    ...rest,
    secret: token,
    secretHash: hash.toString('hex'),
    app: { clientId, name: appName, url: appUrl },
    narrowed: resourceOwnerId === null ? null : { ownerId: resourceOwnerId, permissions, repositorySelection },
  };
}

/** Replaces the text of a token. The old text, and credentials created with it, are invalid from the next request. */
export async function resetClientToken(
  context: Context,
  clientId: string,
  token: string,
): Promise<ClientAuthorizationRow> {
  const row = await context.transaction(async db => {
    const before = await requireClientToken(context, clientId, token, db);
    const { text, record } = mintToken(parseToken(token)?.kind ?? 'oauth');
    // Conditional on the old hash: the second of two concurrent resets finds no row.
    const changed = await sql`update host_credential set hash = ${record.hash}, last_eight = ${record.lastEight},
      updated_at = ${context.now()} where id = ${before.databaseId} and hash = ${issuedHash(token)}
      returning id`.execute(db);
    if (changed.rows.length === 0) throw notFound();
    // A holder of the old text may have created them. Their descendants end with them.
    await revokeWhere(db, sql`parent_id = ${before.databaseId}`, context.now());
    return requireClientToken(context, clientId, text, db);
  });
  context.credentials.invalidate();
  return row;
}

/** Revokes one token of the calling app. Returns its number. */
export async function deleteClientToken(context: Context, clientId: string, token: string): Promise<number> {
  const id = await context.transaction(async db => {
    const { databaseId } = await requireClientToken(context, clientId, token, db);
    await revokeWhere(db, sql`id = ${databaseId}`, context.now());
    return databaseId;
  });
  context.credentials.invalidate();
  return id;
}

/** Revokes all tokens of the calling app for the token's user. Returns the number of the user. */
export async function deleteClientGrant(context: Context, clientId: string, token: string): Promise<number> {
  const client = clientIds(requireCallingClient(context.actor, clientId));
  const userId = await context.transaction(async db => {
    const { accountId } = await requireClientToken(context, clientId, token, db);
    await revokeConnection(db, client, accountId, context.now());
    return accountId;
  });
  context.credentials.invalidate();
  return userId;
}
