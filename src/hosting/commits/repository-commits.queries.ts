import type { GitLink } from '../../../schema/hosting/git-commit.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { type ListSource, uncounted } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import type { GitObject, Oid } from '../../git/object.ts';
import { findObjects, readObject } from '../../git/read-objects.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { resolveCommit } from '../contents/resolve-commit.ts';
import { gitObjectRow } from '../git-data/git-objects.queries.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { type HistoryFilters, historyOf } from './commit-history.ts';
import { type CommitRepository, type GitCommitRow, takeCommitText, toGitCommit } from './git-commit.ts';
import { openNonEmpty } from './git-commits.queries.ts';

/** A commit of the REST API. */
export interface RepositoryCommitRow {
  place: OwnedRow;
  sha: Oid;
  nodeId: string;
  url: string;
  webUrl: string;
  statusUrl: string;
  commentsUrl: string;
  commit: GitCommitRow;
  parents: GitLink[];
}

/** REST URL and page of a commit. */
export function commitLink(
  { origin, apiBaseUrl }: Pick<Context, 'origin' | 'apiBaseUrl'>,
  { ownerLogin, name }: Pick<CommitRepository, 'ownerLogin' | 'name'>,
  sha: Oid,
): GitLink & { webUrl: string } {
  const path = `${ownerLogin}/${name}`;
  return { sha, url: `${apiBaseUrl}/repos/${path}/commits/${sha}`, webUrl: `${origin}/${path}/commit/${sha}` };
}

/** Characters of the links to a parent. */
const linkChars = 400;
/** Bytes of a commit that are decoded in the time of a step. */
const bytesPerStep = 100;

/** @throws responseTooLarge */
export function toRepositoryCommit(
  context: Context,
  place: OwnedRow,
  object: Pick<GitObject, 'oid' | 'content'>,
): RepositoryCommitRow {
  const commit = toGitCommit(context, place, object);
  const { author, committer, message, parents } = commit;
  const people = author.name.length + author.email.length + committer.name.length + committer.email.length;
  takeCommitText(context, message.length + people + parents.length * linkChars);
  const link = commitLink(context, place, object.oid);
  return {
    place,
    ...link,
    statusUrl: `${link.url}/status`,
    commentsUrl: `${link.url}/comments`,
    nodeId: encodeGlobalId('Commit', `${place.databaseId}:${object.oid}`),
    commit,
    parents: parents.map(({ sha }) => commitLink(context, place, sha)),
  };
}

/** Commits in the order of their ids. @throws responseTooLarge for more than 4 MB of them */
export async function loadRepositoryCommits(
  context: Context,
  place: OwnedRow,
  oids: readonly Oid[],
): Promise<RepositoryCommitRow[]> {
  const found = await findObjects(openRepository(context, place.databaseId), oids);
  // Twice: the message, and the payload of its signature.
  let bytes = 0;
  for (const { content } of found.values()) bytes += 2 * content.length;
  context.largeValues.takeList(bytes);
  const { workBudget } = context;
  const commits: RepositoryCommitRow[] = [];
  for (const oid of oids) {
    const object = found.get(oid);
    if (!object) continue;
    workBudget.spendSteps(1 + Math.ceil(object.content.length / bytesPerStep));
    if (workBudget.isTurnDue) await workBudget.turn();
    commits.push(toRepositoryCommit(context, place, object));
  }
  return commits;
}

/** Opens a repository at a revision, the default branch when it is empty. @throws 404; 409 for an empty repository */
export async function openAtCommit(
  context: Context,
  address: RepositoryAddress,
  revision: string,
): Promise<{ row: OwnedRow; store: Repository; commit: Oid }> {
  const { row, store } = await openNonEmpty(context, address, 'contents:read');
  const { commit } = await resolveCommit(store, revision, row.defaultBranch);
  return { row, store, commit };
}

export async function findRepositoryCommit(
  context: Context,
  address: RepositoryAddress,
  revision: string,
): Promise<RepositoryCommitRow> {
  const { row, store, commit } = await openAtCommit(context, address, revision);
  return toRepositoryCommit(context, row, await readObject(store, commit));
}

export interface CommitListFilters extends Pick<HistoryFilters, 'path' | 'since' | 'until'> {
  /** Branch, tag or id; the default branch when absent. */
  sha?: string | null | undefined;
  /** Login or email address. */
  author?: string | null | undefined;
  committer?: string | null | undefined;
}

/** Commits that can be reached from a revision, newest first. `last`: number of the last item of the page. */
export async function listRepositoryCommits(
  context: Context,
  address: RepositoryAddress,
  { sha, author, committer, ...filters }: CommitListFilters,
  last: number,
): Promise<ListSource<RepositoryCommitRow>> {
  const { row, commit } = await openAtCommit(context, address, sha ?? '');
  const people = { author: await personFilter(context, author), committer: await personFilter(context, committer) };
  if (people.author === null || people.committer === null) return { rows: async () => [], total: async () => 0 };
  const { author: by, committer: through } = people;
  const history = historyOf(context, gitObjectRow('commit', row, commit), {
    ...filters,
    ...(by ? { author: by } : {}),
    ...(through ? { committer: through } : {}),
  });
  return {
    async rows(slice) {
      const rows = await history.rows(slice);
      return loadRepositoryCommits(
        context,
        row,
        rows.map(({ oid }) => oid),
      );
    },
    async total() {
      const total = await history.total();
      // A history that is too long to count has at least one more page.
      return total === uncounted ? last + 1 : total;
    },
  };
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
