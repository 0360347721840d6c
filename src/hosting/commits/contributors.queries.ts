import { sql } from 'kysely';
import type { Contributor } from '../../../schema/hosting/commit-documents.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { readRef } from '../../git/refs.ts';
import { compute } from '../../workers/computation.ts';
import { avatarUrl } from '../accounts/avatar-size.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { loadUserIdsByEmail } from './git-actors.queries.ts';
import { openContents } from './git-commits.queries.ts';
import { type AuthorCount, authorsComputation } from './walk-commits.ts';

/** The newest commits of the default branch that are counted. Their authors are in their contents. */
const maxCommits = 5_000;

/** An author of commits, with an account or without. */
interface ContributorRow {
  accountId: number | null;
  name: string;
  email: string | null;
  contributions: number;
}

/** Authors of the default branch by their number of commits. `isAnonymous`: also those without an account. */
export async function contributorsOf(
  context: Context,
  address: RepositoryAddress,
  { isAnonymous }: { isAnonymous: boolean },
): Promise<ListSource<Contributor>> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const tip = await readRef(store, `refs/heads/${row.defaultBranch}`);
  const authors =
    tip === undefined ? [] : await compute(context, authorsComputation, { repositoryId: store.id, tip, maxCommits });
  const rows = await byAccount(context, authors);
  const all = rows
    .filter(({ accountId }) => isAnonymous || accountId !== null)
    .sort((one, other) => other.contributions - one.contributions);
  return {
    rows: ({ limit, offset }) => toContributors(context, all.slice(offset, offset + limit)),
    total: async () => all.length,
  };
}

/** Joins the email addresses of one account. The address of an account is not published by its commits' list. */
async function byAccount(context: Context, authors: readonly AuthorCount[]): Promise<ContributorRow[]> {
  const ids = await Promise.all(authors.map(({ email }) => context.load(loadUserIdsByEmail, noSelection).load(email)));
  const byId = new Map<number, ContributorRow>();
  const rows: ContributorRow[] = [];
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

/** Contributors with their accounts, in one statement. */
async function toContributors(context: Context, rows: readonly ContributorRow[]): Promise<Contributor[]> {
  const ids = rows.flatMap(({ accountId }) => accountId ?? []);
  const accounts = await context.read(sql<{ id: number; login: string; isSiteAdmin: boolean }>`
    select id, login, is_site_admin as "isSiteAdmin" from account where id = any(${ids}::bigint[])`);
  const byId = new Map(accounts.map(account => [account.id, account]));
  return rows.map(({ accountId, name, email, contributions }): Contributor => {
    const account = accountId === null ? undefined : byId.get(accountId);
    const path = account ? `/${account.login}` : null;
    return {
      contributions,
      type: account ? 'User' : 'Anonymous',
      name: account ? null : name,
      email: account ? null : email,
      login: account?.login ?? null,
      accountId: account?.id ?? null,
      nodeId: account ? encodeGlobalId('User', account.id) : null,
      avatarUrl: account ? avatarUrl(context, account.id, null) : null,
      resourcePath: path,
      webUrl: path && `${context.origin}${path}`,
      isSiteAdmin: account?.isSiteAdmin ?? null,
    };
  });
}
