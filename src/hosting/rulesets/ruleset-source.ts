import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';

/** The repository or organization that a ruleset belongs to. */
export interface RulesetSource {
  kind: 'repository' | 'organization';
  /** Id of the repository or organization. */
  id: number;
  /** Owner account of the repository; the organization itself. */
  ownerId: number;
  isOwnedByOrganization: boolean;
}

export async function requireRepositorySource(
  context: Context,
  address: RepositoryAddress,
  word: HostingScope,
): Promise<RulesetSource> {
  const found = await repositoryFor(context, address, word);
  if (!found) throw notFound();
  const { databaseId: id, ownerId, ownerKind } = found;
  return { kind: 'repository', id, ownerId, isOwnedByOrganization: ownerKind === 'organization' };
}

export async function requireOrganizationSource(
  context: Context,
  login: string,
  word: HostingScope = 'org-administration:write',
): Promise<RulesetSource> {
  const found = await organizationFor(context, login, word);
  if (!found) throw notFound();
  return { kind: 'organization', id: found.id, ownerId: found.id, isOwnedByOrganization: true };
}
