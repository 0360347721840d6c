import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { compute } from '../../workers/computation.ts';
import { encodePath } from '../contents/content-location.ts';
import { resolveCommit } from '../contents/resolve-commit.ts';
import { gitProblems } from '../git-problems.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { type CommitChanges, describeChanges } from './commit-changes.ts';
import {
  ancestorComputation,
  comparisonComputation,
  diffComputation,
  patchesComputation,
} from './commit-computations.ts';
import { openNonEmpty } from './git-commits.queries.ts';
import { loadRepositoryCommits, type RepositoryCommitRow } from './repository-commits.queries.ts';

/** Files of one answer. */
const maxFiles = 300;

/** Splits `main...feature`, each part also with the owner of the repository in front: `wren:main`. @throws 404 */
function parseRange(range: string, { ownerLogin, name }: OwnedRow): { base: string; head: string } {
  const at = range.indexOf('...');
  if (at <= 0 || at + 3 === range.length) throw notFound();
  const own = (text: string): string => {
    const parts = text.split(':');
    const revision = parts.pop() ?? '';
    const [login, repository, ...others] = parts.map(part => part.toLowerCase());
    const isOwn = login === undefined || login === ownerLogin.toLowerCase();
    // The commits of a fork are not in this repository.
    if (!isOwn || others.length > 0 || (repository !== undefined && repository !== name.toLowerCase()))
      throw notFound();
    return revision;
  };
  return { base: own(range.slice(0, at)), head: own(range.slice(at + 3)) };
}

export interface ComparedRevisions {
  url: string;
  webUrl: string;
  permalinkUrl: string;
  diffUrl: string;
  patchUrl: string;
  baseCommit: RepositoryCommitRow;
  mergeBaseCommit: RepositoryCommitRow;
  status: string;
  aheadBy: number;
  behindBy: number;
  commits: RepositoryCommitRow[];
  files: CommitChanges['files'];
}

/** Compares the head of a range with its base. @throws 404, also without a common ancestor; 409 for an empty repository */
export async function compareRevisions(
  context: Context,
  address: RepositoryAddress,
  range: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<ComparedRevisions> {
  const { row, store, base, head, ancestor } = await openRange(context, address, range);
  const { aheadBy, behindBy, ...compared } = await compute(store, comparisonComputation, {
    ...{ repositoryId: store.id, base, head, ancestor, skip, limit },
    maxFiles: skip > 0 ? 0 : maxFiles,
  });
  const wanted = [base, ancestor, ...compared.commits];
  const [baseCommit, mergeBaseCommit, ...commits] = await loadRepositoryCommits(context, row, wanted);
  if (!baseCommit || !mergeBaseCommit) throw notFound();
  const pair = { place: row, store, before: ancestor, after: head };
  const files = describeChanges(context, pair, compared.files);
  const path = `${row.ownerLogin}/${row.name}/compare`;
  const webUrl = `${context.origin}/${path}/${encodePath(range)}`;
  const ids = `${row.ownerLogin}:${base.slice(0, 7)}...${row.ownerLogin}:${head.slice(0, 7)}`;
  return {
    url: `${context.apiBaseUrl}/repos/${path}/${encodePath(range)}`,
    webUrl,
    diffUrl: `${webUrl}.diff`,
    patchUrl: `${webUrl}.patch`,
    permalinkUrl: `${context.origin}/${path}/${ids}`,
    baseCommit,
    mergeBaseCommit,
    status: statusOf(aheadBy, behindBy),
    aheadBy,
    behindBy,
    commits,
    files,
  };
}

/** The changes of the head since the common ancestor, as `git diff` prints them. */
export async function diffRevisions(context: Context, address: RepositoryAddress, range: string): Promise<string> {
  const { store, head, ancestor } = await openRange(context, address, range);
  return compute(store, diffComputation, { repositoryId: store.id, before: ancestor, after: head });
}

/** The commits that only the head reaches, as mails. */
export async function patchRevisions(context: Context, address: RepositoryAddress, range: string): Promise<string> {
  const { store, base, head } = await openRange(context, address, range);
  return compute(store, patchesComputation, { repositoryId: store.id, base, head });
}

async function openRange(context: Context, address: RepositoryAddress, range: string) {
  const { row, store } = await openNonEmpty(context, address, 'contents:read');
  const revisions = parseRange(range, row);
  const { commit: base } = await resolveCommit(store, revisions.base, row.defaultBranch);
  const { commit: head } = await resolveCommit(store, revisions.head, row.defaultBranch);
  const ancestor = await compute(store, ancestorComputation, { repositoryId: store.id, one: base, other: head });
  if (ancestor === undefined) throw gitProblems.noCommonAncestor(revisions.base, revisions.head);
  return { row, store, base, head, ancestor };
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}
