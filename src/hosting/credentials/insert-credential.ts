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
  /** Repository ids; all when omitted. */
  repositories?: readonly number[] | undefined;
  appId?: number | null;
  oauthAppId?: number | null;
  installationId?: number | null;
  /** The credential that creates this one, from `assertGrantable`; null when the operator does. */
  parentId?: number | null;
  /** Last eight characters of the text that the parent was used with, from `assertGrantable`. */
  parentLastEight?: string | null;
  /** For an installation token: the key that signed the request. */
  appKeyId?: number | null;
  expiresAt?: Date | null;
}

export type CredentialRow = Omit<HostCredential, 'hash' | 'appId' | 'oauthAppId' | 'appKeyId' | 'revokedAt'> & {
  databaseId: number;
};

/** All fields of a credential in the graph, and the accounts it belongs to, of the table `host_credential` itself. */
export const credentialColumns = columnsOf(HostCredential, null, {
  always: ['accountId', 'resourceOwnerId', 'parentId', 'installationId'],
})('all');

/**
 * Inserts a token, random unless `minted` is given, and returns its text, which is not stored. The parent's row is
 * locked: `resetClientToken` revokes what was created with the old text, and a concurrent request with the old text
 * must not create more.
 *
 * @throws 401 when the parent's text was replaced meanwhile.
 */
export async function insertCredential(
  db: Kysely<unknown>,
  one: NewCredential,
  now: Date,
  minted: { text: string; record: TokenRecord } = mintToken(one.kind),
): Promise<{ token: string; credential: CredentialRow }> {
  const { text, record } = minted;
  const { parentId = null, parentLastEight = null } = one;
  const inserted = await sql<CredentialRow>`
    with parent as materialized (select 1 from host_credential
      where id = ${parentId}::bigint and (${parentLastEight}::text is null or last_eight = ${parentLastEight}) for key share)
    insert into host_credential (kind, hash, last_eight, account_id, note, scopes, permissions, resource_owner_id,
      repository_selection, app_id, oauth_app_id, installation_id, parent_id, app_key_id, created_at, updated_at, expires_at)
    select ${one.kind}, ${record.hash}::bytea, ${record.lastEight}, ${one.accountId ?? null}::bigint, ${one.note ?? ''},
      ${[...(one.scopes ?? [])]}::text[], ${JSON.stringify(one.permissions ?? {})}::jsonb, ${one.resourceOwnerId ?? null}::bigint,
      ${one.repositories === undefined ? 'all' : 'selected'}, ${one.appId ?? null}::bigint, ${one.oauthAppId ?? null}::bigint,
      ${one.installationId ?? null}::bigint, ${parentId}::bigint, ${one.appKeyId ?? null}::bigint, ${now}::timestamptz,
      ${now}::timestamptz, ${one.expiresAt ?? null}::timestamptz
    where ${parentId}::bigint is null or exists (select 1 from parent)
    returning ${credentialColumns}`.execute(db);
  const [credential] = inserted.rows;
  if (!credential) throw badCredential({ reason: 'replaced' }, 'Bad credentials');
  if (one.repositories && one.repositories.length > 0) {
    await sql`insert into credential_repository (credential_id, repository_id)
      select ${credential.databaseId}, unnest(${[...one.repositories]}::bigint[]) on conflict do nothing`.execute(db);
  }
  return { token: text, credential };
}
