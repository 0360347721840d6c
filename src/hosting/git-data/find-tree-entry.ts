import type { Context } from '../../context/context.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import { type GitObjectRow, gitObjectRow, treeOf } from './git-objects.queries.ts';
import type { GitPlace } from './git-place.ts';

/** An entry of a tree. */
export interface TreeEntryRow {
  place: GitPlace;
  entry: TreeEntry;
  /**
   * Path from the root, as latin1 characters of its bytes; undefined for a tree that was found by its id. One text and no list of parts:
   * 10,000 entries below 2,000 directories share the text of their folder, and lists would have 20 million items.
   */
  path: string | undefined;
}

/** A tree of the graph, and where it is: its path as that of an entry, empty for the root. */
export interface TreeRow extends GitObjectRow {
  path?: string;
  /** Whether its listing has the content of its directories. */
  isRecursive?: boolean;
}

/** The path of an entry of the folder at a path. Its text is made in constant time. */
export const pathBelow = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** The entry at a path below a tree; null when there is none. Walks of one request read one level of all of them together. */
export async function findTreeEntry(
  context: Context,
  root: GitObjectRow,
  parts: readonly string[],
): Promise<TreeEntryRow | null> {
  let at: GitObjectRow | undefined = root;
  let found: TreeEntryRow | null = null;
  let path = '';
  for (const part of parts) {
    const entry: TreeEntry | undefined = at && (await treeOf(context, at))?.get(part);
    if (!entry) return null;
    path = pathBelow(path, part);
    found = { place: root.place, entry, path };
    at = entryKind(entry.mode) === 'directory' ? gitObjectRow('tree', root.place, entry.oid) : undefined;
  }
  return found;
}
