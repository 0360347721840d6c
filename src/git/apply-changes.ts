import { assertCreatable, isGitFile, splitPath } from './entry-path.ts';
import { GitError } from './git-error.ts';
import { createObject, type GitObject, type Oid } from './object.ts';
import { readTree } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { emptyTree, encodeTreeInTurns, entryKind, modes, type TreeEntry } from './tree.ts';

/**
 * One change to a tree: a file, symbolic link, submodule or whole directory that is set at a path, or a path that is deleted.
 * Other directories are created and deleted implicitly.
 */
export interface TreeChange {
  path: string;
  /** Undefined deletes the path. A mode is one of `modes`. */
  entry: { mode: string; oid: Oid } | undefined;
}

/** Changes grouped by the first part of their path; `folders` holds the changes below it. */
interface ChangeFolder {
  files: Map<string, TreeChange>;
  folders: Map<string, ChangeFolder>;
}

/**
 * Builds the tree that results from applying the changes to the tree `base` (undefined: the empty tree). Returns its id
 * and the tree objects that differ from `base`.
 * @throws GitError `bad-path` for a path that git forbids; `path-conflict` for a path that is given twice, or where a
 *   file and a directory collide and the same changes do not delete the obstacle; `missing` for the deletion of a path
 *   that does not exist.
 */
export async function applyChanges(
  repository: Repository,
  base: Oid | undefined,
  changes: readonly TreeChange[],
): Promise<{ tree: Oid; objects: GitObject[] }> {
  const root: ChangeFolder = { files: new Map(), folders: new Map() };
  for (const change of changes) addChange(root, change);
  const objects: GitObject[] = [];
  const tree = await rebuildTree({ repository, objects }, base, root, '');
  if (tree !== undefined) return { tree, objects };
  return { tree: emptyTree.oid, objects: [emptyTree] };
}

function addChange(root: ChangeFolder, change: TreeChange): void {
  const parts = splitPath(change.path);
  const entry = change.entry;
  if (entry) assertCreatable(change.path, parts);
  const name = parts.pop() ?? '';
  if (entry) {
    const isKnown = (Object.values(modes) as string[]).includes(entry.mode);
    if (!isKnown) throw new GitError('bad-path', change.path, `«${entry.mode}» is no mode of a file.`);
    if (entryKind(entry.mode) === 'symlink' && isGitFile(name)) {
      throw new GitError('bad-path', change.path, `«${change.path}» must not be a symbolic link.`);
    }
  }
  let folder = root;
  for (const part of parts) {
    const next = folder.folders.get(part) ?? { files: new Map(), folders: new Map() };
    folder.folders.set(part, next);
    folder = next;
  }
  if (folder.files.has(name)) throw pathConflict(change.path, 'it is changed twice');
  folder.files.set(name, change);
}

interface RebuildState {
  repository: Repository;
  objects: GitObject[];
}

/** Returns the id of the rebuilt tree; undefined when the tree is empty. */
async function rebuildTree(
  state: RebuildState,
  base: Oid | undefined,
  changes: ChangeFolder,
  path: string,
): Promise<Oid | undefined> {
  // Each level starts in a new microtask: 2,000 nested new directories would otherwise overflow the stack.
  await undefined;
  const { workBudget } = state.repository;
  const entries = new Map<string, TreeEntry>();
  if (base !== undefined && base !== emptyTree.oid) {
    for (const entry of (await readTree(state.repository, base)).entries) {
      entries.set(entry.name.toString('latin1'), entry);
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
    }
  }
  // Deletions come first: a deleted file may be replaced by a directory of the same name.
  for (const [name, { path: fullPath, entry }] of changes.files) {
    if (entry) continue;
    const old = entries.get(latin1Name(name));
    if (!old) throw new GitError('missing', fullPath, `There is no «${fullPath}» to delete.`);
    if (entryKind(old.mode) === 'directory') throw pathConflict(fullPath, 'it is a folder');
    entries.delete(latin1Name(name));
  }
  for (const [name, below] of changes.folders) {
    const old = entries.get(latin1Name(name));
    if (old && entryKind(old.mode) !== 'directory') throw pathConflict(`${path}${name}`, 'it is a file and no folder');
    const tree = await rebuildTree(state, old?.oid, below, `${path}${name}/`);
    if (tree === undefined) entries.delete(latin1Name(name));
    else entries.set(latin1Name(name), { mode: modes.directory, name: Buffer.from(name), oid: tree });
  }
  for (const [name, { path: fullPath, entry }] of changes.files) {
    if (!entry) continue;
    const old = entries.get(latin1Name(name));
    const isFolder = entryKind(entry.mode) === 'directory';
    if (isFolder && changes.folders.has(name)) throw pathConflict(fullPath, 'something below it is changed too');
    if (!isFolder && old && entryKind(old.mode) === 'directory') throw pathConflict(fullPath, 'it is a folder');
    entries.set(latin1Name(name), { mode: entry.mode, name: Buffer.from(name), oid: entry.oid });
  }
  if (entries.size === 0) return undefined;
  const object = createObject('tree', await encodeTreeInTurns([...entries.values()], workBudget));
  if (object.oid !== base) state.objects.push(object);
  return object.oid;
}

function latin1Name(name: string): string {
  return Buffer.from(name).toString('latin1');
}

function pathConflict(path: string, reason: string): GitError {
  return new GitError('path-conflict', path, `«${path}» cannot be changed: ${reason}.`);
}
