import { type Kysely, type RawBuilder, sql } from 'kysely';

/** A list whose length is kept by triggers: see the migration `033-list-tallies`. */
export type TalliedList =
  | 'vital_reading'
  | 'symptom_log'
  | 'active_goal'
  | 'inactive_goal'
  | 'assessment'
  | 'follower'
  | 'following'
  | 'stargazer'
  | 'watcher'
  | 'fork'
  | 'network_fork'
  | 'public_repository'
  | 'private_repository';

/** SQL text: the number of rows of an owner's list. `owner` is an SQL expression of the id of the owner. */
export const tallySql = (list: TalliedList, owner: string): string =>
  `(select coalesce(sum(t.items), 0)::int from list_tally t where t.list = '${list}' and t.owner_id = ${owner})`;

/** Statement: the number of rows of an owner's lists together. */
export const countTallied = (
  lists: readonly TalliedList[],
  owner: RawBuilder<unknown>,
): RawBuilder<{ total: number }> =>
  sql`select coalesce(sum(t.items), 0)::int as total from list_tally t
    where t.list in (${sql.join(lists.map(list => sql.lit(list)))}) and t.owner_id = ${owner}`;

/**
 * Sums the changes that were appended since the last run. Nothing changes for readers: one statement takes the rows and writes their
 * sums. Concurrent runs take different rows. `limit`: of lists, null for all; returns the number of lists.
 */
export async function compactListTallies(db: Kysely<unknown>, limit: number | null = null): Promise<number> {
  const { rows } = await sql<{ lists: number }>`
    with changed as materialized (select distinct list, owner_id from list_tally where not is_sum limit ${limit}),
    taken as (
      delete from list_tally t using changed c where t.list = c.list and t.owner_id = c.owner_id
      returning t.list, t.owner_id, t.items),
    summed as (insert into list_tally (list, owner_id, items, is_sum)
      select list, owner_id, sum(items), true from taken group by list, owner_id having sum(items) <> 0)
    select count(*)::int as lists from changed`.execute(db);
  return rows[0]?.lists ?? 0;
}
