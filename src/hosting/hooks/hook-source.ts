import { type Kysely, type RawBuilder, sql } from 'kysely';
import { decodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor, organizationsFor } from '../organizations/organization-access.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { accessDecision } from '../repositories/repository-access.ts';

/** The repository or organization that a hook belongs to. */
export interface HookSource {
  kind: 'repository' | 'organization';
  id: number;
}

/** What a caller does with hooks. */
export type HookUse = 'read' | 'write' | 'delete';

const scopes = {
  repository: { read: 'hooks:read', write: 'hooks:write', delete: 'hooks:delete' },
  organization: { read: 'org-hooks:read', write: 'org-hooks:write', delete: 'org-hooks:write' },
} as const;

/** @throws 404 when the repository does not exist or is not visible; 403 when the caller lacks the access. */
export async function requireHookedRepository(
  context: Context,
  address: RepositoryAddress,
  use: HookUse,
): Promise<HookSource> {
  const found = await repositoryFor(context, address, scopes.repository[use]);
  if (!found) throw notFound();
  return { kind: 'repository', id: found.databaseId };
}

/** @throws 404 when the caller does not administer the organization with this login or number. */
export async function requireHookedOrganization(
  context: Context,
  organization: string | number,
  use: HookUse,
): Promise<HookSource> {
  const found = await organizationFor(context, organization, scopes.organization[use]);
  if (!found) throw notFound();
  return { kind: 'organization', id: found.id };
}

/** The source with this global id. @throws 401, 403 or 404 as above */
export function hookSourceOfId(context: Context, sourceId: string): Promise<HookSource> {
  const id = numberOfId(['Organization', 'Repository'], sourceId, 'sourceId');
  const kind = decodeGlobalId(sourceId)?.type === 'Repository' ? 'repository' : 'organization';
  return requireSource(context, { kind, id }, 'write');
}

/** The source of a hook. @throws 401, 403 or 404 as above; 404 when there is no such hook */
export async function hookSourceOfHook(context: Context, hookId: number, use: HookUse): Promise<HookSource> {
  const verdict = checkHostingScope(scopes.repository[use], context.actor);
  // Only a caller who can see the hook learns what it belongs to.
  if (verdict !== true && checkHostingScope(scopes.organization[use], context.actor) !== true) throw verdict;
  const [found] = await context.read(sql<HookSource>`
    select case when organization_id is null then 'repository' else 'organization' end as kind,
      coalesce(organization_id, repository_id) as id from hook where id = ${hookId}`);
  if (!found) throw notFound();
  return requireSource(context, found, use);
}

function requireSource(context: Context, { kind, id }: HookSource, use: HookUse): Promise<HookSource> {
  const verdict = checkHostingScope(scopes[kind][use], context.actor);
  if (verdict !== true) throw verdict;
  return kind === 'repository'
    ? requireHookedRepository(context, { id }, use)
    : requireHookedOrganization(context, id, use);
}

/** SQL condition over `h` (hook), or another alias of it: it belongs to the source. */
export const belongsTo = ({ kind, id }: HookSource, alias = 'h'): RawBuilder<unknown> =>
  sql`${sql.ref(`${alias}.${kind === 'repository' ? 'repository_id' : 'organization_id'}`)} = ${id}`;

/** Serializes changes to the hooks of a source, so that concurrent ones exceed no limit. */
export async function lockHookSource(db: Kysely<unknown>, { kind, id }: HookSource): Promise<void> {
  await sql`select 1 from ${sql.ref(kind === 'repository' ? 'repository' : 'account')}
    where id = ${id} for no key update`.execute(db);
}

/** DataLoader batch function: whether the caller may read the hooks of each repository. */
export async function hookedRepositories(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  ids: readonly number[],
): Promise<boolean[]> {
  const rows = await read(sql<{ id: number }>`select r.id from repository r join account o on o.id = r.owner_id
    where r.id = any(${[...ids]}::bigint[]) and ${accessDecision(actor, scopes.repository.read)} = 'allowed'`);
  const allowed = new Set(rows.map(({ id }) => id));
  return ids.map(id => allowed.has(id));
}

/** DataLoader batch function: the same for organizations. An error where only single sign-on is missing. */
export async function hookedOrganizations(context: Context, ids: readonly number[]): Promise<(boolean | Error)[]> {
  const found = await organizationsFor(context, ids, scopes.organization.read);
  return found.map(one => (one instanceof Error ? one : one !== null));
}
