import type { AccessOfType, HostingScope } from '../../../schema/vocabulary/access.ts';
import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { type OwningSource, sourceOfId, sourceOfRow } from '../owning-source.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { addressOfId } from '../repositories/repository-ref.ts';

const scopes = {
  read: { repository: 'hooks:read', organization: 'org-hooks:read' },
  write: { repository: 'hooks:write', organization: 'org-hooks:write' },
  delete: { repository: 'hooks:delete', organization: 'org-hooks:write' },
} as const;

/** What a caller does with hooks. */
export type HookUse = keyof typeof scopes;

/** Access scopes of a use, for operation files, which name the type of the source. */
export const accessOfSource = (use: HookUse): AccessOfType => ({
  id: 'sourceId',
  scopes: { Repository: scopes[use].repository, Organization: scopes[use].organization },
});

/**
 * The source with this global id, for a use of its hooks.
 *
 * @throws 404 when the caller cannot see the repository or does not administer the organization; 401 or 403 when the caller lacks the
 * access
 */
export async function hookSourceOfId(context: Context, sourceId: string, use: HookUse): Promise<OwningSource> {
  const [login] = decodeNamedId('Organization', sourceId) ?? [];
  if (login !== undefined) {
    assertScope(context, scopes[use].organization);
    return requireOrganization(context, login, use);
  }
  if (decodeNamedId('Repository', sourceId)) {
    assertScope(context, scopes[use].repository);
    return requireRepository(context, addressOfId(sourceId, 'sourceId'), use);
  }
  return requireSource(context, sourceOfId(context, sourceId, scopes[use]), use);
}

/**
 * The source of a hook; with a global id the source that has it, whose hook it may not be.
 *
 * @throws as `hookSourceOfId`; 404 when there is no such hook
 */
export async function hookSourceOfHook(
  context: Context,
  hookId: number,
  use: HookUse,
  sourceId: string | null | undefined,
): Promise<OwningSource> {
  if (sourceId != null) return hookSourceOfId(context, sourceId, use);
  return requireSource(context, await sourceOfRow(context, 'hook', hookId, scopes[use]), use);
}

const requireSource = (context: Context, { kind, id }: OwningSource, use: HookUse): Promise<OwningSource> =>
  kind === 'repository' ? requireRepository(context, { id }, use) : requireOrganization(context, id, use);

/** @throws 404 when the repository does not exist or is not visible; 403 when the caller lacks the access. */
async function requireRepository(context: Context, address: RepositoryAddress, use: HookUse): Promise<OwningSource> {
  const found = await repositoryFor(context, address, scopes[use].repository);
  if (!found) throw notFound();
  return { kind: 'repository', id: found.databaseId };
}

async function requireOrganization(
  context: Context,
  organization: string | number,
  use: HookUse,
): Promise<OwningSource> {
  const found = await organizationFor(context, organization, scopes[use].organization);
  if (!found) throw notFound();
  return { kind: 'organization', id: found.id };
}

function assertScope({ actor }: Context, scope: HostingScope): void {
  const verdict = checkHostingScope(scope, actor);
  if (verdict !== true) throw verdict;
}
