import { type Difference, diffTrees } from './diff-trees.ts';
import { GitProcessError } from './limited-git.ts';
import { ancestorLevels, copyGraph } from './merge-graph.ts';
import type { Oid } from './object.ts';
import { type MergedTree, mergePlainly } from './plain-merge.ts';
import { reachableAmong } from './reachable.ts';
import { readCommit, statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { MissingForMerge, runMergeTree, tooLargeToMerge } from './run-merge-tree.ts';
import { maxScratchBytes, ScratchRepository } from './scratch-repository.ts';
import { emptyTree, entryKind } from './tree.ts';

/** Changed files of one merge. */
const maxFiles = 100_000;

/**
 * Merges two commits by their common ancestors, as `git merge-tree` does, with renames of files and directories and without
 * `.gitattributes`. The installed git decides what both sides changed; it is not started where they changed different paths.
 *
 * @throws MergeConflict, whose path is empty for histories that cannot be merged; WorkBudgetError
 */
export async function mergeCommits(repository: Repository, ours: Oid, theirs: Oid): Promise<MergedTree> {
  const levels = await ancestorLevels(repository, ours, theirs);
  const commits = levels.flat();
  const trees = new Map<Oid, Oid>();
  for (const oid of commits) trees.set(oid, (await readCommit(repository, oid)).tree);
  const treeOf = (oid: Oid | undefined): Oid => trees.get(oid ?? '') ?? emptyTree.oid;
  const [base, ...others] = levels[1] ?? [];
  const plain =
    base === undefined || others.length > 0
      ? undefined
      : await mergePlainly(repository, { base: treeOf(base), ours: treeOf(ours), theirs: treeOf(theirs) });
  if (plain) return plain;
  const changes = new MergeChanges(repository);
  const reference = treeOf(commits.at(-1));
  for (const oid of commits) await changes.add(reference, treeOf(oid));
  const isCrissCross = others.length > 0;
  const merged = await mergeByGit(
    repository,
    levels,
    changes.trees,
    isCrissCross ? changes.blobs : changes.neededBlobs,
  );
  if (merged) return merged;
  // Where a directory was renamed, files meet that have different paths.
  const whole = isCrissCross ? undefined : await mergeByGit(repository, levels, changes.trees, changes.blobs);
  if (whole) return whole;
  throw new GitProcessError('objects', 'git needs objects that do not differ between the merged trees.');
}

/** What differs between the trees of the merged commits and those of their ancestors. */
class MergeChanges {
  readonly trees = new Set<Oid>();
  readonly blobs = new Set<Oid>();
  /** Those of paths that two sides changed, and of files that may be renamed: a side has deleted one and added another. */
  readonly neededBlobs = new Set<Oid>();
  readonly #repository: Repository;
  readonly #changed = new Map<string, Difference>();
  #files = 0;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async add(before: Oid, after: Oid): Promise<void> {
    const { trees } = this;
    const { workBudget } = this.#repository;
    for (const oid of [before, after]) trees.add(oid);
    const left = maxFiles - this.#files;
    const differences = await diffTrees(this.#repository, before, after, { trees, maxFiles: left });
    if (differences.length > left) throw tooLargeToMerge();
    this.#files += differences.length;
    const mayRename = ['added', 'deleted'].every(status => differences.some(one => one.status === status));
    for (const one of differences) {
      const earlier = this.#changed.get(one.path);
      this.#changed.set(one.path, one);
      const isNeeded = earlier !== undefined || (mayRename && (one.status === 'added' || one.status === 'deleted'));
      for (const oid of [...blobsOf(one), ...(earlier ? blobsOf(earlier) : [])]) {
        this.blobs.add(oid);
        if (isNeeded) this.neededBlobs.add(oid);
      }
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
    }
  }
}

const blobsOf = ({ before, after }: Difference): Oid[] =>
  [before, after].flatMap(side => (side && entryKind(side.mode) !== 'submodule' ? [side.oid] : []));

/** Undefined where git needs further objects. @throws MergeConflict */
async function mergeByGit(
  repository: Repository,
  levels: readonly (readonly Oid[])[],
  trees: ReadonlySet<Oid>,
  blobs: ReadonlySet<Oid>,
): Promise<MergedTree | undefined> {
  const stats = await statObjects(repository, [...blobs]);
  const sizes = new Map([...stats].map(([oid, { size }]) => [oid, size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (bytes > maxScratchBytes) throw tooLargeToMerge();
  return ScratchRepository.use(repository, bytes, async scratch => {
    const tips = await copyGraph(repository, scratch, levels);
    await scratch.copy([...trees].filter(oid => oid !== emptyTree.oid));
    await scratch.copyBlobs(sizes);
    const tree = await runMergeTree(scratch, tips).catch(error => {
      if (error instanceof MissingForMerge) return undefined;
      throw error;
    });
    if (tree === undefined) return undefined;
    const objects = tree === emptyTree.oid ? [emptyTree] : await scratch.readMade();
    // The ancestors may have been merged, too.
    const needed = await reachableAmong(objects, [tree], repository.workBudget);
    return { tree, objects: objects.filter(({ oid }) => needed.has(oid)) };
  });
}
