import type { Oid } from './object.ts';
import { findObject, findObjects, missingObject } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { entryKind, type TreeEntry } from './tree.ts';

/** The parts of a path as trees are asked for them: each byte of UTF-8 as one character. None for the root. */
export function pathParts(path: string): string[] {
  return path === '' ? [] : Buffer.from(path).toString('latin1').split('/');
}

/**
 * The entry at a path below a tree, or undefined. One read for each folder, and none for those in the cache, where the root
 * and the folders of a repository in use are.
 */
export async function findEntry(
  repository: Repository,
  root: Oid,
  parts: readonly string[],
): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined;
  let tree: Oid | undefined = root;
  for (const part of parts) {
    if (tree === undefined) return undefined;
    // A tree may name a folder that nobody has brought.
    entry = (await findObject(repository, tree))?.tree.get(part);
    if (!entry) return undefined;
    tree = entryKind(entry.mode) === 'directory' ? entry.oid : undefined;
  }
  return entry;
}

/** The same for many trees in as many statements as the path has parts; no entry where there is none. */
export async function findEntries(
  repository: Repository,
  roots: Iterable<Oid>,
  parts: readonly string[],
): Promise<Map<Oid, TreeEntry>> {
  let found = new Map<Oid, TreeEntry>();
  let folders = new Map<Oid, Oid>();
  for (const root of roots) folders.set(root, root);
  for (const part of parts) {
    const trees = await findObjects(repository, folders.values());
    const next = new Map<Oid, TreeEntry>();
    const below = new Map<Oid, Oid>();
    for (const [root, folder] of folders) {
      const object = trees.get(folder);
      if (!object) throw missingObject(folder);
      const entry = object.tree.get(part);
      if (!entry) continue;
      next.set(root, entry);
      if (entryKind(entry.mode) === 'directory') below.set(root, entry.oid);
    }
    found = next;
    folders = below;
  }
  return found;
}
