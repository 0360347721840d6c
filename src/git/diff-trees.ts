import type { Oid } from './object.ts';
import { findObjects, missingObject } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { canonicalMode, entryKind, type TreeEntry } from './tree.ts';

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
}

interface Pair extends TreePair {
  path: string;
  into: Difference[];
}

/**
 * The files that differ between two trees, sorted by path, as `git diff-tree -r` lists them. Undefined stands for the
 * empty tree. Equal subtrees are not read; all subtrees of one depth are read in one statement.
 */
export async function diffTrees(
  repository: Repository,
  before: Oid | undefined,
  after: Oid | undefined,
): Promise<Difference[]> {
  const [differences = []] = await diffTreePairs(repository, [{ before, after }]);
  return differences;
}

/** The same for many pairs, in their order. The subtrees of one depth of all pairs are read in one statement. */
export async function diffTreePairs(repository: Repository, trees: readonly TreePair[]): Promise<Difference[][]> {
  const all = trees.map((): Difference[] => []);
  let pairs = trees.flatMap(({ before, after }, at): Pair[] =>
    before === after ? [] : [{ path: '', before, after, into: all[at] as Difference[] }],
  );
  while (pairs.length > 0) {
    const wanted = pairs.flatMap(pair => [pair.before, pair.after]).filter(oid => oid !== undefined);
    const found = await findObjects(repository, wanted);
    const entriesOf = (oid: Oid | undefined): Map<string, TreeEntry> => {
      const byName = new Map<string, TreeEntry>();
      if (oid === undefined) return byName;
      const object = found.get(oid);
      if (!object) throw missingObject(oid);
      for (const entry of object.tree.entries) byName.set(entry.name.toString('latin1'), entry);
      return byName;
    };
    const below: Pair[] = [];
    for (const pair of pairs) {
      const old = entriesOf(pair.before);
      const current = entriesOf(pair.after);
      for (const name of new Set([...old.keys(), ...current.keys()])) {
        compare(pair, name, old.get(name), current.get(name));
      }
    }
    pairs = below;

    function compare(pair: Pair, name: string, old: TreeEntry | undefined, current: TreeEntry | undefined): void {
      const path = `${pair.path}${name}`;
      const [one, other] = [old && toSide(old), current && toSide(current)];
      if (one && other && one.mode === other.mode && one.oid === other.oid) return;
      const [oldFolder, newFolder] = [treeOid(old), treeOid(current)];
      if (oldFolder !== undefined || newFolder !== undefined) {
        below.push({ path: `${path}/`, before: oldFolder, after: newFolder, into: pair.into });
      }
      const [oldFile, newFile] = [
        oldFolder === undefined ? one : undefined,
        newFolder === undefined ? other : undefined,
      ];
      if (oldFile || newFile)
        pair.into.push({ path, status: statusOf(oldFile, newFile), before: oldFile, after: newFile });
    }
  }
  for (const one of all) one.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return all;
}

function toSide({ mode, oid }: TreeEntry): { mode: string; oid: Oid } {
  return { mode: canonicalMode(mode), oid };
}

function treeOid(entry: TreeEntry | undefined): Oid | undefined {
  return entry && entryKind(entry.mode) === 'directory' ? entry.oid : undefined;
}

function statusOf(before: { mode: string } | undefined, after: { mode: string } | undefined): Difference['status'] {
  if (!before) return 'added';
  if (!after) return 'deleted';
  return entryKind(before.mode) === entryKind(after.mode) ? 'modified' : 'type-changed';
}
