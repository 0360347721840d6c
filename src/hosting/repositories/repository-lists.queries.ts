import { type RawBuilder, sql } from 'kysely';
import { RepositoryAffiliation, type RepositoryOrderField } from '../../../schema/hosting/repository-filters.ts';
import type { StarOrderField } from '../../../schema/hosting/starrable.ts';
import type { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import type { Actor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable, forEachKey } from '../../db/batched-list.ts';
import { sayingWhatIsWithheld } from '../organizations/withheld-organizations.ts';
import { type OwnedRow, repositoryJoins, repositorySelectList, stargazerCountSql } from './repositories.queries.ts';
import { visibleTo } from './repository-access.ts';
import { pushedAtSql } from './repository-growth.ts';

/** Which repositories of a list are wanted, and their order. An absent or null field restricts nothing. */
export interface RepositoryFilter {
  /** Relations of the caller to the repository, any of them. */
  affiliations?: readonly RepositoryAffiliation[] | null | undefined;
  privacy?: 'public' | 'private' | null | undefined;
  visibility?: 'public' | 'private' | 'internal' | null | undefined;
  isFork?: boolean | null | undefined;
  isArchived?: boolean | null | undefined;
  /** No repository is locked. */
  isLocked?: boolean | null | undefined;
  /** No repository has issues. */
  hasIssuesEnabled?: boolean | null | undefined;
  /** Changed after this time. */
  updatedSince?: Date | null | undefined;
  /** Changed before this time. */
  updatedBefore?: Date | null | undefined;
  orderBy?: { field: RepositoryOrderField; direction: OrderDirection } | null | undefined;
}

type Condition = RawBuilder<unknown>;

const orderSql: Record<RepositoryOrderField, readonly string[]> = {
  created_at: ['r.created_at'],
  updated_at: ['r.updated_at'],
  pushed_at: [pushedAtSql],
  name: ['lower(r.name)'],
  name_with_owner: ['lower(o.login)', 'lower(r.name)'],
  stargazers: [stargazerCountSql],
};

/** SQL: the order; a repository without a push counts as pushed before all others. One direction, so that an index serves it. */
export function repositoryOrder(orderBy: RepositoryFilter['orderBy'], byDefault: string): Condition {
  if (!orderBy) return sql.raw(`${byDefault}, r.id`);
  const { field, direction } = orderBy;
  const nulls = field === 'pushed_at' ? (direction === 'asc' ? 'nulls first' : 'nulls last') : '';
  const keys = orderSql[field].map(key => `${key} ${direction} ${nulls}`);
  return sql.raw(`${keys.join(', ')}, r.id ${direction}`);
}

export function filterConditions(actor: Actor, filter: RepositoryFilter): Condition[] {
  const { affiliations, privacy, visibility, isFork, isArchived, isLocked, hasIssuesEnabled } = filter;
  const conditions: Condition[] = [];
  for (const wanted of [privacy, visibility]) {
    if (wanted) conditions.push(wanted === 'internal' ? sql`false` : sql`r.is_private = ${wanted === 'private'}`);
  }
  if (typeof isFork === 'boolean') conditions.push(sql`(r.parent_id is not null) = ${isFork}`);
  if (typeof isArchived === 'boolean') conditions.push(sql`r.is_archived = ${isArchived}`);
  if (isLocked === true || hasIssuesEnabled === true) conditions.push(sql`false`);
  if (filter.updatedSince) conditions.push(sql`r.updated_at > ${filter.updatedSince}`);
  if (filter.updatedBefore) conditions.push(sql`r.updated_at < ${filter.updatedBefore}`);
  if (affiliations) {
    const caller = actor.kind === 'user' ? sql`${actor.accountId}::bigint` : sql`null::bigint`;
    conditions.push(sql`r.id in (${affiliated(caller, affiliations)})`);
  }
  return conditions;
}

const anyOf = (conditions: readonly Condition[]): Condition => sql.join(conditions, sql` or `);

/** SQL: ids of the repositories that an account has any of the relations to. */
export function affiliated(accountId: Condition, affiliations: readonly RepositoryAffiliation[]): Condition {
  const { OWNER, COLLABORATOR, ORGANIZATION_MEMBER } = RepositoryAffiliation;
  const parts = [sql`select null::bigint where false`];
  if (affiliations.includes(OWNER))
    parts.push(sql`select own.id from repository own where own.owner_id = ${accountId}`);
  if (affiliations.includes(COLLABORATOR)) {
    parts.push(sql`select c.repository_id from collaborator c where c.account_id = ${accountId}`);
  }
  if (affiliations.includes(ORGANIZATION_MEMBER)) {
    parts.push(sql`select own.id from membership m join repository own on own.owner_id = m.organization_id
      where m.account_id = ${accountId}`);
  }
  return sql.join(parts, sql` union all `);
}

/**
 * Repositories of many accounts that the caller can see, by name. Relations other than ownership count for the caller alone: the
 * memberships and collaborations of others are not public.
 */
export function repositoriesOfOwners(
  context: Context,
  ownerAffiliations: readonly RepositoryAffiliation[],
  filter: RepositoryFilter,
): BatchedSource<number, OwnedRow> {
  const { actor } = context;
  const owned = ownerAffiliations.filter(one => one === RepositoryAffiliation.OWNER);
  const others = ownerAffiliations.filter(one => one !== RepositoryAffiliation.OWNER);
  const caller = actor.kind === 'user' ? actor.accountId : undefined;
  const sourceFor = (keys: readonly number[]): BatchedSource<number, OwnedRow> =>
    repositoryLists(context, filter, key => {
      if (others.length === 0 || caller === undefined || !keys.includes(caller)) {
        return owned.length > 0 ? sql`r.owner_id = ${key}` : sql`false`;
      }
      const own = affiliated(key, owned);
      return sql`r.id in (${own} union all
        select id from (${affiliated(sql`${caller}::bigint`, others)}) as theirs (id) where ${key} = ${caller}::bigint)`;
    });
  const isWhole = others.length === 0 && owned.length > 0 && filterConditions(actor, filter).length === 0;
  return {
    rows: (keys, page) => sourceFor(keys).rows(keys, page),
    totals: keys => (isWhole ? countOwned(context, keys) : sourceFor(keys).totals(keys)),
  };
}

/** Numbers of repositories of accounts that the caller can see: of the public ones it is kept, the private ones are counted. */
async function countOwned({ actor, read }: Context, ownerIds: readonly number[]): Promise<number[]> {
  const found = await forEachKey<{ total: number }>(
    read,
    ownerIds,
    'bigint',
    key => sql`select coalesce((select sum(t.items) from list_tally t where t.list = 'public_repository' and t.owner_id = ${key}), 0)::int
      + (select count(*)::int from ${repositoryJoins} where r.owner_id = ${key} and r.is_private and ${visibleTo(actor)}) as total`,
  );
  return found.map(([row]) => row?.total ?? 0);
}

/** Direct forks of many repositories that the caller can see, newest first. */
export const forksOf = (context: Context, filter: RepositoryFilter): BatchedSource<number, OwnedRow> =>
  repositoryLists(context, filter, key => sql`r.parent_id = ${key}`, 'r.created_at desc');

/** Repositories that users watch and the caller can see, by name. */
export const watchedBy = (context: Context, filter: RepositoryFilter): BatchedSource<number, OwnedRow> =>
  repositoryLists(
    context,
    filter,
    key => sql`r.id in (select w.repository_id from watch w where w.account_id = ${key})`,
  );

/** A repository in the list of a user's stars. */
export type StarredRow = OwnedRow & { starredAt: string };

export interface StarFilter {
  /** Key and direction of the order. */
  field: StarOrderField;
  direction: OrderDirection;
  ownedByCaller: boolean;
}

/** Repositories that users starred and the caller can see. */
export function starredBy(
  context: Context,
  { field, direction, ownedByCaller }: StarFilter,
): BatchedSource<number, StarredRow> {
  const { actor, read } = context;
  const caller = actor.kind === 'user' ? actor.accountId : null;
  const lists = batchedTable<number, StarredRow>(read, {
    keyType: 'bigint',
    select: wanted => sql`${repositorySelectList(wanted, context)}, star.starred_at as "starredAt"`,
    from: sql`star join ${repositoryJoins} on r.id = star.repository_id`,
    where: key => [
      sql`star.account_id = ${key}`,
      visibleTo(actor),
      ...(ownedByCaller ? [sql`r.owner_id = ${caller}::bigint`] : []),
    ],
    order: sql.raw(`${field === 'updated_at' ? 'r.updated_at' : 'star.starred_at'} ${direction}, r.id ${direction}`),
  });
  return sayingWhatIsWithheld(context, lists, (keys: readonly number[]) => ({
    of: 'repositories',
    where: sql`r.id in (select star.repository_id from star where star.account_id = any(${[...keys]}::bigint[]))`,
  }));
}

function repositoryLists(
  context: Context,
  filter: RepositoryFilter,
  condition: (key: Condition) => Condition,
  order = 'lower(r.name)',
): BatchedSource<number, OwnedRow> {
  const { actor, read } = context;
  const filters = filterConditions(actor, filter);
  const lists = batchedTable<number, OwnedRow>(read, {
    keyType: 'bigint',
    select: wanted => repositorySelectList(wanted, context),
    from: repositoryJoins,
    where: key => [condition(key), ...filters, visibleTo(actor)],
    order: repositoryOrder(filter.orderBy, order),
  });
  return sayingWhatIsWithheld(context, lists, (keys: readonly number[]) => ({
    of: 'repositories',
    where: sql.join([sql`(${anyOf(keys.map(key => condition(sql`${key}::bigint`)))})`, ...filters], sql` and `),
  }));
}
