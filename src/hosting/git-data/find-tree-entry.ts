import type { Context } from '../../context/context.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import { type GitObjectRow, gitObjectRow, treeOf } from './git-objects.queries.ts';
import type { GitPlace } from './git-place.ts';

/** An entry of a tree. */
export interface TreeEntryRow {
  place: GitPlace;
  entry: TreeEntry;
  /** Path from the root, as latin1 characters of its bytes; undefined for a tree that was found by its id. */
  path: readonly string[] | undefined;
}

/** A tree of the graph, and where it is. */
export interface TreeRow extends GitObjectRow {
  path?: readonly string[];
}

/** The entry at a path below a tree; null when there is none. Walks of one request read one level of all of them together. */
export async function findTreeEntry(
  context: Context,
  root: GitObjectRow,
  parts: readonly string[],
): Promise<TreeEntryRow | null> {
  let at: GitObjectRow | undefined = root;
  let found: TreeEntryRow | null = null;
  for (const [index, part] of parts.entries()) {
    const entry: TreeEntry | undefined = at && (await treeOf(context, at))?.get(part);
    if (!entry) return null;
    found = { place: root.place, entry, path: parts.slice(0, index + 1) };
    at = entryKind(entry.mode) === 'directory' ? gitObjectRow('tree', root.place, entry.oid) : undefined;
  }
  return found;
}
