import { type RawBuilder, sql } from 'kysely';
import type { CollaboratorAffiliation, RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import type { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable, forEachKey } from '../../db/batched-list.ts';
import { likePattern } from '../../db/like-pattern.ts';
import { countTallied } from '../../db/list-tallies.ts';
import type { Selection } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { loginKey } from '../accounts/login.ts';
import { roleNamesSql } from './repository-access.ts';

/** A user in a list of a repository, with what the list knows of the pair. */
type PersonRow<Fact> = AccountRow & Fact;

interface AccountKey {
  accountId: number;
}

const timeOrder = (time: string, account: string, direction: OrderDirection): RawBuilder<unknown> =>
  sql.raw(`${time} ${direction}, ${account} ${direction}`);

/** Users who starred many repositories, by the time of the star. */
export function stargazersOf(
  context: Context,
  direction: OrderDirection,
): BatchedSource<number, PersonRow<{ starredAt: string }>> {
  return people<{ starredAt: string }>(context, {
    select: sql`star.account_id as "accountId", star.starred_at as "starredAt"`,
    from: sql`star`,
    where: key => [sql`star.repository_id = ${key}`],
    order: timeOrder('star.starred_at', 'star.account_id', direction),
    reversed: timeOrder('star.starred_at', 'star.account_id', direction === 'asc' ? 'desc' : 'asc'),
    total: key => countTallied(['stargazer'], key),
  });
}

/** Users who watch many repositories, the first watcher first. */
export function watchersOf(context: Context): BatchedSource<number, AccountRow> {
  return people(context, {
    select: sql`watch.account_id as "accountId"`,
    from: sql`watch`,
    where: key => [sql`watch.repository_id = ${key}`],
    order: timeOrder('watch.watched_at', 'watch.account_id', 'asc'),
    reversed: timeOrder('watch.watched_at', 'watch.account_id', 'desc'),
    total: key => countTallied(['watcher'], key),
  });
}

export interface CollaboratorFilter {
  affiliation: CollaboratorAffiliation;
  login?: string | null | undefined;
  /** Part of the login or of the display name. */
  query?: string | null | undefined;
  /** The least permission. */
  atLeast?: RepositoryPermission | null | undefined;
}

/** Collaborators of many repositories, by login; `all` also lists the owner, and the members of an organization who have access. Who may read them is for the caller to check. */
export function collaboratorsOf(
  context: Context,
  { affiliation, login, query, atLeast }: CollaboratorFilter,
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
  const members = (key: RawBuilder<unknown>) => sql`select m.account_id,
      case m.role when 'admin' then 5 else array_position(${roleNamesSql}, o.base_permission) end
    from repository r join account o on o.id = r.owner_id join membership m on m.organization_id = o.id
    where r.id = ${key} and (m.role = 'admin' or o.base_permission = any(${roleNamesSql}))`;
  const all = (key: RawBuilder<unknown>) =>
    affiliation === 'all' ? sql`${added(key)} union all ${owner(key)} union all ${members(key)}` : added(key);
  const text = query ? likePattern(query) : undefined;
  const found = (key: RawBuilder<unknown>) => sql`(select id, max(role) as role from (${all(key)}) as pair (id, role)
      group by id) as found join account a on a.id = found.id
    where ${sql.join(
      [
        sql`true`,
        ...(login == null ? [] : [sql`lower(a.login) = ${loginKey(login) ?? ''}`]),
        ...(atLeast == null ? [] : [sql`found.role >= array_position(${roleNamesSql}, ${atLeast})`]),
        ...(text === undefined ? [] : [sql`(a.login ilike ${text} or a.name ilike ${text})`]),
      ],
      sql` and `,
    )}`;
  return withAccounts<{ permission: RepositoryPermission }>(context, {
    rows: (keys, { limit, offsets }) =>
      forEachKey(
        context.read,
        keys,
        'bigint',
        (key, offset) => sql`select a.id as "accountId", (${roleNamesSql})[found.role] as permission
          from ${found(key)} order by lower(a.login) limit ${limit} offset ${offset}`,
        offsets,
      ),
    async totals(keys) {
      const counts = await forEachKey<{ total: number }>(
        context.read,
        keys,
        'bigint',
        key => sql`select count(*)::int as total from ${found(key)}`,
      );
      return counts.map(([count]) => count?.total ?? 0);
    },
  });
}

/** Pairs of a repository and an account. */
function people<Fact extends object>(
  context: Context,
  list: {
    select: RawBuilder<unknown>;
    from: RawBuilder<unknown>;
    where(key: RawBuilder<unknown>): readonly RawBuilder<unknown>[];
    order: RawBuilder<unknown>;
    reversed: RawBuilder<unknown>;
    total(key: RawBuilder<unknown>): RawBuilder<{ total: number }>;
  },
): BatchedSource<number, PersonRow<Fact>> {
  const select = () => list.select;
  const pairs = batchedTable<number, Fact & AccountKey>(context.read, { ...list, keyType: 'bigint', select });
  return withAccounts<Fact>(context, pairs);
}

/** Two statements: the pairs, and the accounts of all of them. */
function withAccounts<Fact extends object>(
  context: Context,
  pairs: BatchedSource<number, Fact & AccountKey>,
): BatchedSource<number, PersonRow<Fact>> {
  return {
    totals: pairs.totals,
    async rows(keys, page) {
      const lists = await pairs.rows(keys, page);
      const load = (rows: (Fact & AccountKey)[]) =>
        Promise.all(rows.map(row => withAccount(context, row, page.wanted)));
      const found = await Promise.all(lists.map(load));
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
