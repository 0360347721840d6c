import { mergeBases, newCommits } from './history.ts';
import { MergeConflict } from './merge-conflict.ts';
import type { Oid } from './object.ts';
import { readCommit } from './read-objects.ts';
import type { Repository } from './repository.ts';
import type { ScratchRepository } from './scratch-repository.ts';

/** Ancestors of criss-cross merges: of one level, of all levels, and the commits that are given to git for them. */
const limits = { ancestors: 16, levels: 50, commits: 20_000 };

/**
 * The two commits; their best common ancestors; those of each two of these; and so on, to a level with one ancestor or none. git merges the
 * ancestors of a level to the ancestor of the level above.
 * @throws MergeConflict, also for unrelated histories; WorkBudgetError
 */
export async function ancestorLevels(repository: Repository, ours: Oid, theirs: Oid): Promise<Oid[][]> {
  const levels = [[ours, theirs]];
  for (let level = levels[0] ?? []; level.length > 1; level = levels.at(-1) ?? []) {
    const above = new Set<Oid>();
    for (const [at, one] of level.entries()) {
      for (const other of level.slice(at + 1)) {
        for (const oid of await mergeBases(repository, one, other)) above.add(oid);
      }
    }
    if (levels.length === 1 && above.size === 0) throw new MergeConflict('', 'The histories have no common ancestor.');
    if (above.size > limits.ancestors || levels.length > limits.levels)
      throw new MergeConflict('', 'The histories have too many common ancestors.');
    levels.push([...above]);
  }
  return levels;
}

/**
 * Writes commits from which git computes the same ancestors, and returns the two that are merged. They have the trees and dates of the
 * stored ones. What is below the last level is left out: it has no part in the merge.
 */
export async function copyGraph(
  repository: Repository,
  scratch: ScratchRepository,
  levels: readonly (readonly Oid[])[],
): Promise<[ours: Oid, theirs: Oid]> {
  const [[ours = '', theirs = ''] = [], ...above] = levels;
  const [last = []] = above.slice(-1);
  const copies = new Map<Oid, Oid>();
  const copy = async (oid: Oid, tree: Oid, parents: readonly Oid[], date: number): Promise<void> => {
    const known = parents.flatMap(parent => copies.get(parent) ?? []);
    copies.set(oid, await scratch.addCommit({ tree, parents: known, date, message: oid }));
  };
  for (const oid of last) await copyStored(repository, oid, [], copy);
  if (above.length === 1) {
    // With one ancestor, the commits between do not matter.
    for (const oid of [ours, theirs]) if (!copies.has(oid)) await copyStored(repository, oid, last, copy);
  } else {
    const between = await newCommits(repository, [ours, theirs], last);
    if (between.length > limits.commits)
      throw new MergeConflict('', 'The histories have too many commits since their common ancestors.');
    const waiting = new Map(between.map(node => [node.oid, node]));
    const stack = [ours, theirs];
    for (let oid = stack.at(-1); oid !== undefined; oid = stack.at(-1)) {
      repository.workBudget.spendSteps();
      const node = waiting.get(oid);
      const missing = copies.has(oid) || !node ? [] : node.parents.filter(one => waiting.has(one) && !copies.has(one));
      if (missing.length > 0) {
        for (const one of missing) stack.push(one);
        continue;
      }
      stack.pop();
      if (node && !copies.has(oid)) await copy(oid, node.tree, node.parents, node.committedAt);
    }
  }
  return [copies.get(ours) ?? '', copies.get(theirs) ?? ''];
}

async function copyStored(
  repository: Repository,
  oid: Oid,
  parents: readonly Oid[],
  copy: (oid: Oid, tree: Oid, parents: readonly Oid[], date: number) => Promise<void>,
): Promise<void> {
  const { tree, committer } = await readCommit(repository, oid);
  await copy(oid, tree, parents, committer.seconds);
}
