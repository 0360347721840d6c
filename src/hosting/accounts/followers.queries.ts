import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { countTallied } from '../../db/list-tallies.ts';
import { type AccountRow, accountSelectList } from './accounts.queries.ts';

/** Followers of users, newest first. */
export function followersOf(context: Context): BatchedSource<number, AccountRow> {
  return followsSource(context, 'follower', sql`f.follower_id`, sql`f.followed_id`);
}

/** Users whom users follow, newest first. */
export function followedBy(context: Context): BatchedSource<number, AccountRow> {
  return followsSource(context, 'following', sql`f.followed_id`, sql`f.follower_id`);
}

function followsSource(
  context: Context,
  list: 'follower' | 'following',
  listed: RawBuilder<unknown>,
  keyColumn: RawBuilder<unknown>,
): BatchedSource<number, AccountRow> {
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: wanted => accountSelectList(wanted, context),
    from: sql`follow f`,
    readFrom: sql`follow f join account a on a.id = ${listed}`,
    where: key => [sql`${keyColumn} = ${key}`],
    order: sql`f.followed_at desc, ${listed}`,
    reversed: sql`f.followed_at, ${listed} desc`,
    deep: { key: listed, within: key => [sql`${keyColumn} = ${key}`] },
    total: key => countTallied([list], key),
  });
}
