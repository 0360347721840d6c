import { type Kysely, sql } from 'kysely';
import { hasBranches } from '../../git/refs.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import type { RefChange } from './prepared-push.ts';

const prefix = 'refs/heads/';

/**
 * The short name of the branch that becomes the default branch by a push: the first that it creates in a repository without branches,
 * unless it creates the default branch itself. Undefined for every other push. Without it, HEAD would point to no commit.
 */
export async function findFirstBranch(
  repository: RepositoryInTransaction,
  changes: readonly RefChange[],
  defaultBranch: string,
): Promise<string | undefined> {
  const created = createdBranches(changes);
  if (created.length === 0 || created.includes(defaultBranch)) return undefined;
  return (await hasBranches(repository)) ? undefined : created[0];
}

/** Short names, in the order of the changes. */
export function createdBranches(changes: readonly RefChange[]): string[] {
  return changes.flatMap(({ ref, old, new: end }) =>
    old === undefined && end !== undefined && ref.startsWith(prefix) ? [ref.slice(prefix.length)] : [],
  );
}

export async function setDefaultBranch(db: Kysely<unknown>, repositoryId: number, branch: string): Promise<void> {
  await sql`update repository set default_branch = ${branch} where id = ${repositoryId}`.execute(db);
}
