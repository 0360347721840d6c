import { sql } from 'kysely';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import type { CommitRepository } from '../commits/git-commit.ts';
import { accessDenied } from '../repositories/access-denied.ts';
import { type AccessDecision, accessDecision } from '../repositories/repository-access.ts';

/** A repository whose contents the caller may read: what its git objects need of it. */
export interface GitPlace extends CommitRepository {
  defaultBranch: string;
}

/**
 * DataLoader batch function: repositories by id, each with the check that the caller may read its contents, in one statement for
 * all. Null for a repository that the caller cannot see, an error for one whose contents are refused.
 */
export async function loadGitPlaces(context: Context, ids: readonly number[]): Promise<(GitPlace | null | Error)[]> {
  const scope: HostingScope = 'contents:read';
  const rows = await context.read(sql<GitPlace & { ownerId: number; decision: AccessDecision }>`
    select r.id as "databaseId", o.login as "ownerLogin", r.name, r.network_root_id as "networkRootId",
      r.default_branch as "defaultBranch", r.owner_id as "ownerId", ${accessDecision(context.actor, scope)} as decision
    from repository r join account o on o.id = r.owner_id where r.id = any(${[...ids]}::bigint[])`);
  const byId = new Map(
    rows.map(({ decision, ownerId, ...place }) => {
      const facts = { ownerId, ownerLogin: place.ownerLogin };
      if (decision === 'hidden') return [place.databaseId, null];
      return [place.databaseId, decision === 'allowed' ? place : accessDenied(context, decision, scope, facts)];
    }),
  );
  return ids.map(id => byId.get(id) ?? null);
}

/**
 * The repository for reads of its git data; null if the caller cannot see it. Every field below `Repository` that leads to git data
 * begins here; what lies below it belongs to the same repository and is not checked again.
 * @throws 403 when the contents are refused
 */
export const gitPlace = (context: Context, repositoryId: number): Promise<GitPlace | null> =>
  context.load(loadGitPlaces, noSelection).load(repositoryId);
