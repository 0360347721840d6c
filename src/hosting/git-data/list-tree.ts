import type { GitTreeDocument, GitTreeItem } from '../../../schema/hosting/git-documents.ts';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { findObjects, statObjects } from '../../git/read-objects.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { canonicalMode, entryKind, type TreeEntry } from '../../git/tree.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { foundIn, gitUrl } from './git-documents.ts';
import type { GitPlace } from './git-place.ts';
import { resolveExpression } from './resolve-expression.ts';

/** Limits of a listing. `itemBytes`: JSON of an entry beside its path and its URL. */
const limits = { entries: 100_000, bytes: 7 * 1024 * 1024, itemBytes: 150 };

/** Entries whose response takes longer than a slice of work. */
const longListing = 5_000;

/** The tree that an id or a revision names. @throws 404, 409 */
export async function findTreeDocument(
  context: Context,
  address: RepositoryAddress,
  { revision, isRecursive }: { revision: string; isRecursive: boolean },
): Promise<GitTreeDocument> {
  const { row, store } = await openContents(context, address, 'contents:read');
  // A colon would name a path; the published parameter has none.
  const named = revision.includes(':') ? null : await resolveExpression(context, row, `${revision}^{tree}`);
  const { oid } = await foundIn(store, named);
  return toTreeDocument(context, row, oid, isRecursive);
}

interface ListedEntry {
  /** Bytes as latin1 characters. */
  path: string;
  entry: TreeEntry;
}

/** Entries with their path, each directory before its content. */
export async function toTreeDocument(
  context: Context,
  place: GitPlace,
  oid: Oid,
  isRecursive: boolean,
): Promise<GitTreeDocument> {
  const repository = openRepository(context, place.databaseId);
  const base = gitUrl(context, place, '');
  const { listed, isTruncated } = await listEntries(repository, oid, isRecursive, base.length + limits.itemBytes);
  const { workBudget } = repository;
  const blobs = new Set<Oid>();
  for (const { entry } of listed) if (typeOf(entry) === 'blob') blobs.add(entry.oid);
  const sizes = await statObjects(repository, [...blobs]);
  const tree: GitTreeItem[] = [];
  for (const { path, entry } of listed) {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    const type = typeOf(entry);
    tree.push({
      path: Buffer.from(path, 'latin1').toString(),
      mode: canonicalMode(entry.mode).padStart(6, '0'),
      type,
      sha: entry.oid,
      size: type === 'blob' ? (sizes.get(entry.oid)?.size ?? 0) : null,
      url: type === 'commit' ? null : `${base}${type}s/${entry.oid}`,
    });
  }
  // What makes the response of them begins in a turn of its own.
  if (tree.length > longListing) await workBudget.turn();
  return { sha: oid, url: `${base}trees/${oid}`, truncated: isTruncated, tree };
}

const types = { file: 'blob', symlink: 'blob', directory: 'tree', submodule: 'commit' } as const;

const typeOf = ({ mode }: TreeEntry): 'blob' | 'tree' | 'commit' => types[entryKind(mode)];

/**
 * The first trees of one depth, as many as a listing can show: it takes more bytes than they do. Without it, a small pack of large and
 * similar trees would fill the memory.
 */
async function listable(repository: Repository, trees: readonly Oid[]): Promise<readonly Oid[]> {
  if (trees.length === 1) return trees;
  const heads = await statObjects(repository, trees);
  let bytes = 0;
  const last = trees.findIndex(oid => {
    bytes += heads.get(oid)?.size ?? 0;
    return bytes > limits.bytes;
  });
  return last < 0 ? trees : trees.slice(0, last + 1);
}

/** Reads the trees of one depth together; what exceeds the limits is cut at the end of the listing. */
async function listEntries(
  repository: Repository,
  root: Oid,
  isRecursive: boolean,
  itemBytes: number,
): Promise<{ listed: ListedEntry[]; isTruncated: boolean }> {
  const trees = new Map<Oid, readonly TreeEntry[]>();
  let known = 0;
  for (let wanted = [root]; wanted.length > 0 && known <= limits.entries; ) {
    const below = new Set<Oid>();
    const found = await findObjects(repository, await listable(repository, wanted));
    for (const oid of wanted) {
      const entries = found.get(oid)?.tree.entries;
      if (!entries) continue;
      trees.set(oid, entries);
      known += entries.length;
      if (!isRecursive) continue;
      for (const entry of entries) if (typeOf(entry) === 'tree' && !trees.has(entry.oid)) below.add(entry.oid);
    }
    wanted = [...below];
  }
  const listed: ListedEntry[] = [];
  let bytes = 0;
  const stack: { path: string; entries: readonly TreeEntry[]; at: number }[] = [
    { path: '', entries: trees.get(root) ?? [], at: 0 },
  ];
  const { workBudget } = repository;
  for (let folder = stack.at(-1); folder; folder = stack.at(-1)) {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    const entry = folder.entries[folder.at++];
    if (!entry) {
      stack.pop();
      continue;
    }
    const path = `${folder.path}${entry.name.toString('latin1')}`;
    bytes += path.length + itemBytes;
    if (listed.length === limits.entries || bytes > limits.bytes) return { listed, isTruncated: true };
    listed.push({ path, entry });
    if (!isRecursive || typeOf(entry) !== 'tree') continue;
    const entries = trees.get(entry.oid);
    // Beyond the limit, or never pushed.
    if (!entries) return { listed, isTruncated: true };
    stack.push({ path: `${path}/`, entries, at: 0 });
  }
  return { listed, isTruncated: false };
}
