import type { Oid } from './object.ts';
import { findObjects, missing } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { canonicalMode, kindOf, type TreeEntry } from './tree.ts';

export interface Difference {
  /** Bytes, as one character each (latin1). */
  path: string;
  status: 'added' | 'deleted' | 'modified' | 'type-changed';
  /** Undefined for what was added. Modes are git's own five. */
  before: { mode: string; oid: Oid } | undefined;
  /** Undefined for what was deleted. */
  after: { mode: string; oid: Oid } | undefined;
}

interface Pair {
  path: string;
  before: Oid | undefined;
  after: Oid | undefined;
}

/**
 * What differs between two trees, files and not folders, in the order of their paths: `git diff-tree -r`. Undefined stands for
 * an empty tree. Folders that are the same are not read; all of one depth are read together.
 */
export async function diffTrees(
  repository: Repository,
  before: Oid | undefined,
  after: Oid | undefined,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  let pairs: Pair[] = before === after ? [] : [{ path: '', before, after }];
  while (pairs.length > 0) {
    const wanted = pairs.flatMap(pair => [pair.before, pair.after]).filter(oid => oid !== undefined);
    const trees = await findObjects(repository, wanted);
    const entriesOf = (oid: Oid | undefined): Map<string, TreeEntry> => {
      const byName = new Map<string, TreeEntry>();
      if (oid === undefined) return byName;
      const object = trees.get(oid);
      if (!object) throw missing(oid);
      for (const entry of object.tree.entries) byName.set(entry.name.toString('latin1'), entry);
      return byName;
    };
    const below: Pair[] = [];
    for (const pair of pairs) {
      const old = entriesOf(pair.before);
      const current = entriesOf(pair.after);
      for (const name of new Set([...old.keys(), ...current.keys()])) {
        compare(`${pair.path}${name}`, old.get(name), current.get(name));
      }
    }
    pairs = below;

    function compare(path: string, old: TreeEntry | undefined, current: TreeEntry | undefined): void {
      const [one, other] = [old && shown(old), current && shown(current)];
      if (one && other && one.mode === other.mode && one.oid === other.oid) return;
      const [oldFolder, newFolder] = [folder(old), folder(current)];
      if (oldFolder !== undefined || newFolder !== undefined) {
        below.push({ path: `${path}/`, before: oldFolder, after: newFolder });
      }
      const [oldFile, newFile] = [
        oldFolder === undefined ? one : undefined,
        newFolder === undefined ? other : undefined,
      ];
      if (oldFile || newFile)
        differences.push({ path, status: statusOf(oldFile, newFile), before: oldFile, after: newFile });
    }
  }
  return differences.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function shown({ mode, oid }: TreeEntry): { mode: string; oid: Oid } {
  return { mode: canonicalMode(mode), oid };
}

function folder(entry: TreeEntry | undefined): Oid | undefined {
  return entry && kindOf(entry.mode) === 'directory' ? entry.oid : undefined;
}

function statusOf(before: { mode: string } | undefined, after: { mode: string } | undefined): Difference['status'] {
  if (!before) return 'added';
  if (!after) return 'deleted';
  return kindOf(before.mode) === kindOf(after.mode) ? 'modified' : 'type-changed';
}
