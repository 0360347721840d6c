import { type Kysely, sql } from 'kysely';
import { HostCredential } from '../../../schema/hosting/credential.ts';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { mintToken, type TokenKind, type TokenRecord } from '../../auth/hosting-token.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { badCredential } from '../../errors/errors.ts';

export interface NewCredential {
  kind: TokenKind;
  accountId?: number | null;
  note?: string;
  scopes?: readonly string[];
  permissions?: PermissionMap;
  resourceOwnerId?: number | null;
  /** Numbers of repositories; left out: all there are. */
  repositories?: readonly number[] | undefined;
  appId?: number | null;
  oauthAppId?: number | null;
  installationId?: number | null;
  /** The credential that it is made with, as `assertGrantable` gave it; none where the operator makes it. */
  parentId?: number | null;
  /** Of the secret that the parent was used with, as `assertGrantable` gave it. */
  parentLastEight?: string | null;
  /** Of an installation token: the key that signed the request for it. */
  appKeyId?: number | null;
  expiresAt?: Date | null;
}

export type CredentialRow = Omit<HostCredential, 'id' | 'hash' | 'appId' | 'oauthAppId' | 'appKeyId' | 'revokedAt'>;

/** All fields of a credential in the graph, and the accounts it belongs to, of the table `host_credential` itself. */
export const credentialColumns = columnsOf(HostCredential, null, {
  always: ['accountId', 'resourceOwnerId'],
  computed: { databaseId: 'id' },
})('all');

/**
 * Stores a new token, random unless one is given, and gives its text: nobody can tell it again. Throws 401 where the parent has
 * another secret by now: `resetClientToken` takes back what was made with the old one, and a request that is on its way with
 * the old one must not make more after that. The row of the parent is locked for it, so that the two wait for each other.
 */
export async function insertCredential(
  db: Kysely<unknown>,
  one: NewCredential,
  now: Date,
  minted: { text: string; kept: TokenRecord } = mintToken(one.kind),
): Promise<{ token: string; credential: CredentialRow }> {
  const { text, kept } = minted;
  const { parentId = null, parentLastEight = null } = one;
  const made = await sql<CredentialRow>`
    with parent as materialized (select 1 from host_credential
      where id = ${parentId}::bigint and (${parentLastEight}::text is null or last_eight = ${parentLastEight}) for key share)
    insert into host_credential (kind, hash, last_eight, account_id, note, scopes, permissions, resource_owner_id,
      repository_selection, app_id, oauth_app_id, installation_id, parent_id, app_key_id, created_at, updated_at, expires_at)
    select ${one.kind}, ${kept.hash}::bytea, ${kept.lastEight}, ${one.accountId ?? null}::bigint, ${one.note ?? ''},
      ${[...(one.scopes ?? [])]}::text[], ${JSON.stringify(one.permissions ?? {})}::jsonb, ${one.resourceOwnerId ?? null}::bigint,
      ${one.repositories === undefined ? 'all' : 'selected'}, ${one.appId ?? null}::bigint, ${one.oauthAppId ?? null}::bigint,
      ${one.installationId ?? null}::bigint, ${parentId}::bigint, ${one.appKeyId ?? null}::bigint, ${now}::timestamptz,
      ${now}::timestamptz, ${one.expiresAt ?? null}::timestamptz
    where ${parentId}::bigint is null or exists (select 1 from parent)
    returning ${credentialColumns}`.execute(db);
  const [credential] = made.rows;
  if (!credential) throw badCredential({ reason: 'replaced' }, 'Bad credentials');
  if (one.repositories && one.repositories.length > 0) {
    await sql`insert into credential_repository (credential_id, repository_id)
      select ${credential.databaseId}, unnest(${[...one.repositories]}::bigint[]) on conflict do nothing`.execute(db);
  }
  return { token: text, credential };
}
