import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { type OwningSource, organizationsAllowing, repositoriesAllowing } from '../owning-source.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';

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
