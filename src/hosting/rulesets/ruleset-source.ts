import { type RawBuilder, sql } from 'kysely';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';

/** The repository or organization that a ruleset belongs to. */
export interface RulesetSource {
  kind: 'repository' | 'organization';
  /** Id of the repository or organization. */
  id: number;
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

/** SQL condition over `s` (ruleset): it belongs to the source itself. */
export function belongsTo({ kind, id }: RulesetSource): RawBuilder<unknown> {
  return kind === 'repository' ? sql`s.repository_id = ${id}` : sql`s.organization_id = ${id}`;
}
