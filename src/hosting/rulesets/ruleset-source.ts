import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { type OwningSource, organizationsAllowing, repositoriesAllowing } from '../owning-source.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';

/** The repository or organization that a ruleset belongs to. */
export interface RulesetSource extends OwningSource {
  /** Owner account of the repository; the organization itself. */
  ownerId: number;
  isOwnedByOrganization: boolean;
}

export function repositorySource({
  databaseId: id,
  ownerId,
  ownerKind,
}: Pick<OwnedRow, 'databaseId' | 'ownerId' | 'ownerKind'>): RulesetSource {
  return { kind: 'repository', id, ownerId, isOwnedByOrganization: ownerKind === 'organization' };
}

export function organizationSource({ id }: { id: number }): RulesetSource {
  return { kind: 'organization', id, ownerId: id, isOwnedByOrganization: true };
}

/** @throws 404 when the repository does not exist or is not visible; 403 when the caller lacks the access of `scope`. */
export async function requireRepositorySource(
  context: Context,
  address: RepositoryAddress,
  scope: HostingScope,
): Promise<RulesetSource> {
  const found = await repositoryFor(context, address, scope);
  if (!found) throw notFound();
  return repositorySource(found);
}

/** @throws 404 when the caller does not administer an organization with this login. */
export async function requireOrganizationSource(context: Context, login: string): Promise<RulesetSource> {
  const found = await organizationFor(context, login, 'org-administration:write');
  if (!found) throw notFound();
  return organizationSource(found);
}

const administersRepositories = repositoriesAllowing('administration:write');
const administersOrganizations = organizationsAllowing('org-administration:write');

/** Whether the caller administers a repository; batched. */
export function administersRepository(context: Context, id: number): Promise<boolean> {
  return context.load(administersRepositories, noSelection).load(id);
}

/** Whether the caller administers an organization; batched. @throws 403 where only single sign-on is missing */
export function administersOrganization(context: Context, id: number): Promise<boolean> {
  return context.load(administersOrganizations, noSelection).load(id);
}
