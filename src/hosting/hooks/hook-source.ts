import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import {
  type OwningSource,
  organizationsAllowing,
  repositoriesAllowing,
  sourceOfId,
  sourceOfRow,
} from '../owning-source.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';

const scopes = {
  read: { repository: 'hooks:read', organization: 'org-hooks:read' },
  write: { repository: 'hooks:write', organization: 'org-hooks:write' },
  delete: { repository: 'hooks:delete', organization: 'org-hooks:write' },
} as const;

/** What a caller does with hooks. */
export type HookUse = keyof typeof scopes;

/** @throws 404 when the repository does not exist or is not visible; 403 when the caller lacks the access. */
export async function requireHookedRepository(
  context: Context,
  address: RepositoryAddress,
  use: HookUse,
): Promise<OwningSource> {
  const found = await repositoryFor(context, address, scopes[use].repository);
  if (!found) throw notFound();
  return { kind: 'repository', id: found.databaseId };
}

/** @throws 404 when the caller does not administer the organization with this login or number. */
export async function requireHookedOrganization(
  context: Context,
  organization: string | number,
  use: HookUse,
): Promise<OwningSource> {
  const found = await organizationFor(context, organization, scopes[use].organization);
  if (!found) throw notFound();
  return { kind: 'organization', id: found.id };
}

/** The source with this global id, to write its hooks. @throws 401, 403 or 404 as above */
export async function hookSourceOfId(context: Context, sourceId: string): Promise<OwningSource> {
  return requireSource(context, sourceOfId(context, sourceId, scopes.write), 'write');
}

/** The source of a hook. @throws 401, 403 or 404 as above; 404 when there is no such hook */
export async function hookSourceOfHook(context: Context, hookId: number, use: HookUse): Promise<OwningSource> {
  return requireSource(context, await sourceOfRow(context, 'hook', hookId, scopes[use]), use);
}

function requireSource(context: Context, { kind, id }: OwningSource, use: HookUse): Promise<OwningSource> {
  return kind === 'repository'
    ? requireHookedRepository(context, { id }, use)
    : requireHookedOrganization(context, id, use);
}

/** DataLoader batch function: whether the caller may read the hooks of each repository. */
export const hookedRepositories = repositoriesAllowing(scopes.read.repository);

/** DataLoader batch function: the same for organizations. An error where only single sign-on is missing. */
export const hookedOrganizations = organizationsAllowing(scopes.read.organization);
