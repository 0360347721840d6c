import { type RawBuilder, sql } from 'kysely';
import type { UserActor } from '../../auth/actor.ts';
import { isLive } from '../../auth/credentials/stored-token.ts';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import { hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { type CredentialRow, credentialColumns } from './insert-credential.ts';

/** Tokens of one answer. An installation may have made thousands within the hour that they are good for. */
export const maxListedTokens = 1_000;

/**
 * Whether a credential is one that a user looks after, over `host_credential`: it acts for the user, was made with a credential
 * that does, or works in what the user owns: in an own repository or installation, or in those of an organization that the user
 * administers. The last takes a caller who may administer organizations.
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
  // One look at an index for each branch; as alternatives of one condition they would read the whole table.
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

/** The credentials that a user looks after and that are good now, newest first; `before`: those older than the one with this number. */
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
