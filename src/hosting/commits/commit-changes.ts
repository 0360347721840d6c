import type { CommitFile, CommitStats } from '../../../schema/hosting/commit-documents.ts';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { contentUrls } from '../contents/content-urls.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { changesComputation } from './commit-computations.ts';
import type { FileChange } from './read-changes.ts';

/** What one commit changes compared with another. */
export interface CommitChanges {
  files: CommitFile[];
  stats: CommitStats;
}

/** Two commits of a repository; `before` is undefined for a root commit. */
interface CommitPair {
  place: OwnedRow;
  store: Repository;
  before: Oid | undefined;
  after: Oid;
}

/** The files that differ, by path, with the lines that were added and deleted; at most 3,000. */
export async function compareCommits(context: Context, pair: CommitPair): Promise<CommitChanges> {
  const { store, before, after } = pair;
  const files = describeChanges(
    context,
    pair,
    await compute(store, changesComputation, { repositoryId: store.id, before, after }),
  );
  const sum = (field: 'additions' | 'deletions'): number => files.reduce((total, file) => total + file[field], 0);
  const [additions, deletions] = [sum('additions'), sum('deletions')];
  return { files, stats: { additions, deletions, total: additions + deletions } };
}

/** The same changes as documents, whose patches are charged to the large values of the answer. */
export function describeChanges(context: Context, pair: CommitPair, changes: readonly FileChange[]): CommitFile[] {
  return changes.map(change => {
    const { additions, deletions, changes: changed, patch } = change;
    context.largeValues.take(patch?.length ?? 0);
    return { ...describeFile(context, pair, change), additions, deletions, changes: changed, patch };
  });
}

const statuses = { added: 'added', deleted: 'removed', modified: 'modified', 'type-changed': 'changed' } as const;

function describeFile(
  context: Context,
  { place, before, after }: CommitPair,
  { filename, difference: { status, before: old, after: current } }: FileChange,
): Pick<CommitFile, 'sha' | 'filename' | 'status' | 'blobUrl' | 'rawUrl' | 'contentsUrl'> {
  const sha = (current ?? old)?.oid ?? '';
  const { ownerLogin: owner, name, isPrivate, databaseId: repositoryId } = place;
  // A removed file is at the commit before.
  const location = { owner, name, isPrivate, repositoryId, ref: current ? after : (before ?? after) };
  const urls = contentUrls(context, location, { kind: 'file', path: filename, sha });
  const [blobUrl, rawUrl] = [urls.htmlUrl ?? '', urls.downloadUrl ?? ''];
  return { sha, filename, status: statuses[status], blobUrl, rawUrl, contentsUrl: urls.url };
}
