import { createObject, type GitObject, type Oid } from './object.ts';
import { findObjects, missingObject } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { canonicalMode, emptyTree, encodeTreeInTurns, entryKind, Tree, type TreeEntry } from './tree.ts';

/** Longer paths cost more: a chain of d directories has paths of d² characters. */
const charactersPerStep = 64;

/** A mode and an id at one path; undefined where the path does not exist. */
type Side = Pick<TreeEntry, 'mode' | 'oid'> | undefined;
type Sides = readonly [base: Side, ours: Side, theirs: Side];

/** Trees to merge. */
export interface MergedTrees {
  base: Oid;
  ours: Oid;
  theirs: Oid;
}

/** A merged tree, and the objects that it needs beside those of the merged trees. */
export interface MergedTree {
  tree: Oid;
  objects: GitObject[];
}

/** What both sides did is for git to decide. */
class NotPlain extends Error {}

/**
 * Merges trees whose sides have changed different paths; undefined where git has to decide: for a path that both sides changed, and for a
 * directory that one side deleted and the other changed. A rename has no other effect: the side that did not rename has neither changed the
 * file nor added one to its directory. Reads only what differs, and merges a directory that is at many paths once.
 *
 * @throws WorkBudgetError
 */
export async function mergePlainly(
  repository: Repository,
  { base, ours, theirs }: MergedTrees,
): Promise<MergedTree | undefined> {
  const merge = new PlainMerge(repository);
  try {
    const [old, one, other] = [base, ours, theirs].map(oid => ({ mode: '40000', oid }));
    const merged = await merge.mergeEntry([old, one, other]);
    return { tree: merged?.oid ?? merge.add(emptyTree), objects: [...merge.made.values()] };
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class PlainMerge {
  readonly made = new Map<Oid, GitObject>();
  readonly #repository: Repository;
  /** By the ids of the three sides. */
  readonly #merged = new Map<string, Side>();

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  add(object: GitObject): Oid {
    this.#repository.workBudget.spendObjects(1, object.content.length);
    this.made.set(object.oid, object);
    return object.oid;
  }

  async mergeEntry([base, ours, theirs]: Sides, depth = 0): Promise<Side> {
    if (isSame(base, theirs)) return ours;
    if (isSame(base, ours)) return theirs;
    if (!isDirectory(ours) || !isDirectory(theirs) || (base && !isDirectory(base))) {
      // The same change of a file on both sides; of a deletion, git may find that they renamed it differently.
      if (base && isFile(base) && ours && isFile(ours) && isSame(ours, theirs)) return ours;
      throw new NotPlain();
    }
    const key = `${base?.oid} ${ours?.oid} ${theirs?.oid}`;
    if (this.#merged.has(key)) return this.#merged.get(key);
    const merged = await this.#mergeDirectories([base, ours, theirs], depth);
    this.#merged.set(key, merged);
    return merged;
  }

  async #mergeDirectories(sides: Sides, depth: number): Promise<Side> {
    // Each level starts in a new microtask: 2,000 of them would otherwise overflow the stack.
    await undefined;
    const { workBudget } = this.#repository;
    const trees = await this.#readTrees(sides);
    const entries: TreeEntry[] = [];
    for (const [at, tree] of trees.entries()) {
      for (const one of tree.entries) {
        workBudget.spendSteps(1 + depth / charactersPerStep);
        if (workBudget.isTurnDue) await workBudget.turn();
        const name = one.name.toString('latin1');
        if (tree.get(name) !== one || trees.slice(0, at).some(earlier => earlier.get(name))) continue;
        const entry = await this.mergeEntry(trees.map(each => each.get(name)) as unknown as Sides, depth + 1);
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
const isDirectory = (side: Side): side is TreeEntry => side !== undefined && entryKind(side.mode) === 'directory';
const isFile = (side: TreeEntry | NonNullable<Side>): boolean => entryKind(side.mode) === 'file';
const modeOf = (side: Side): string | undefined => side && canonicalMode(side.mode);

function isSame(one: Side, other: Side): boolean {
  return one === other || (one?.oid === other?.oid && modeOf(one) === modeOf(other));
}
