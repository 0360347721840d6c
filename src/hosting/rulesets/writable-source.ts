import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { type OwningSource, sourceOfId, sourceOfRow } from '../owning-source.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { addressOfId } from '../repositories/repository-ref.ts';
import { organizationSource, type RulesetSource, repositorySource } from './ruleset-source.ts';

const scopes = { repository: 'administration:write', organization: 'org-administration:write' } as const;

/** For operation files, which name the type of the source. */
export const accessOfSource = {
  id: 'sourceId',
  scopes: { Repository: scopes.repository, Organization: scopes.organization },
} as const;

/**
 * The source with this global id.
 * @throws 404 when the caller cannot see it; 401 or 403 when the caller lacks the access to write its rulesets
 */
export async function writableSource(context: Context, sourceId: string): Promise<RulesetSource> {
  const [login] = decodeNamedId('Organization', sourceId) ?? [];
  if (login !== undefined) {
    assertScope(context, scopes.organization);
    return requireOrganization(context, login);
  }
  if (decodeNamedId('Repository', sourceId)) {
    assertScope(context, scopes.repository);
    return requireRepository(context, addressOfId(sourceId, 'sourceId'));
  }
  return requireSource(context, sourceOfId(context, sourceId, scopes));
}

/**
 * The source of a ruleset; with a global id the source that has it, whose ruleset it may not be.
 * @throws as `writableSource`; 404 when there is no such ruleset
 */
export async function writableSourceOf(
  context: Context,
  rulesetId: number,
  sourceId: string | null | undefined,
): Promise<RulesetSource> {
  if (sourceId != null) return writableSource(context, sourceId);
  return requireSource(context, await sourceOfRow(context, 'ruleset', rulesetId, scopes));
}

const requireSource = (context: Context, { kind, id }: OwningSource): Promise<RulesetSource> =>
  kind === 'repository' ? requireRepository(context, { id }) : requireOrganization(context, id);

async function requireRepository(context: Context, address: RepositoryAddress): Promise<RulesetSource> {
  const found = await repositoryFor(context, address, scopes.repository);
  if (!found) throw notFound();
  return repositorySource(found);
}

async function requireOrganization(context: Context, organization: string | number): Promise<RulesetSource> {
  const found = await organizationFor(context, organization, scopes.organization);
  if (!found) throw notFound();
  return organizationSource(found);
}

function assertScope({ actor }: Context, scope: HostingScope): void {
  const verdict = checkHostingScope(scope, actor);
  if (verdict !== true) throw verdict;
}
