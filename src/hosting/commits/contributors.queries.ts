import type { Contributor } from '../../../schema/hosting/contributor.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection, type Selection } from '../../db/selection.ts';
import { readRef } from '../../git/refs.ts';
import { openRepository } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import type { GitPlace } from '../git-data/git-place.ts';
import { loadUserIdsByEmail } from './git-actors.queries.ts';
import { type AuthorCount, authorsComputation } from './walk-commits.ts';

/** The newest commits of the default branch that are counted. Their authors are in their contents. */
const maxCommits = 5_000;

/** A contributor as selected. */
export type ContributorRow = Omit<Contributor, 'user'> & { user: AccountRow | null };

/** An author of commits, with an account or without. */
interface CountedAuthor {
  accountId: number | null;
  name: string;
  email: string | null;
  contributions: number;
}

/** Authors of the default branch by their number of commits. `isAnonymous`: also those without an account. */
export async function contributorsOf(
  context: Context,
  place: GitPlace,
  { isAnonymous }: { isAnonymous: boolean },
): Promise<ListSource<ContributorRow>> {
  const store = openRepository(context, place.databaseId);
  const tip = await readRef(store, `refs/heads/${place.defaultBranch}`);
  const authors =
    tip === undefined ? [] : await compute(context, authorsComputation, { repositoryId: store.id, tip, maxCommits });
  const rows = await byAccount(context, authors);
  const all = rows
    .filter(({ accountId }) => isAnonymous || accountId !== null)
    .sort((one, other) => other.contributions - one.contributions);
  return {
    rows: ({ limit, offset, wanted }) =>
      withAccounts(context, all.slice(offset, offset + limit), wanted.get('user') ?? noSelection),
    total: async () => all.length,
  };
}

/** Joins the email addresses of one account. The address of an account is not published by its commits' list. */
async function byAccount(context: Context, authors: readonly AuthorCount[]): Promise<CountedAuthor[]> {
  const ids = await Promise.all(authors.map(({ email }) => context.load(loadUserIdsByEmail, noSelection).load(email)));
  const byId = new Map<number, CountedAuthor>();
  const rows: CountedAuthor[] = [];
  for (const [at, { name, email, count: contributions }] of authors.entries()) {
    const accountId = ids[at] ?? null;
    const known = accountId === null ? undefined : byId.get(accountId);
    if (known) {
      known.contributions += contributions;
      continue;
    }
    const row = { accountId, name, email: accountId === null ? email : null, contributions };
    if (accountId !== null) byId.set(accountId, row);
    rows.push(row);
  }
  return rows;
}

/** Contributors with their accounts, in one statement. @param wanted of the accounts */
async function withAccounts(
  context: Context,
  rows: readonly CountedAuthor[],
  wanted: Selection,
): Promise<ContributorRow[]> {
  const ids = rows.flatMap(({ accountId }) => accountId ?? []);
  const accounts = await accountsByIds(context, ids, wanted);
  const byId = new Map(accounts.map(account => [account?.databaseId, account]));
  return rows.map(({ accountId, name, email, contributions }) => {
    const user = accountId === null ? null : (byId.get(accountId) ?? null);
    return { contributions, user, name: user ? null : name, email: user ? null : email };
  });
}
