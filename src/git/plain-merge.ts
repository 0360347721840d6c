import { type FileMerge, mergeContents, type Side, type Sides } from './merge-contents.ts';
import { createObject, type GitObject, type Oid } from './object.ts';
import { findObjects, missingObject } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { canonicalMode, emptyTree, encodeTreeInTurns, entryKind, Tree, type TreeEntry } from './tree.ts';

/** Longer paths cost more: a chain of d directories has paths of d² characters. */
const charactersPerStep = 64;

/** Trees to merge. */
interface MergedTrees {
  base: Oid;
  ours: Oid;
  theirs: Oid;
}

/** A merged tree, and the objects that it needs beside those of the merged trees. */
export interface MergedTree {
  tree: Oid;
  objects: GitObject[];
}

/** What both sides did is for git to decide, with all that differs before it. */
class NotPlain extends Error {}

/**
 * Merges trees entry by entry; undefined where renames may matter: for a path that both sides added or deleted, or that one deleted and the
 * other changed, and for a directory that one deleted and the other changed. Elsewhere a rename has no effect: the side that did not rename
 * has neither changed the file nor added one to its directory. Files that both sides changed are merged by git, each three contents once.
 * Reads only what differs, and merges a directory that is at many paths once.
 *
 * @throws MergeConflict; WorkBudgetError
 */
export async function mergePlainly(repository: Repository, trees: MergedTrees): Promise<MergedTree | undefined> {
  const sides = [trees.base, trees.ours, trees.theirs].map(oid => ({ mode: '40000', oid })) as unknown as Sides;
  try {
    const first = new PlainMerge(repository);
    const merged = await first.mergeEntry('', sides);
    if (first.unmerged.size === 0) return finish(first, merged);
    const { files, blobs } = await mergeContents(repository, [...first.unmerged.values()]);
    const second = new PlainMerge(repository, new Map([...first.unmerged.keys()].map((key, at) => [key, files[at]])));
    for (const blob of blobs) second.add(blob);
    return finish(second, await second.mergeEntry('', sides));
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

const finish = (merge: PlainMerge, merged: Side): MergedTree => ({
  tree: merged?.oid ?? merge.add(emptyTree),
  objects: [...merge.made.values()],
});

class PlainMerge {
  readonly made = new Map<Oid, GitObject>();
  /** The files that both sides changed, by the modes and ids of the three sides. */
  readonly unmerged = new Map<string, FileMerge>();
  readonly #repository: Repository;
  /** By the ids of the three sides. */
  readonly #merged = new Map<string, Side>();
  readonly #files: ReadonlyMap<string, Side>;

  constructor(repository: Repository, files: ReadonlyMap<string, Side> = new Map()) {
    this.#repository = repository;
    this.#files = files;
  }

  add(object: GitObject): Oid {
    this.#repository.workBudget.spendObjects(1, object.content.length);
    this.made.set(object.oid, object);
    return object.oid;
  }

  async mergeEntry(path: string, sides: Sides): Promise<Side> {
    const [base, ours, theirs] = sides;
    if (isSame(base, theirs)) return ours;
    if (isSame(base, ours)) return theirs;
    if (!ours || !theirs) throw new NotPlain();
    if (isDirectory(ours) && isDirectory(theirs) && (!base || isDirectory(base))) {
      const key = `${base?.oid} ${ours.oid} ${theirs.oid}`;
      if (this.#merged.has(key)) return this.#merged.get(key);
      const merged = await this.#mergeDirectories(path, sides);
      this.#merged.set(key, merged);
      return merged;
    }
    if (!base || sides.some(isDirectory)) throw new NotPlain();
    if (isSame(ours, theirs)) return ours;
    const key = sides.map(side => `${modeOf(side)} ${side?.oid}`).join(' ');
    if (this.#files.has(key)) return this.#files.get(key);
    this.unmerged.set(key, this.unmerged.get(key) ?? { path, sides });
    return ours;
  }

  async #mergeDirectories(path: string, sides: Sides): Promise<Side> {
    // Each level starts in a new microtask: 2,000 of them would otherwise overflow the stack.
    await undefined;
    const { workBudget } = this.#repository;
    const trees = await this.#readTrees(sides);
    const entries: TreeEntry[] = [];
    for (const [at, tree] of trees.entries()) {
      for (const one of tree.entries) {
        workBudget.spendSteps(1 + path.length / charactersPerStep);
        if (workBudget.isTurnDue) await workBudget.turn();
        const name = one.name.toString('latin1');
        if (tree.get(name) !== one || trees.slice(0, at).some(earlier => earlier.get(name))) continue;
        const below = `${path}${path === '' ? '' : '/'}${name}`;
        const entry = await this.mergeEntry(below, trees.map(each => each.get(name)) as unknown as Sides);
        if (entry) entries.push({ ...entry, mode: canonicalMode(entry.mode), name: one.name });
      }
    }
    if (entries.length === 0) return undefined;
    return {
      mode: '40000',
      oid: this.add(createObject('tree', await encodeTreeInTurns(entries, workBudget))),
    };
  }

  async #readTrees(sides: Sides): Promise<Tree[]> {
    const oids = sides.map(side => (side?.oid === emptyTree.oid ? undefined : side?.oid));
    const stored = await findObjects(
      this.#repository,
      oids.filter(oid => oid !== undefined),
    );
    return oids.map(oid => {
      const object = oid === undefined ? undefined : stored.get(oid);
      if (oid !== undefined && !object) throw missingObject(oid);
      return object?.tree ?? noEntries;
    });
  }
}

const noEntries = new Tree([]);
const isDirectory = (side: Side): boolean => side !== undefined && entryKind(side.mode) === 'directory';
const modeOf = (side: Side): string | undefined => side && canonicalMode(side.mode);

function isSame(one: Side, other: Side): boolean {
  return one === other || (one?.oid === other?.oid && modeOf(one) === modeOf(other));
}
