import { setImmediate } from 'node:timers/promises';
import { isBinary } from './binary-content.ts';
import { chunkBytes } from './chunk-rows.ts';
import { DiffBudget } from './line-diff.ts';
import { mergeLines } from './merge-lines.ts';
import { createObject, type GitObject, type Oid } from './object.ts';
import { findObjects, missingObject, statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { canonicalMode, emptyTree, encodeTree, entryKind, parseTree, type TreeEntry } from './tree.ts';

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
  readonly #made = new Map<Oid, GitObject>();
  readonly #budget = new DiffBudget();
  readonly #left = { blobs: limits.blobs, bytes: limits.bytes };

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** The objects that the merges have made, those of intermediate ancestors included. */
  get objects(): GitObject[] {
    return [...this.#made.values()];
  }

  /** Id of the merged tree. @throws MergeConflict */
  async merge({ base, ours, theirs }: MergedTrees): Promise<Oid> {
    const [old, one, other] = [base, ours, theirs].map(oid => (oid === undefined ? undefined : { mode: '40000', oid }));
    const merged = await this.#mergeDirectories('', [old, one, other]);
    return merged?.oid ?? this.#add(emptyTree);
  }

  #add(object: GitObject): Oid {
    this.#made.set(object.oid, object);
    return object.oid;
  }

  async #mergeDirectories(path: string, [base, ours, theirs]: Sides): Promise<Side> {
    if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
    if (isSame(base, ours)) return theirs;
    const trees = await this.#readTrees([base, ours, theirs]);
    const names = new Set(trees.flatMap(tree => [...tree.keys()]));
    const entries: TreeEntry[] = [];
    for (const name of names) {
      const sides = trees.map(tree => tree.get(name));
      const entry = await this.#mergeEntry(`${path}${name}`, sides as unknown as Sides);
      if (entry) entries.push({ ...entry, mode: canonicalMode(entry.mode), name: Buffer.from(name, 'latin1') });
    }
    if (entries.length === 0) return undefined;
    return { mode: '40000', oid: this.#add(createObject('tree', encodeTree(entries))) };
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
    const contents = await this.#readBlobs(path, oids);
    if (contents.some(isBinary)) throw new MergeConflict(path, 'Both sides change the binary file.');
    // Other requests run between two files.
    await setImmediate();
    const [base = '', ours = '', theirs = ''] = contents.map(content => content.toString('latin1'));
    const merged = mergeLines(base, ours, theirs, this.#budget);
    if (merged === undefined) throw new MergeConflict(path, 'Both sides change the same lines.');
    return this.#add(createObject('blob', Buffer.from(merged, 'latin1')));
  }

  async #readBlobs(path: string, oids: readonly (Oid | undefined)[]): Promise<Buffer[]> {
    const stored = oids.filter(oid => oid !== undefined && !this.#made.has(oid)) as Oid[];
    const sizes = [...(await statObjects(this.#repository, stored)).values()].map(({ size }) => size);
    this.#left.blobs--;
    this.#left.bytes -= sizes.reduce((sum, size) => sum + size, 0);
    const isTooLarge = sizes.some(size => size > limits.blobBytes) || this.#left.blobs < 0 || this.#left.bytes < 0;
    if (isTooLarge) throw new MergeConflict(path, 'The files that both sides change are too large to be merged.');
    const objects = await this.#read(stored);
    return oids.map(oid => (oid === undefined ? Buffer.alloc(0) : this.#contentOf(oid, objects)));
  }

  /** Entries by name as latin1 characters; none for a directory that does not exist. */
  async #readTrees(sides: Sides): Promise<Map<string, TreeEntry>[]> {
    const oids = sides.map(side => side?.oid);
    const objects = await this.#read(oids.filter(oid => oid !== undefined));
    return oids.map(oid => {
      if (oid === undefined || oid === emptyTree.oid) return new Map();
      const { entries } = parseTree(this.#contentOf(oid, objects), oid);
      return new Map(entries.map(entry => [entry.name.toString('latin1'), entry]));
    });
  }

  #read(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, { content: Buffer }>> {
    return findObjects(
      this.#repository,
      oids.filter(oid => !this.#made.has(oid) && oid !== emptyTree.oid),
    );
  }

  #contentOf(oid: Oid, stored: ReadonlyMap<Oid, { content: Buffer }>): Buffer {
    const content = (this.#made.get(oid) as { content?: Buffer } | undefined)?.content ?? stored.get(oid)?.content;
    if (!content) throw missingObject(oid);
    return content;
  }
}

const modeOf = (side: Side): string | undefined => side && canonicalMode(side.mode);

function isSame(one: Side, other: Side): boolean {
  return one === other || (one?.oid === other?.oid && modeOf(one) === modeOf(other));
}

/** The value that one side changed, or both changed alike; undefined when they differ. */
function mergeValues<T>(base: T | undefined, ours: T, theirs: T): T | undefined {
  if (ours === theirs || base === theirs) return ours;
  return base === ours ? theirs : undefined;
}
