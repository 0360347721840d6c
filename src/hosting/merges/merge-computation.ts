import { isAncestor } from '../../git/history.ts';
import { mergeCommits } from '../../git/merge-commits.ts';
import { MergeConflict } from '../../git/merge-conflict.ts';
import type { GitObject, Oid } from '../../git/object.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import type { Computation } from '../../workers/computation.ts';

interface MergeInput {
  /** Of the branch. */
  tip: Oid;
  /** Commit that is merged into the branch. */
  head: Oid;
  /** Whether a branch without commits of its own is moved forward, without a merge commit. */
  mayFastForward: boolean;
}

/** What a merge of a commit into a branch is to do. */
export type PlannedMerge =
  | { kind: 'none' }
  | { kind: 'fast-forward' }
  /** `objects`: those that the tree needs beside what is stored. */
  | { kind: 'merge'; tree: Oid; objects: GitObject[] }
  /** `path`: bytes as latin1 characters; empty where the histories cannot be merged. */
  | { kind: 'conflict'; path: string; reason: string };

/** @throws WorkBudgetError, GitError */
export async function planMerge(
  repository: Repository,
  { tip, head, mayFastForward }: MergeInput,
): Promise<PlannedMerge> {
  if (await isAncestor(repository, head, tip)) return { kind: 'none' };
  if (mayFastForward && (await isAncestor(repository, tip, head))) return { kind: 'fast-forward' };
  try {
    const { tree, objects } = await mergeCommits(repository, tip, head);
    return { kind: 'merge', tree, objects: objects.map(({ oid, type, content }) => ({ oid, type, content })) };
  } catch (error) {
    if (!(error instanceof MergeConflict)) throw error;
    return { kind: 'conflict', path: error.path, reason: error.message };
  }
}

export const mergeComputation: Computation<MergeInput & { repositoryId: number }, PlannedMerge> = {
  name: 'merge',
  run: (source, { repositoryId, ...input }) => planMerge(openRepository(source, repositoryId), input),
};
