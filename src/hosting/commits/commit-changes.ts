import type { CommitFile } from '../../../schema/hosting/commit-change.ts';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { compute } from '../../workers/computation.ts';
import { contentUrls } from '../contents/content-urls.ts';
import { commitOf, type GitObjectRow } from '../git-data/git-objects.queries.ts';
import type { GitPlace } from '../git-data/git-place.ts';
import { changesComputation, diffComputation, patchesComputation } from './commit-computations.ts';
import type { FileChange } from './read-changes.ts';

/** What one commit changes compared with another. */
export interface CommitChanges {
  files: CommitFile[];
  stats: { additions: number; deletions: number };
}

/** Two commits of a repository; `before` is undefined for a root commit. */
interface CommitPair {
  place: GitPlace;
  before: Oid | undefined;
  after: Oid;
}

/** The changes of the commits of one request, each compared with its first parent once. */
const known = new WeakMap<GitObjectRow, Promise<CommitChanges>>();

export function changesOf(context: Context, row: GitObjectRow): Promise<CommitChanges> {
  const changes = known.get(row) ?? compareWithParent(context, row);
  known.set(row, changes);
  return changes;
}

async function compareWithParent(context: Context, row: GitObjectRow): Promise<CommitChanges> {
  const { parents } = await commitOf(context, row);
  return compareCommits(context, { place: row.place, before: parents[0], after: row.oid });
}

/** The changes of a commit; of a merge, as a patch, the commits that it brings. */
export async function textOfCommit(context: Context, row: GitObjectRow, form: 'DIFF' | 'PATCH'): Promise<string> {
  const { place, oid: head } = row;
  const [base] = (await commitOf(context, row)).parents;
  const repositoryId = place.databaseId;
  if (form === 'PATCH') return compute(context, patchesComputation, { repositoryId, base, head });
  return compute(context, diffComputation, { repositoryId, before: base, after: head });
}

/** The files that differ, by path, with the lines that were added and deleted; at most 3,000. */
async function compareCommits(context: Context, pair: CommitPair): Promise<CommitChanges> {
  const { place, before, after } = pair;
  const input = { repositoryId: place.databaseId, before, after };
  const files = await describeChanges(context, pair, await compute(context, changesComputation, input));
  const sum = (field: 'additions' | 'deletions'): number => files.reduce((total, file) => total + file[field], 0);
  const [additions, deletions] = [sum('additions'), sum('deletions')];
  return { files, stats: { additions, deletions } };
}

/** The same changes as documents, whose patches are charged to the large values of the answer. @throws responseTooLarge */
export async function describeChanges(
  context: Context,
  pair: CommitPair,
  changes: readonly FileChange[],
): Promise<CommitFile[]> {
  await context.largeValues.reserve(changes.reduce((sum, { patch }) => sum + (patch?.length ?? 0), 0));
  return changes.map(change => {
    const { additions, deletions, changedLines, patch } = change;
    return { ...describeFile(context, pair, change), additions, deletions, changedLines, patch };
  });
}

function describeFile(
  context: Context,
  { place, before, after }: CommitPair,
  { filename, previousFilename, difference: { status, before: old, after: current } }: FileChange,
): Pick<CommitFile, 'oid' | 'path' | 'previousPath' | 'changeType' | 'url' | 'rawUrl' | 'contentsUrl'> {
  const oid = (current ?? old)?.oid ?? '';
  const { ownerLogin: owner, name, isPrivate, databaseId: repositoryId } = place;
  // A removed file is at the commit before.
  const location = { owner, name, isPrivate, repositoryId, ref: current ? after : (before ?? after) };
  const urls = contentUrls(context, location, { kind: 'file', path: filename, sha: oid });
  const [url, rawUrl] = [urls.htmlUrl ?? '', urls.downloadUrl ?? ''];
  const previousPath = previousFilename ?? null;
  return { oid, path: filename, previousPath, changeType: status, url, rawUrl, contentsUrl: urls.url };
}
