import { sql } from 'kysely';
import type { Contributor } from '../../../schema/hosting/commit-documents.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { walkHistory } from '../../git/history.ts';
import { readRef } from '../../git/refs.ts';
import { avatarUrl } from '../accounts/avatar-size.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { firstOf, groupsOf, peopleOf } from './commit-history.ts';
import { loadUserIdsByEmail } from './git-actors.queries.ts';
import { openContents } from './git-commits.queries.ts';

/** The newest commits of the default branch that are counted. Their authors are in their contents. */
const maxCommits = 5_000;
/** Commits whose contents are read together. */
const commitsPerRead = 500;

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
  const authors = new Map<string, { name: string; email: string; count: number }>();
  const newest = firstOf(walkHistory(store, tip === undefined ? [] : [tip]), maxCommits);
  for await (const group of groupsOf(newest, commitsPerRead)) {
    const people = await peopleOf(store, group);
    for (const { oid } of group) {
      const author = people.get(oid)?.author;
      if (!author) continue;
      const key = author.email.toLowerCase();
      const known = authors.get(key);
      if (known) known.count++;
      else authors.set(key, { name: author.name, email: author.email, count: 1 });
    }
  }
  const rows = await byAccount(context, [...authors.values()]);
  const all = rows
    .filter(({ accountId }) => isAnonymous || accountId !== null)
    .sort((one, other) => other.contributions - one.contributions);
  return {
    rows: ({ limit, offset }) => toContributors(context, all.slice(offset, offset + limit)),
    total: async () => all.length,
  };
}

/** Joins the email addresses of one account. The address of an account is not published by its commits' list. */
async function byAccount(
  context: Context,
  authors: readonly { name: string; email: string; count: number }[],
): Promise<ContributorRow[]> {
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
