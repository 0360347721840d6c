import type { TreeListing, TreeListingEntry } from '../../../schema/hosting/git-object.ts';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { findObjects, statObjects } from '../../git/read-objects.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { canonicalMode, entryKind, type TreeEntry } from '../../git/tree.ts';
import type { TreeRow } from './find-tree-entry.ts';
import { gitPathOf } from './git-objects.queries.ts';

/** Limits of a listing. `itemBytes`: JSON of an entry beside its path and its URL. */
const limits = { entries: 100_000, bytes: 7 * 1024 * 1024, itemBytes: 150 };

/** Entries whose response takes longer than a slice of work. */
const longListing = 5_000;

interface ListedEntry {
  /** Bytes as latin1 characters. */
  path: string;
  entry: TreeEntry;
}

/** Listings that the request has made: a document may take several parts of one. */
const made = new WeakMap<TreeRow, Promise<TreeListing>>();

export function listingOf(context: Context, row: TreeRow): Promise<TreeListing> {
  const listing = made.get(row) ?? listTree(context, row);
  made.set(row, listing);
  return listing;
}

async function listTree(context: Context, { place, oid, isRecursive = false }: TreeRow): Promise<TreeListing> {
  const repository = openRepository(context, place.databaseId);
  const urlLength = `${context.apiBaseUrl}/repos/${place.ownerLogin}/${place.name}/git/`.length;
  const { listed, isTruncated } = await listEntries(repository, oid, isRecursive, urlLength + limits.itemBytes);
  const { workBudget } = repository;
  const blobs = new Set<Oid>();
  for (const { entry } of listed) if (typeOf(entry) === 'blob') blobs.add(entry.oid);
  const sizes = await statObjects(repository, [...blobs]);
  const entries: TreeListingEntry[] = [];
  for (const { path, entry } of listed) {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    const type = typeOf(entry);
    entries.push({
      path: Buffer.from(path, 'latin1').toString(),
      mode: canonicalMode(entry.mode).padStart(6, '0'),
      type,
      oid: entry.oid,
      byteSize: type === 'blob' ? (sizes.get(entry.oid)?.size ?? 0) : null,
      gitPath: type === 'commit' ? null : gitPathOf(place, type, entry.oid),
    });
  }
  // What makes the response of them begins in a turn of its own.
  if (entries.length > longListing) await workBudget.turn();
  return { isTruncated, entries };
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
