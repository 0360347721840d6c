import { type RawBuilder, sql } from 'kysely';
import type { UserActor } from '../../auth/actor.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import { isLive } from '../../auth/credentials/stored-token.ts';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import { hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { type CredentialRow, credentialColumns } from './insert-credential.ts';

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

/** SQL conditions over `host_credential`: valid credentials that a user manages. */
const areListed = (user: UserActor, now: Date): RawBuilder<unknown>[] => [
  ownedBy(user),
  sql`(expires_at is null or expires_at > ${now.toISOString()})`,
  sql`revoked_at is null`,
  isLive(sql`id`, now),
];

/** Valid credentials that the calling user manages, newest first. */
export function credentialsOf(
  { read, now }: Pick<Context, 'read' | 'now'>,
  user: UserActor,
): BatchedSource<number, CredentialRow> {
  return batchedTable(read, {
    keyType: 'bigint',
    select: () => credentialColumns,
    from: sql`host_credential`,
    where: () => areListed(user, now()),
    order: sql`id desc`,
  });
}

/** DataLoader batch function: valid credentials by id; null for those that the caller does not manage. */
export async function credentialsByIds(
  { actor, read, now }: Pick<Context, 'actor' | 'read' | 'now'>,
  ids: readonly number[],
): Promise<(CredentialRow | null)[]> {
  if (actor.kind !== 'user' || checkHostingScope('tokens:write', actor) !== true) return ids.map(() => null);
  const found = await read(sql<CredentialRow>`select ${credentialColumns} from host_credential
    where id = any(${[...ids]}::bigint[]) and ${sql.join(areListed(actor, now()), sql` and `)}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** DataLoader batch function: times of the last use of tokens that the caller has been found to manage; null for never. */
export async function lastUsesByTokens(
  { read }: Pick<Context, 'read'>,
  ids: readonly number[],
): Promise<(string | null)[]> {
  const found = await read(sql<{ id: number; usedAt: string }>`
    select credential_id as id, used_at as "usedAt" from token_use where credential_id = any(${[...ids]}::bigint[])`);
  const byId = new Map(found.map(({ id, usedAt }) => [id, usedAt]));
  return ids.map(id => byId.get(id) ?? null);
}
