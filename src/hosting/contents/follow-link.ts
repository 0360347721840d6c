import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import { findEntry } from '../../git/tree-path.ts';
import { readSmallBlob } from './read-small-blob.ts';

/** Maximum number of links that are followed, as in Linux. */
const maxLinks = 40;
/** PATH_MAX of Linux. */
const maxTargetBytes = 4_095;

/** The text of a symbolic link, and the file that it finally resolves to; undefined when it resolves to none. */
export interface FollowedLink {
  target: string;
  file: { entry: TreeEntry; parts: string[] } | undefined;
}

/**
 * Follows a symbolic link to a file of the same repository. Links to directories, out of the repository, or through
 * linked directories are not followed: the published API describes the link instead.
 */
export async function followLink(
  repository: Repository,
  root: Oid,
  parts: readonly string[],
  link: TreeEntry,
): Promise<FollowedLink> {
  const text = await readSmallBlob(repository, link.oid, maxTargetBytes);
  const target = text?.toString() ?? '';
  let at = [...parts];
  let entry: TreeEntry | undefined = link;
  for (let turn = 0; turn < maxLinks; turn++) {
    const kind: string | undefined = entry && entryKind(entry.mode);
    if (entry && kind === 'file') return { target, file: { entry, parts: at } };
    if (!entry || kind !== 'symlink') break;
    const words: Buffer | undefined = await readSmallBlob(repository, entry.oid, maxTargetBytes);
    const next = words && resolveTarget(at.slice(0, -1), words.toString('latin1'));
    if (!next) break;
    at = next;
    entry = await findEntry(repository, root, at);
  }
  return { target, file: undefined };
}

/** Undefined for targets outside of the repository and for its root. */
function resolveTarget(folder: readonly string[], target: string): string[] | undefined {
  if (target === '' || target.startsWith('/')) return undefined;
  const parts = [...folder];
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length > 0 ? parts : undefined;
}
