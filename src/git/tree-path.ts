import type { Oid } from './object.ts';
import { findObject, missingObject, readBatches } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { entryKind, type TreeEntry } from './tree.ts';

/** The parts of a path as keys of `Tree.get`: UTF-8 bytes as latin1 characters. Empty for the root. */
export function pathParts(path: string): string[] {
  return path === '' ? [] : Buffer.from(path).toString('latin1').split('/');
}

/**
 * The tree entry at a path; undefined when there is none. Reads one tree per path part, unless it is cached, as the
 * root and the directories of a repository in use are.
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
    // A tree may refer to a subtree that was never pushed.
    entry = (await findObject(repository, tree))?.tree.get(part);
    if (!entry) return undefined;
    tree = entryKind(entry.mode) === 'directory' ? entry.oid : undefined;
  }
  return entry;
}

/** The same from the cache alone: null when there is no entry, undefined when a tree is not in the cache, or not parsed and large. */
export function findCachedEntry(
  { id, cache }: Repository,
  root: Oid,
  parts: readonly string[],
): TreeEntry | null | undefined {
  let entry: TreeEntry | undefined;
  let tree: Oid | undefined = root;
  for (const part of parts) {
    if (tree === undefined) return null;
    const object = cache.getObject(id, tree);
    if (!object || object.isUnprepared) return undefined;
    entry = object.tree.get(part);
    if (!entry) return null;
    tree = entryKind(entry.mode) === 'directory' ? entry.oid : undefined;
  }
  return entry;
}

/**
 * The same for many root trees, with one statement per path part. Roots without the path are absent from the result.
 */
export async function findEntries(
  repository: Repository,
  roots: Iterable<Oid>,
  parts: readonly string[],
): Promise<Map<Oid, TreeEntry>> {
  let found = new Map<Oid, TreeEntry>();
  let folders = new Map<Oid, Oid>();
  for (const root of roots) folders.set(root, root);
  for (const part of parts) {
    const entries = new Map<Oid, TreeEntry | undefined>();
    for await (const batch of readBatches(repository, folders.values())) {
      for (const oid of batch.oids) {
        const object = batch.found.get(oid);
        if (!object) throw missingObject(oid);
        entries.set(oid, object.tree.get(part));
      }
    }
    const next = new Map<Oid, TreeEntry>();
    const below = new Map<Oid, Oid>();
    for (const [root, folder] of folders) {
      const entry = entries.get(folder);
      if (!entry) continue;
      next.set(root, entry);
      if (entryKind(entry.mode) === 'directory') below.set(root, entry.oid);
    }
    found = next;
    folders = below;
    if (found.size === 0) break;
  }
  return found;
}
