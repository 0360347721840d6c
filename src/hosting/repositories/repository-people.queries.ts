import { type RawBuilder, sql } from 'kysely';
import type { CollaboratorAffiliation, RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import type { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import type { Selection } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { loginKey } from '../accounts/login.ts';
import { roleNamesSql } from './repository-access.ts';

/** A user in a list of a repository, with what the list knows of the pair. */
type PersonRow<Fact> = AccountRow & Fact;

interface AccountKey {
  accountId: number;
}

/** Users who starred many repositories, by the time of the star. */
export function stargazersOf(
  context: Context,
  direction: OrderDirection,
): BatchedSource<number, PersonRow<{ starredAt: string }>> {
  return people<{ starredAt: string }>(context, {
    select: sql`star.account_id as "accountId", star.starred_at as "starredAt"`,
    from: sql`star`,
    where: key => [sql`star.repository_id = ${key}`],
    order: sql.raw(`star.starred_at ${direction}, star.account_id ${direction}`),
  });
}

/** Users who watch many repositories, the first watcher first. */
export function watchersOf(context: Context): BatchedSource<number, AccountRow> {
  return people(context, {
    select: sql`watch.account_id as "accountId"`,
    from: sql`watch`,
    where: key => [sql`watch.repository_id = ${key}`],
    order: sql`watch.watched_at, watch.account_id`,
  });
}

export interface CollaboratorFilter {
  affiliation: CollaboratorAffiliation;
  login?: string | null | undefined;
  /** Part of the login or of the display name. */
  query?: string | null | undefined;
}

/** Collaborators of many repositories, by login. Who may read them is for the caller to check. */
export function collaboratorsOf(
  context: Context,
  { affiliation, login, query }: CollaboratorFilter,
): BatchedSource<number, PersonRow<{ permission: RepositoryPermission }>> {
  // A collaborator that is also a member has the higher of the two permissions.
  const member = sql`from membership m where m.organization_id = o.id and m.account_id = c.account_id`;
  const added = (key: RawBuilder<unknown>) => sql`select c.account_id as id,
      greatest(array_position(${roleNamesSql}, c.role), (select case m.role when 'admin' then 5
        else array_position(${roleNamesSql}, o.base_permission) end ${member})) as role
    from collaborator c join repository r on r.id = c.repository_id join account o on o.id = r.owner_id
    where r.id = ${key} ${affiliation === 'outside' ? sql`and not exists (select 1 ${member})` : sql``}`;
  const owner = (key: RawBuilder<unknown>) => sql`select r.owner_id, 5 from repository r
    join account o on o.id = r.owner_id and o.kind = 'user' where r.id = ${key}`;
  const all = (key: RawBuilder<unknown>) =>
    affiliation === 'all' ? sql`${added(key)} union all ${owner(key)}` : added(key);
  const text = query ? `%${query.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` : undefined;
  return people<{ permission: RepositoryPermission }>(context, {
    select: sql`a.id as "accountId",
      (${roleNamesSql})[(select max(role) from (${all(sql.raw('batch_item.key'))}) as role (id, role) where role.id = a.id)] as permission`,
    from: sql`account a`,
    where: key => [
      sql`a.id in (select found.id from (${all(key)}) as found (id, role))`,
      ...(login == null ? [] : [sql`lower(a.login) = ${loginKey(login) ?? ''}`]),
      ...(text === undefined ? [] : [sql`(a.login ilike ${text} or a.name ilike ${text})`]),
    ],
    order: sql`lower(a.login)`,
  });
}

/** Two statements: the pairs, and the accounts of all of them. */
function people<Fact extends object>(
  context: Context,
  list: {
    select: RawBuilder<unknown>;
    from: RawBuilder<unknown>;
    where(key: RawBuilder<unknown>): readonly RawBuilder<unknown>[];
    order: RawBuilder<unknown>;
  },
): BatchedSource<number, PersonRow<Fact>> {
  const pairs = batchedTable<number, Fact & AccountKey>(context.read, {
    ...list,
    keyType: 'bigint',
    select: () => list.select,
  });
  return {
    totals: pairs.totals,
    async rows(keys, page) {
      const lists = await pairs.rows(keys, page);
      const withAccounts = (rows: (Fact & AccountKey)[]) =>
        Promise.all(rows.map(row => withAccount(context, row, page.wanted)));
      const found = await Promise.all(lists.map(withAccounts));
      // An account may be deleted between the two statements.
      return found.map(rows => rows.filter(row => row !== null));
    },
  };
}

async function withAccount<Pair extends AccountKey>(
  context: Context,
  pair: Pair,
  wanted: Selection,
): Promise<(AccountRow & Pair) | null> {
  const account = await context.load(accountsByIds, wanted).load(pair.accountId);
  // The loader gives every list the same object, and each list has facts of its own.
  return account && { ...account, ...pair };
}
