import { mergeBases } from './history.ts';
import { MergeConflict, TreeMerge } from './merge-trees.ts';
import type { GitObject, Oid } from './object.ts';
import { reachableAmong } from './reachable.ts';
import { readCommit } from './read-objects.ts';
import type { Repository } from './repository.ts';

/** Criss-cross merges above each other. */
const maxDepth = 10;

/** A merged tree, and the objects that it needs beside those of the merged commits. */
export interface MergedCommits {
  tree: Oid;
  objects: GitObject[];
}

/**
 * Merges two commits by their common ancestor. Of two ancestors after a criss-cross merge, the merge of these is the ancestor, as in
 * git; where it has conflicts, or there are more, the merge is refused.
 *
 * @throws MergeConflict, whose path is empty for unrelated histories and for ancestors that cannot be merged; WorkBudgetError
 */
export async function mergeCommits(repository: Repository, ours: Oid, theirs: Oid): Promise<MergedCommits> {
  const merge = new TreeMerge(repository);
  const tree = await mergeTrees(repository, merge, [ours, theirs], 0);
  const { objects } = merge;
  const needed = await reachableAmong(objects, [tree], repository.workBudget);
  return { tree, objects: objects.filter(({ oid }) => needed.has(oid)) };
}

async function mergeTrees(
  repository: Repository,
  merge: TreeMerge,
  [ours, theirs]: readonly [Oid, Oid],
  depth: number,
): Promise<Oid> {
  const treeOf = async (commit: Oid): Promise<Oid> => (await readCommit(repository, commit)).tree;
  // Oldest first, as git merges them.
  const [first, second, ...others] = (await mergeBases(repository, ours, theirs)).reverse();
  if (first === undefined) throw new MergeConflict('', 'The histories have no common ancestor.');
  if (others.length > 0 || depth >= maxDepth)
    throw new MergeConflict('', 'The histories have too many common ancestors.');
  const base =
    second === undefined ? await treeOf(first) : await mergeAncestors(repository, merge, [first, second], depth + 1);
  return merge.merge({ base, ours: await treeOf(ours), theirs: await treeOf(theirs) });
}

async function mergeAncestors(
  repository: Repository,
  merge: TreeMerge,
  ancestors: readonly [Oid, Oid],
  depth: number,
): Promise<Oid> {
  try {
    return await mergeTrees(repository, merge, ancestors, depth);
  } catch (error) {
    if (!(error instanceof MergeConflict)) throw error;
    throw new MergeConflict('', 'The common ancestors of the histories conflict with each other.');
  }
}
