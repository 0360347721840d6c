import { sql } from 'kysely';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import type { CommitRepository } from '../commits/git-commit.ts';
import { accessDenied } from '../repositories/access-denied.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { type AccessDecision, accessDecision } from '../repositories/repository-access.ts';

/** A repository whose contents the caller may read: what its git objects need of it. */
export interface GitPlace extends CommitRepository {
  defaultBranch: string;
  isPrivate: boolean;
}

const scope: HostingScope = 'contents:read';

type Owned = GitPlace & Pick<OwnedRow, 'ownerId'>;

function decided(context: Context, place: Owned, decision: AccessDecision): GitPlace | null | Error {
  if (decision === 'hidden') return null;
  return decision === 'allowed' ? place : accessDenied(context, decision, scope, place);
}

/**
 * DataLoader batch function: repositories by id, each with the check that the caller may read its contents, in one statement for
 * all. Null for a repository that the caller cannot see, an error for one whose contents are refused.
 */
export async function loadGitPlaces(context: Context, ids: readonly number[]): Promise<(GitPlace | null | Error)[]> {
  const rows = await context.read(sql<Owned & { decision: AccessDecision }>`
    select r.id as "databaseId", o.login as "ownerLogin", r.name, r.network_root_id as "networkRootId",
      r.default_branch as "defaultBranch", r.is_private as "isPrivate", r.owner_id as "ownerId", ${accessDecision(context.actor, scope)} as decision
    from repository r join account o on o.id = r.owner_id where r.id = any(${[...ids]}::bigint[])`);
  const byId = new Map(rows.map(({ decision, ...row }) => [row.databaseId, decided(context, row, decision)]));
  return ids.map(id => byId.get(id) ?? null);
}

/**
 * The repository for reads of its git data; null if the caller cannot see it. Every field below `Repository` that leads to git data
 * begins here; what lies below it belongs to the same repository and is not checked again.
 * @throws 403 when the contents are refused
 */
export const gitPlace = (context: Context, repositoryId: number): Promise<GitPlace | null> =>
  context.load(loadGitPlaces, noSelection).load(repositoryId);

/** The same for a loaded repository: without a statement where the decision was loaded with it. @throws 403 */
export async function placeOf(context: Context, row: OwnedRow): Promise<GitPlace | null> {
  if (row.contentsDecision === undefined) return gitPlace(context, row.databaseId);
  const place = decided(context, row, row.contentsDecision);
  if (place instanceof Error) throw place;
  return place;
}
