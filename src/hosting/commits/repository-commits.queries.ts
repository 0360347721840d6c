import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { hasBranches } from '../../git/refs.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { resolveCommit } from '../contents/resolve-commit.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import type { GitPlace } from '../git-data/git-place.ts';
import { gitProblems } from '../git-problems.ts';
import { type HistoryFilters, historyOf } from './commit-history.ts';

/** The objects of a repository that must have a branch. @throws 409 for an empty one */
export async function openWithBranches(context: Context, place: GitPlace): Promise<Repository> {
  const store = openRepository(context, place.databaseId);
  if (!(await hasBranches(store))) throw gitProblems.repositoryEmpty();
  return store;
}

/** The commit that a revision names; empty for the default branch. @throws 404; 409 for an empty repository */
export async function commitAt(context: Context, place: GitPlace, revision: string): Promise<GitObjectRow> {
  const store = await openWithBranches(context, place);
  const { commit } = await resolveCommit(store, revision, place.defaultBranch);
  return gitObjectRow('commit', place, commit);
}

export interface CommitListFilters extends Pick<HistoryFilters, 'path' | 'since' | 'until'> {
  /** Branch, tag or id; the default branch when absent. */
  revision?: string | null | undefined;
  /** Login or email address. */
  author?: string | null | undefined;
  committer?: string | null | undefined;
}

/** Commits that can be reached from a revision, newest first. @throws 404; 409 for an empty repository */
export async function commitsFrom(
  context: Context,
  place: GitPlace,
  { revision, author, committer, ...filters }: CommitListFilters,
): Promise<ListSource<GitObjectRow>> {
  const tip = await commitAt(context, place, revision ?? '');
  const by = await personFilter(context, author);
  const through = await personFilter(context, committer);
  if (by === null || through === null) return { rows: async () => [], total: async () => 0 };
  return historyOf(context, tip, { ...filters, author: by, committer: through });
}

/** The person that a login or an email address names; null for a login that nobody has. */
async function personFilter(
  context: Context,
  text: string | null | undefined,
): Promise<HistoryFilters['author'] | null | undefined> {
  if (text == null || text === '') return undefined;
  if (text.includes('@')) return { emails: [text] };
  const account = await accountByLogin(context, text, noSelection, 'user');
  return account && { id: encodeGlobalId('User', account.databaseId) };
}
