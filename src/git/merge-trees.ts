import { isBinary } from './binary-content.ts';
import { chunkBytes } from './chunk-rows.ts';
import { DiffBudget } from './line-diff.ts';
import { mergeLines } from './merge-lines.ts';
import { createObject, type GitObject, type Oid } from './object.ts';
import { LoadedObject } from './object-cache.ts';
import { findObjects, missingObject, statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { canonicalMode, emptyTree, encodeTreeInTurns, entryKind, modes, Tree, type TreeEntry } from './tree.ts';

/** Longer paths cost more: a chain of d directories has paths of d² characters. */
const charactersPerStep = 64;
/** Blobs that one merge may merge by their lines, and their bytes on all sides together. */
const limits = { blobs: 3_000, bytes: 32 * 1024 * 1024, blobBytes: chunkBytes };

/** A mode and an id at one path; undefined where the path does not exist. */
type Side = Pick<TreeEntry, 'mode' | 'oid'> | undefined;
type Sides = readonly [base: Side, ours: Side, theirs: Side];

/** Two sides change one path differently, or more than is merged. Nothing is stored. */
export class MergeConflict extends Error {
  /** Bytes as latin1 characters. */
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

/** Trees to merge; undefined for the empty tree. */
export interface MergedTrees {
  base: Oid | undefined;
  ours: Oid | undefined;
  theirs: Oid | undefined;
}

/**
 * Merges trees entry by entry, as git does without detection of renames and without `.gitattributes`; it reads only what differs.
 * Conflicts are: lines that both sides change, a file that one side changes and the other deletes, differing binary files, links,
 * submodules and modes, and a file where the other side has a directory.
 */
export class TreeMerge {
  readonly #repository: Repository;
  readonly #made = new Map<Oid, LoadedObject>();
  /** Merged directories and blobs by the ids of the three sides: what is at many paths is merged once. */
  readonly #merged = new Map<string, Side>();
  readonly #budget: DiffBudget;
  readonly #left = { blobs: limits.blobs, bytes: limits.bytes };

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#budget = new DiffBudget(repository.workBudget);
  }

  /** The objects that the merges have made, those of intermediate ancestors included. */
  get objects(): GitObject[] {
    return [...this.#made.values()];
  }

  /** Id of the merged tree. @throws MergeConflict; WorkBudgetError */
  async merge({ base, ours, theirs }: MergedTrees): Promise<Oid> {
    const [old, one, other] = [base, ours, theirs].map(oid => (oid === undefined ? undefined : { mode: '40000', oid }));
    const merged = await this.#mergeDirectories('', [old, one, other]);
    return merged?.oid ?? this.#add(emptyTree);
  }

  #add(object: GitObject): Oid {
    this.#repository.workBudget.spendObjects(1, object.content.length);
    this.#made.set(object.oid, new LoadedObject(object));
    return object.oid;
  }

  async #mergeDirectories(path: string, [base, ours, theirs]: Sides): Promise<Side> {
    if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
    if (isSame(base, ours)) return theirs;
    const key = `tree ${base?.oid} ${ours?.oid} ${theirs?.oid}`;
    if (this.#merged.has(key)) return this.#merged.get(key);
    const { workBudget } = this.#repository;
    const trees = await this.#readTrees([base, ours, theirs]);
    const entries: TreeEntry[] = [];
    for (const [at, tree] of trees.entries()) {
      for (const one of tree.entries) {
        workBudget.spendSteps(1 + path.length / charactersPerStep);
        if (workBudget.isTurnDue) await workBudget.turn();
        const name = one.name.toString('latin1');
        if (tree.get(name) !== one || trees.slice(0, at).some(earlier => earlier.get(name))) continue;
        const sides = trees.map(each => each.get(name));
        const entry = await this.#mergeEntry(`${path}${name}`, sides as unknown as Sides);
        if (entry) entries.push({ ...entry, mode: canonicalMode(entry.mode), name: one.name });
      }
    }
    const merged =
      entries.length === 0
        ? undefined
        : { mode: '40000', oid: this.#add(createObject('tree', await encodeTreeInTurns(entries, workBudget))) };
    this.#merged.set(key, merged);
    return merged;
  }

  /** A name has a file or a directory on each side; both are merged apart, and only one of them may be left. */
  async #mergeEntry(path: string, sides: Sides): Promise<Side> {
    const [base, ours, theirs] = sides;
    if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
    if (isSame(base, ours)) return theirs;
    const only = (isDirectory: boolean): Sides =>
      sides.map(side => (side && (entryKind(side.mode) === 'directory') === isDirectory ? side : undefined)) as never;
    const directory = await this.#mergeDirectories(`${path}/`, only(true));
    const file = await this.#mergeFiles(path, only(false));
    if (directory && file) throw new MergeConflict(path, 'One side has a file where the other has a directory.');
    return directory ?? file;
  }

  async #mergeFiles(path: string, [base, ours, theirs]: Sides): Promise<Side> {
    if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
    if (isSame(base, ours)) return theirs;
    if (!ours || !theirs) throw new MergeConflict(path, 'One side changes the file and the other deletes it.');
    const kinds = [base, ours, theirs].map(side => side && entryKind(side.mode));
    if (kinds[1] !== kinds[2]) throw new MergeConflict(path, 'The sides have different types of files.');
    const mode = mergeValues(modeOf(base), modeOf(ours), modeOf(theirs));
    if (mode === undefined) throw new MergeConflict(path, 'The sides have different modes.');
    const same = mergeValues(base?.oid, ours.oid, theirs.oid);
    if (same !== undefined) return { mode, oid: same };
    if (kinds[1] !== 'file') throw new MergeConflict(path, `Both sides change the ${kinds[1]}.`);
    const before = kinds[0] === 'file' ? base?.oid : undefined;
    return { mode, oid: await this.#mergeBlobs(path, [before, ours.oid, theirs.oid]) };
  }

  async #mergeBlobs(path: string, oids: readonly [Oid | undefined, Oid, Oid]): Promise<Oid> {
    const key = `blob ${oids.join(' ')}`;
    const known = this.#merged.get(key);
    if (known) return known.oid;
    const contents = await this.#readBlobs(path, oids);
    if (contents.some(isBinary)) throw new MergeConflict(path, 'Both sides change the binary file.');
    const [base = '', ours = '', theirs = ''] = contents.map(content => content.toString('latin1'));
    const merged = await mergeLines(base, ours, theirs, this.#budget);
    if (merged === undefined) throw new MergeConflict(path, 'Both sides change the same lines.');
    const oid = this.#add(createObject('blob', Buffer.from(merged, 'latin1')));
    this.#merged.set(key, { mode: modes.file, oid });
    return oid;
  }

  async #readBlobs(path: string, oids: readonly (Oid | undefined)[]): Promise<Buffer[]> {
    const stored = oids.filter(oid => oid !== undefined && !this.#made.has(oid)) as Oid[];
    const sizes = [...(await statObjects(this.#repository, stored)).values()].map(({ size }) => size);
    this.#left.blobs--;
    this.#left.bytes -= sizes.reduce((sum, size) => sum + size, 0);
    const isTooLarge = sizes.some(size => size > limits.blobBytes) || this.#left.blobs < 0 || this.#left.bytes < 0;
    if (isTooLarge) throw new MergeConflict(path, 'The files that both sides change are too large to be merged.');
    const objects = await this.#read(stored);
    return oids.map(oid => (oid === undefined ? Buffer.alloc(0) : this.#objectOf(oid, objects).content));
  }

  async #readTrees(sides: Sides): Promise<Tree[]> {
    const oids = sides.map(side => side?.oid);
    const stored = await this.#read(oids.filter(oid => oid !== undefined));
    const trees: Tree[] = [];
    for (const oid of oids) {
      const object = oid === undefined || oid === emptyTree.oid ? undefined : this.#objectOf(oid, stored);
      if (object?.isUnprepared) await object.prepare(this.#repository.workBudget);
      trees.push(object?.tree ?? noEntries);
    }
    return trees;
  }

  #read(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, LoadedObject>> {
    return findObjects(
      this.#repository,
      oids.filter(oid => !this.#made.has(oid) && oid !== emptyTree.oid),
    );
  }

  #objectOf(oid: Oid, stored: ReadonlyMap<Oid, LoadedObject>): LoadedObject {
    const object = this.#made.get(oid) ?? stored.get(oid);
    if (!object) throw missingObject(oid);
    return object;
  }
}

const noEntries = new Tree([]);
const modeOf = (side: Side): string | undefined => side && canonicalMode(side.mode);

function isSame(one: Side, other: Side): boolean {
  return one === other || (one?.oid === other?.oid && modeOf(one) === modeOf(other));
}

/** The value that one side changed, or both changed alike; undefined when they differ. */
function mergeValues<T>(base: T | undefined, ours: T, theirs: T): T | undefined {
  if (ours === theirs || base === theirs) return ours;
  return base === ours ? theirs : undefined;
}
