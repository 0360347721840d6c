import type { Context } from '../../context/context.ts';
import { isAncestor } from '../../git/history.ts';
import { mergeCommits } from '../../git/merge-commits.ts';
import { MergeConflict } from '../../git/merge-trees.ts';
import { createObject, type Oid } from '../../git/object.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import { resolveCommitIdentities } from '../commits/commit-identities.ts';
import { type CommitEncoder, commitEncoder } from '../commits/service-signer.ts';
import { gitProblems } from '../git-problems.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { NewObjects, PushRequest } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';

/** What became of a merge: a merge commit, a branch that was moved forward, or a branch that had the commit already. */
export type MergeKind = 'merge' | 'fast-forward' | 'none';

export interface BranchMerge {
  /** Repository of the branch, which the caller may write. */
  row: OwnedRow;
  /** Short name. */
  branch: string;
  /** Commit that is merged into the branch. */
  head: Oid;
  message: string;
  /** Whether a branch without commits of its own is moved forward, without a merge commit. */
  mayFastForward: boolean;
  /** Stores the head and its history, where the repository may lack them. */
  store?: PushRequest['store'];
}

/**
 * Merges a commit into a branch by one push. The commit is the caller's, signed by the service. Returns the tip.
 *
 * @throws 404 for a branch that does not exist; 409 for a conflict, or when rules refuse the push
 */
export async function pushMerge(context: Context, merge: BranchMerge): Promise<{ kind: MergeKind; tip: Oid }> {
  const { row, branch, head, store } = merge;
  const encode = await commitEncoder(context, await resolveCommitIdentities(context, {}), true);
  let made: { kind: MergeKind; tip: Oid } | undefined;
  const to = async (tip: Oid | undefined, repository: RepositoryInTransaction): Promise<NewObjects> => {
    const merged = await mergeInto(repository, tip, merge, encode);
    made = { kind: merged.kind, tip: merged.to };
    return merged;
  };
  const request: PushRequest = {
    repositoryId: row.databaseId,
    ...pusherFor(context, row),
    updates: [{ ref: `refs/heads/${branch}`, to }],
    ...(store ? { store } : { links: new Map([[head, 'commit']]) }),
  };
  assertPushed(await translateGitErrors(() => push(context, request)));
  if (!made) throw new TypeError('The push succeeded without a merge.');
  return made;
}

async function mergeInto(
  repository: RepositoryInTransaction,
  tip: Oid | undefined,
  { head, message, mayFastForward }: BranchMerge,
  encode: CommitEncoder,
): Promise<NewObjects & { kind: MergeKind; to: Oid }> {
  if (tip === undefined) throw gitProblems.baseAbsent();
  if (await isAncestor(repository, head, tip)) return { kind: 'none', to: tip, objects: [] };
  if (mayFastForward && (await isAncestor(repository, tip, head))) {
    return { kind: 'fast-forward', to: head, objects: [] };
  }
  const { tree, objects } = await mergedTree(repository, tip, head);
  const commit = createObject('commit', await encode({ tree, parents: [tip, head], message }));
  return { kind: 'merge', to: commit.oid, objects: [...objects, commit] };
}

async function mergedTree(repository: RepositoryInTransaction, tip: Oid, head: Oid) {
  try {
    return await mergeCommits(repository, tip, head);
  } catch (error) {
    if (!(error instanceof MergeConflict)) throw error;
    throw gitProblems.mergeConflict(Buffer.from(error.path, 'latin1').toString(), error.message);
  }
}
