import { type Difference, diffTrees } from './diff-trees.ts';
import { GitProcessError } from './limited-git.ts';
import { MergeConflict, parseConflict } from './merge-conflict.ts';
import { ancestorLevels, copyGraph } from './merge-graph.ts';
import type { Oid } from './object.ts';
import { type MergedTree, mergePlainly } from './plain-merge.ts';
import { reachableAmong } from './reachable.ts';
import { readCommit, statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { type GitOutput, ScratchRepository } from './scratch-repository.ts';
import { emptyTree, entryKind } from './tree.ts';

/** What is given to git for one merge. */
const limits = { files: 100_000, bytes: 256 * 1024 * 1024 };
/** Of the output, for the first conflict. */
const maxOutputBytes = 1024 * 1024;
/** The code with which git ends that does not know an option: `merge-tree --write-tree` is of 2.38. */
const usageCode = 129;

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
  const mayNeedAll = others.length > 0;
  const needed = mayNeedAll ? changes.blobs : changes.neededBlobs;
  const merged = await mergeByGit(repository, levels, changes.trees, needed);
  if (merged) return merged;
  // Where a directory was renamed, files meet that have different paths.
  const whole = mayNeedAll ? undefined : await mergeByGit(repository, levels, changes.trees, changes.blobs);
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
    const maxFiles = limits.files - this.#files;
    const differences = await diffTrees(this.#repository, before, after, { trees, maxFiles });
    if (differences.length > maxFiles) throw tooLarge();
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

const tooLarge = (): MergeConflict =>
  new MergeConflict('', 'The files that both sides change are too many or too large to be merged.');

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
  if (bytes > limits.bytes) throw tooLarge();
  return ScratchRepository.use(repository, bytes, async scratch => {
    const [ours, theirs] = await copyGraph(repository, scratch, levels);
    await scratch.copy([...trees].filter(oid => oid !== emptyTree.oid));
    await scratch.copyBlobs(sizes);
    const command = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
    let answer: GitOutput;
    try {
      answer = await scratch.run(command, { maxOutputBytes });
    } catch (error) {
      if (!(error instanceof GitProcessError)) throw error;
      if (error.code === usageCode)
        throw new MergeConflict('', 'Both sides change the same files, which needs git 2.38 on this server.');
      if (/unable to read|could not read|cannot read/i.test(error.stderr)) return undefined;
      throw error;
    }
    const { code, output } = answer;
    if (code === 1) throw parseConflict(output);
    const tree = output.toString('latin1', 0, 40);
    const objects = tree === emptyTree.oid ? [emptyTree] : await scratch.readMade();
    // The ancestors may have been merged, too.
    const needed = await reachableAmong(objects, [tree], repository.workBudget);
    return { tree, objects: objects.filter(({ oid }) => needed.has(oid)) };
  });
}
