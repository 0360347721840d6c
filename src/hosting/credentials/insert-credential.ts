import { type Kysely, sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { type KeptToken, mintToken, type TokenKind } from '../../auth/hosting-token.ts';

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
  /** Of an installation token: the key that signed the request for it. */
  appKeyId?: number | null;
  expiresAt?: Date | null;
}

export interface CredentialRow {
  databaseId: number;
  kind: string;
  lastEight: string;
  note: string;
  scopes: string[];
  permissions: PermissionMap;
  repositorySelection: 'all' | 'selected';
  accountId: number | null;
  resourceOwnerId: number | null;
  installationId: number | null;
  parentId: number | null;
  createdAt: string;
  updatedAt: string;
  expiresAt: string | null;
}

/** The columns of a credential as the graph sees it. */
export const credentialColumns =
  sql.raw(`id as "databaseId", kind, last_eight as "lastEight", note, scopes, permissions,
  repository_selection as "repositorySelection", account_id as "accountId", resource_owner_id as "resourceOwnerId",
  installation_id as "installationId", parent_id as "parentId", created_at as "createdAt", updated_at as "updatedAt", expires_at as "expiresAt"`);

/** Stores a new token, random unless one is given, and gives its text: nobody can tell it again. */
export async function insertCredential(
  db: Kysely<unknown>,
  one: NewCredential,
  now: Date,
  minted: { text: string; kept: KeptToken } = mintToken(one.kind),
): Promise<{ token: string; credential: CredentialRow }> {
  const { text, kept } = minted;
  const made = await sql<CredentialRow>`
    insert into host_credential (kind, hash, last_eight, account_id, note, scopes, permissions, resource_owner_id,
      repository_selection, app_id, oauth_app_id, installation_id, parent_id, app_key_id, created_at, updated_at, expires_at)
    values (${one.kind}, ${kept.hash}, ${kept.lastEight}, ${one.accountId ?? null}, ${one.note ?? ''},
      ${[...(one.scopes ?? [])]}, ${JSON.stringify(one.permissions ?? {})}, ${one.resourceOwnerId ?? null},
      ${one.repositories === undefined ? 'all' : 'selected'}, ${one.appId ?? null}, ${one.oauthAppId ?? null},
      ${one.installationId ?? null}, ${one.parentId ?? null}, ${one.appKeyId ?? null}, ${now}, ${now}, ${one.expiresAt ?? null})
    returning ${credentialColumns}`.execute(db);
  const credential = made.rows[0] as CredentialRow;
  if (one.repositories && one.repositories.length > 0) {
    await sql`insert into credential_repository (credential_id, repository_id)
      select ${credential.databaseId}, unnest(${[...one.repositories]}::bigint[]) on conflict do nothing`.execute(db);
  }
  return { token: text, credential };
}
