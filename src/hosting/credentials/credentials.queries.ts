import { type RawBuilder, sql } from 'kysely';
import type { UserActor } from '../../auth/actor.ts';
import { isLive } from '../../auth/credentials/stored-token.ts';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import { hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { type CredentialRow, credentialColumns } from './insert-credential.ts';

/** Maximum tokens per answer. An installation can have thousands of valid tokens. */
export const maxListedTokens = 1_000;

/**
 * SQL condition over `host_credential`: credentials that a user manages. These act for the user, were created with one
 * that does, or work in a repository or installation of the user or of an organization that the user administers. The
 * last requires a credential with the scope `admin:org`.
 */
export function ownedBy({ accountId, credential }: UserActor): RawBuilder<boolean> {
  const mayAdminister = 'scopes' in credential && hasTokenScope(credential.scopes, ['admin:org']);
  const authorized = ssoOrganizationsOf(credential);
  const open = authorized ? sql`(not o.enforces_sso or o.id = any(${[...authorized]}::bigint[]))` : sql`true`;
  const organizations = sql`select m.organization_id from membership m join account o on o.id = m.organization_id
    where m.account_id = ${accountId} and m.role = 'admin' and ${open}`;
  const owned = mayAdminister
    ? sql`(select ${accountId}::bigint union all ${organizations})`
    : sql`(select ${accountId}::bigint)`;
  const mine = sql`(select c.id from host_credential c where c.account_id = ${accountId})`;
  // One index look-up per branch. As alternatives of one condition they would scan the table.
  return sql<boolean>`id in (
    select c.id from host_credential c where c.account_id = ${accountId}
    union all select c.id from host_credential c where c.parent_id in ${mine}
    union all select c.id from host_credential c join installation i on i.id = c.installation_id
      where i.account_id in ${owned}
    union all select c.id from host_credential c join installation i on i.id = c.installation_id
      where i.installed_by_id in ${mine}
    union all select c.id from host_credential c join credential_repository s on s.credential_id = c.id
      join repository r on r.id = s.repository_id where c.kind = 'workflow' and r.owner_id in ${owned})`;
}

/** Valid credentials that a user manages, newest first; `before` restricts the list to ids below it. */
export function credentialsOf(
  { read, now }: Pick<Context, 'read' | 'now'>,
  user: UserActor,
  before?: number | null,
): Promise<CredentialRow[]> {
  return read(sql<CredentialRow>`select ${credentialColumns} from host_credential
    where ${ownedBy(user)} and (expires_at is null or expires_at > ${now().toISOString()}) and revoked_at is null
      and (${before ?? null}::bigint is null or id < ${before ?? null}) and ${isLive(sql`id`, now())}
    order by id desc limit ${sql.lit(maxListedTokens)}`);
}
