import { sortInTurns } from '../workers/sort-in-turns.ts';
import type { Oid } from './object.ts';
import { missingObject, readBatches, readForFirst } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { canonicalMode, entryKind, Tree, type TreeEntry } from './tree.ts';

export interface Difference {
  /** Bytes as latin1 characters. */
  path: string;
  status: 'added' | 'deleted' | 'modified' | 'type-changed';
  /** Undefined for an added file. The mode is canonical. */
  before: { mode: string; oid: Oid } | undefined;
  /** Undefined for a deleted file. */
  after: { mode: string; oid: Oid } | undefined;
}

/** Two trees to compare. Undefined stands for the empty tree. */
export interface TreePair {
  before: Oid | undefined;
  after: Oid | undefined;
  /** Trees from which a file must differ, too: those of the other parents of a merge. */
  others?: readonly (Oid | undefined)[];
}

interface Pair extends TreePair {
  /** Ends in a slash, except that of the root. */
  folder: string;
  into: Difference[];
}

/** Pairs of directories that are read together. */
const pairsPerRound = 500;
/**
 * Steps that a listed file costs: with its path it takes some 250 bytes, so that the 20 million steps of a request are 500,000 files and
 * 125 MB, and not 5 GB.
 */
const stepsPerFile = 40;
/** Longer paths cost more: a chain of d directories has paths of d² characters. */
const charactersPerStep = 64;
/** Changes that are remembered, some 60 MB. */
const maxKnownChanges = 200_000;

interface DiffOptions {
  /** Only the first files are listed, and one more when there are more; directories behind them are not read. */
  maxFiles?: number;
  /** Takes the ids of the directories that differ, of both sides. */
  trees?: Set<Oid>;
}

/**
 * The files that differ between two trees, sorted by path, as `git diff-tree -r` lists them. Undefined stands for the
 * empty tree. Equal subtrees are not read.
 * @throws GitError `missing`, `corrupt`; WorkBudgetError
 */
export async function diffTrees(
  repository: Repository,
  before: Oid | undefined,
  after: Oid | undefined,
  { maxFiles = Number.POSITIVE_INFINITY, trees }: DiffOptions = {},
): Promise<Difference[]> {
  const found: Difference[] = [];
  const diff = new TreeDiff(repository, trees);
  const limit = maxFiles + 1;
  const root = { folder: '', before, after, into: found };
  await diff.run(before === after ? [] : [root], async pairs => {
    // Only when there are twice as many: otherwise each round would sort.
    if (found.length < 2 * limit && pairs.length > 0) return;
    await sortInTurns(found, byPath, repository.workBudget);
    found.length = Math.min(found.length, limit);
    const last = found[limit - 1]?.path;
    // The next pair is the last of the list; those behind the last file that is wanted come first.
    if (last !== undefined) pairs.splice(0, pairs.findLastIndex(({ folder }) => folder > last) + 1);
  });
  return found;
}

/**
 * The same for many pairs, in their order. The subtrees of all pairs are read together.
 * @throws as `diffTrees`
 */
export async function diffTreePairs(repository: Repository, trees: readonly TreePair[]): Promise<Difference[][]> {
  const all = trees.map((): Difference[] => []);
  const pairs = trees.flatMap((pair, at): Pair[] =>
    [pair.before, ...(pair.others ?? [])].includes(pair.after)
      ? []
      : [{ ...pair, folder: '', into: all[at] as Difference[] }],
  );
  await new TreeDiff(repository).run(pairs.reverse());
  for (const one of all) await sortInTurns(one, byPath, repository.workBudget);
  return all;
}

const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** A name whose entries differ. */
interface Change {
  name: string;
  /** Directories to compare; undefined when neither entry is one, or they are the same. */
  folders: TreePair | undefined;
  /** Undefined when neither entry is a file, or they are the same. */
  file: Omit<Difference, 'path'> | undefined;
}

/** One comparison. */
class TreeDiff {
  readonly #repository: Repository;
  readonly #trees: Set<Oid> | undefined;
  /** By the ids of two trees: a directory that is at many paths is compared once. */
  readonly #known = new Map<string, readonly Change[]>();
  #knownChanges = 0;

  constructor(repository: Repository, trees?: Set<Oid>) {
    this.#repository = repository;
    this.#trees = trees;
  }

  /** `pairs`: the next one is the last. `afterRound` may remove some. */
  async run(pairs: Pair[], afterRound?: (pairs: Pair[]) => Promise<void>): Promise<void> {
    while (pairs.length > 0) {
      const round = pairs.splice(-pairsPerRound).reverse();
      if (this.#trees) for (const oid of round.flatMap(treesOf)) this.#trees.add(oid);
      const changes = await this.#compareFirst(round);
      await this.#keepChangedFromOthers(round, changes);
      for (let at = round.length - 1; at >= changes.length; at--) pairs.push(round[at] as Pair);
      for (let at = changes.length - 1; at >= 0; at--) {
        await this.#expand(round[at] as Pair, changes[at] ?? [], pairs);
      }
      await afterRound?.(pairs);
    }
  }

  /** The changes of the first pairs, as many as can be read together; at least one. */
  async #compareFirst(pairs: readonly Pair[]): Promise<(readonly Change[])[]> {
    const unknown = pairs.filter(pair => !this.#known.has(keyOf(pair)));
    const { count, found } = await readForFirst(this.#repository, unknown, treesOf);
    const treeOf = (oid: Oid | undefined): Tree => {
      const tree = oid === undefined ? noEntries : found.get(oid)?.tree;
      if (!tree) throw missingObject(oid ?? '');
      return tree;
    };
    const read = new Set(unknown.slice(0, count));
    const changes: (readonly Change[])[] = [];
    for (const pair of pairs) {
      const known = this.#known.get(keyOf(pair));
      if (!known && !read.has(pair)) break;
      changes.push(known ?? (await this.#compare(pair, treeOf(pair.before), treeOf(pair.after))));
    }
    return changes;
  }

  /** Leaves what differs from the other trees, too, and names their directories in the pairs below. */
  async #keepChangedFromOthers(pairs: readonly Pair[], changes: (readonly Change[])[]): Promise<void> {
    const placesByTree = new Map<Oid | undefined, number[]>();
    for (const at of changes.keys()) {
      for (const other of new Set(pairs[at]?.others)) {
        const places = placesByTree.get(other);
        if (places) places.push(at);
        else placesByTree.set(other, [at]);
      }
    }
    const keep = async (tree: Tree, places: readonly number[]): Promise<void> => {
      for (const at of places) {
        const kept: Change[] = [];
        for (const change of changes[at] ?? []) {
          const one = keepChangedFrom(change, tree.get(change.name));
          if (one) kept.push(one);
          this.#repository.workBudget.spendSteps();
          if (this.#repository.workBudget.isTurnDue) await this.#repository.workBudget.turn();
        }
        changes[at] = kept;
      }
    };
    await keep(noEntries, placesByTree.get(undefined) ?? []);
    const wanted = [...placesByTree.keys()].filter(oid => oid !== undefined);
    for await (const { oids, found } of readBatches(this.#repository, wanted)) {
      for (const oid of oids) {
        const tree = found.get(oid)?.tree;
        if (!tree) throw missingObject(oid);
        await keep(tree, placesByTree.get(oid) ?? []);
      }
    }
  }

  async #compare(pair: TreePair, before: Tree, after: Tree): Promise<readonly Change[]> {
    const { workBudget } = this.#repository;
    const changes: Change[] = [];
    const add = (entry: TreeEntry, old: TreeEntry | undefined, current: TreeEntry | undefined): void => {
      const change = changeOf(entry.name.toString('latin1'), old, current);
      if (change) changes.push(change);
    };
    for (const entry of before.entries) {
      const name = entry.name.toString('latin1');
      // The first of two entries with one name counts.
      if (before.get(name) === entry) add(entry, entry, after.get(name));
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    for (const entry of after.entries) {
      const name = entry.name.toString('latin1');
      if (after.get(name) === entry && !before.get(name)) add(entry, undefined, entry);
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    this.#knownChanges += changes.length;
    if (this.#knownChanges > maxKnownChanges) {
      this.#known.clear();
      this.#knownChanges = changes.length;
    }
    this.#known.set(keyOf(pair), changes);
    return changes;
  }

  /** Lists the files, and puts the directories where the next pairs are. */
  async #expand({ folder, into }: Pair, changes: readonly Change[], pairs: Pair[]): Promise<void> {
    const { workBudget } = this.#repository;
    const below: Pair[] = [];
    for (const { name, folders, file } of changes) {
      const path = folder + name;
      if (file) into.push({ path, ...file });
      if (folders) below.push({ ...folders, folder: `${path}/`, into });
      workBudget.spendSteps((file ? stepsPerFile : 1) + path.length / charactersPerStep);
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    await sortInTurns(below, (a, b) => (a.folder < b.folder ? 1 : -1), workBudget);
    for (const pair of below) pairs.push(pair);
  }
}

const noEntries = new Tree([]);
const keyOf = ({ before, after }: TreePair): string => `${before} ${after}`;
/** The trees to read. */
export const treesOf = ({ before, after }: TreePair): Oid[] => [before, after].filter(oid => oid !== undefined);

function changeOf(name: string, old: TreeEntry | undefined, current: TreeEntry | undefined): Change | undefined {
  const [one, other] = [old && toSide(old), current && toSide(current)];
  if (isSame(one, other)) return undefined;
  const [before, after] = [treeOid(old), treeOid(current)];
  const sides = { before: before === undefined ? one : undefined, after: after === undefined ? other : undefined };
  return {
    name,
    folders: before === after ? undefined : { before, after },
    file: isSame(sides.before, sides.after) ? undefined : { status: statusOf(sides.before, sides.after), ...sides },
  };
}

/** What is left of a change beside an entry of another tree. */
function keepChangedFrom({ name, folders, file }: Change, entry: TreeEntry | undefined): Change | undefined {
  const directory = treeOid(entry);
  const side = directory === undefined ? entry && toSide(entry) : undefined;
  const kept: Change = {
    name,
    folders:
      folders && folders.after !== directory
        ? { ...folders, others: [...(folders.others ?? []), directory] }
        : undefined,
    file: file && !isSame(side, file.after) ? file : undefined,
  };
  return kept.folders || kept.file ? kept : undefined;
}

type Side = Difference['before'];

const isSame = (one: Side, other: Side): boolean => one?.mode === other?.mode && one?.oid === other?.oid;

function toSide({ mode, oid }: TreeEntry): { mode: string; oid: Oid } {
  return { mode: canonicalMode(mode), oid };
}

function treeOid(entry: TreeEntry | undefined): Oid | undefined {
  return entry && entryKind(entry.mode) === 'directory' ? entry.oid : undefined;
}

function statusOf(before: Side, after: Side): Difference['status'] {
  if (!before) return 'added';
  if (!after) return 'deleted';
  return entryKind(before.mode) === entryKind(after.mode) ? 'modified' : 'type-changed';
}
