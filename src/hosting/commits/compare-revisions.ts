import type { CommitComparison, ComparisonStatusName } from '../../../schema/hosting/commit-documents.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import type { Oid } from '../../git/object.ts';
import { compute } from '../../workers/computation.ts';
import { encodePath } from '../contents/content-location.ts';
import { resolveCommit } from '../contents/resolve-commit.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import type { GitPlace } from '../git-data/git-place.ts';
import { gitProblems } from '../git-problems.ts';
import { describeChanges } from './commit-changes.ts';
import {
  ancestorComputation,
  comparisonComputation,
  diffComputation,
  patchesComputation,
} from './commit-computations.ts';
import { openWithBranches } from './repository-commits.queries.ts';

/** Files of one answer. */
const maxFiles = 300;

/** Splits `main...feature`, each part also with the owner of the repository in front: `wren:main`. @throws 404 */
function parseRange(range: string, { ownerLogin, name }: GitPlace): { base: string; head: string } {
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

export interface ComparedRevisions extends Omit<CommitComparison, 'baseCommit' | 'mergeBaseCommit' | 'commits'> {
  baseCommit: GitObjectRow;
  mergeBaseCommit: GitObjectRow;
  commits: GitObjectRow[];
}

/** Compares the head of a range with its base. @throws 404, also without a common ancestor; 409 for an empty repository */
export async function compareRevisions(
  context: Context,
  place: GitPlace,
  range: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<ComparedRevisions> {
  const { store, base, head, ancestor } = await openRange(context, place, range);
  const { aheadBy, behindBy, ...compared } = await compute(store, comparisonComputation, {
    ...{ repositoryId: store.id, base, head, ancestor, skip, limit },
    maxFiles: skip > 0 ? 0 : maxFiles,
  });
  const path = `/${place.ownerLogin}/${place.name}/compare`;
  const ids = `${place.ownerLogin}:${base.slice(0, 7)}...${place.ownerLogin}:${head.slice(0, 7)}`;
  const commitRow = (oid: Oid): GitObjectRow => gitObjectRow('commit', place, oid);
  return {
    resourcePath: `${path}/${encodePath(range)}`,
    permalinkPath: `${path}/${ids}`,
    baseCommit: commitRow(base),
    mergeBaseCommit: commitRow(ancestor),
    status: statusOf(aheadBy, behindBy),
    aheadBy,
    behindBy,
    commits: compared.commits.map(commitRow),
    pageNumbers: { number: Math.floor(skip / limit) + 1, last: Math.max(1, Math.ceil(aheadBy / limit)) },
    files: await describeChanges(context, { place, store, before: ancestor, after: head }, compared.files),
  };
}

/** The changes of the head since the common ancestor, as `git diff` prints them. */
export async function diffRevisions(context: Context, place: GitPlace, range: string): Promise<string> {
  const { store, head, ancestor } = await openRange(context, place, range);
  return compute(store, diffComputation, { repositoryId: store.id, before: ancestor, after: head });
}

/** The commits that only the head reaches, as mails. */
export async function patchRevisions(context: Context, place: GitPlace, range: string): Promise<string> {
  const { store, base, head } = await openRange(context, place, range);
  return compute(store, patchesComputation, { repositoryId: store.id, base, head });
}

async function openRange(context: Context, place: GitPlace, range: string) {
  const store = await openWithBranches(context, place);
  const revisions = parseRange(range, place);
  const { commit: base } = await resolveCommit(store, revisions.base, place.defaultBranch);
  const { commit: head } = await resolveCommit(store, revisions.head, place.defaultBranch);
  const ancestor = await compute(store, ancestorComputation, { repositoryId: store.id, one: base, other: head });
  if (ancestor === undefined) throw gitProblems.noCommonAncestor(revisions.base, revisions.head);
  return { store, base, head, ancestor };
}

function statusOf(ahead: number, behind: number): ComparisonStatusName {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}
