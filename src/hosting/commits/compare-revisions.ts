import type { CommitComparison, ComparisonStatusName } from '../../../schema/hosting/commit-documents.ts';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { openRepository } from '../../git/repository.ts';
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
import { type ComparedSide, comparedSides } from './compared-range.ts';
import { openWithBranches } from './repository-commits.queries.ts';

/** Files of one answer. */
const maxFiles = 300;

export interface ComparedRevisions extends Omit<CommitComparison, 'baseCommit' | 'mergeBaseCommit' | 'commits'> {
  baseCommit: GitObjectRow;
  mergeBaseCommit: GitObjectRow;
  commits: GitObjectRow[];
}

/**
 * Compares the head of a range with its base; the commits and files are of the repository of the head.
 * @throws 404, also without a common ancestor; 409 for an empty repository
 */
export async function compareRevisions(
  context: Context,
  place: GitPlace,
  range: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<ComparedRevisions> {
  const { stores, base, head, ancestor } = await openRange(context, place, range);
  const { aheadBy, behindBy, ...compared } = await compute(context, comparisonComputation, {
    ...{ ...stores, base: base.commit, head: head.commit, ancestor, skip, limit },
    maxFiles: skip > 0 ? 0 : maxFiles,
  });
  const path = `/${place.ownerLogin}/${place.name}/compare`;
  const pair = { place: head.place, before: ancestor, after: head.commit };
  return {
    resourcePath: `${path}/${encodePath(range)}`,
    permalinkPath: `${path}/${permalinkOf(place, base)}...${permalinkOf(place, head)}`,
    baseCommit: gitObjectRow('commit', base.place, base.commit),
    mergeBaseCommit: gitObjectRow('commit', base.place, ancestor),
    status: statusOf(aheadBy, behindBy),
    aheadBy,
    behindBy,
    commits: compared.commits.map(oid => gitObjectRow('commit', head.place, oid)),
    pageNumbers: { number: Math.floor(skip / limit) + 1, last: Math.max(1, Math.ceil(aheadBy / limit)) },
    files: await describeChanges(context, pair, compared.files),
  };
}

/** The changes of the head since the common ancestor, as `git diff` prints them. */
export async function diffRevisions(context: Context, place: GitPlace, range: string): Promise<string> {
  const { stores, head, ancestor } = await openRange(context, place, range);
  return compute(context, diffComputation, { ...stores, before: ancestor, after: head.commit });
}

/** The commits that only the head reaches, as mails. */
export async function patchRevisions(context: Context, place: GitPlace, range: string): Promise<string> {
  const { stores, base, head } = await openRange(context, place, range);
  return compute(context, patchesComputation, { ...stores, base: base.commit, head: head.commit });
}

interface ComparedCommit {
  place: GitPlace;
  commit: Oid;
}

async function openRange(context: Context, place: GitPlace, range: string) {
  await openWithBranches(context, place);
  const sides = await comparedSides(context, place, range);
  const [base, head] = [await commitOfSide(context, sides.base), await commitOfSide(context, sides.head)];
  // Common ancestors are in both repositories; the base is the first to be asked, so that its index says when to end.
  const [repositoryId, other] = [base.place.databaseId, head.place.databaseId];
  const stores = { repositoryId, ...(other === repositoryId ? {} : { alternateId: other }) };
  const pair = { one: base.commit, other: head.commit };
  const ancestor = await compute(context, ancestorComputation, { ...stores, ...pair });
  if (ancestor === undefined) throw gitProblems.noCommonAncestor(sides.base.revision, sides.head.revision);
  return { stores, base, head, ancestor };
}

async function commitOfSide(context: Context, { place, revision }: ComparedSide): Promise<ComparedCommit> {
  const { commit } = await resolveCommit(openRepository(context, place.databaseId), revision, place.defaultBranch);
  return { place, commit };
}

/** A side by its id. The owner alone names the repository when it has the same name. */
function permalinkOf({ name }: GitPlace, { place, commit }: ComparedCommit): string {
  const repository = place.name === name ? '' : `${place.name}:`;
  return `${place.ownerLogin}:${repository}${commit.slice(0, 7)}`;
}

function statusOf(ahead: number, behind: number): ComparisonStatusName {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}
