import { type RawBuilder, sql } from 'kysely';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor, organizationsFor } from '../organizations/organization-access.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { accessDecision } from '../repositories/repository-access.ts';

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

/** DataLoader batch function: whether the caller administers each repository. */
export async function administersRepositories(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  ids: readonly number[],
): Promise<boolean[]> {
  const rows = await read(sql<{ id: number }>`select r.id from repository r join account o on o.id = r.owner_id
    where r.id = any(${[...ids]}::bigint[]) and ${accessDecision(actor, 'administration:write')} = 'allowed'`);
  const allowed = new Set(rows.map(({ id }) => id));
  return ids.map(id => allowed.has(id));
}

/** DataLoader batch function: whether the caller administers each organization. An error where only single sign-on is missing. */
export async function administersOrganizations(context: Context, ids: readonly number[]): Promise<(boolean | Error)[]> {
  const found = await organizationsFor(context, ids, 'org-administration:write');
  return found.map(one => (one instanceof Error ? one : one !== null));
}

/** Whether the caller administers a repository; batched. */
export function administersRepository(context: Context, id: number): Promise<boolean> {
  return context.load(administersRepositories, noSelection).load(id);
}

/** Whether the caller administers an organization; batched. @throws 403 where only single sign-on is missing */
export function administersOrganization(context: Context, id: number): Promise<boolean> {
  return context.load(administersOrganizations, noSelection).load(id);
}
