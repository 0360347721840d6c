import { type RawBuilder, sql } from 'kysely';
import { forEachKey } from '../../db/batched-list.ts';
import type { Feed } from './feed.ts';
import { type FeedContext, feedColumns, feedRows, maxFeedEntries } from './feed-rows.ts';

/** An event in a feed. With its time, PostgreSQL looks it up in one partition. */
export interface EventKey {
  id: string;
  /** As PostgreSQL prints it, with microseconds. */
  createdAt: string;
  type: string;
}

/** Id ranges, from the newest event back, that are searched for received events; the last one has no end. */
const idSpans = [5_000, 100_000, undefined];

/**
 * The newest 300 received events of accounts, in the order of the accounts: those of watched repositories and followed accounts. Fan-out
 * on read: the newest 300 of each followed account and watched repository within the range, by an index, and no writes when an event
 * happens. An account that follows many finds its events in the first range; one that follows few has few look-ups in the last one. The
 * time of the first event of a range spares looking into older partitions.
 */
export async function receivedEvents(
  context: FeedContext,
  feed: Feed,
  accountIds: readonly number[],
): Promise<EventKey[][]> {
  const found = new Map<number, EventKey[]>();
  // Types are chosen among them: searched for in each followed account, a type that none has would read all their events.
  const all = { ...feed, types: null };
  const newest = sql`order by e.id desc limit ${sql.lit(maxFeedEntries)}`;
  for (const span of idSpans) {
    const wanted = accountIds.filter(id => (found.get(id)?.length ?? 0) < maxFeedEntries);
    if (wanted.length === 0) break;
    const range =
      span === undefined
        ? sql``
        : sql`range as materialized (
      select e.id - 1 as after, e.created_at - interval '1 hour' as since from event e
      where e.id > (select last_value - ${span}::bigint from event_id) order by e.id limit 1),`;
    const within =
      span === undefined
        ? sql`true`
        : sql`e.id > (select after from range) and e.created_at > (select since from range)`;
    const newestOf = (keys: RawBuilder<unknown>, column: RawBuilder<unknown>) => sql`
      select one.* from (${keys}) source (id) cross join lateral (select e.id, e.created_at, e.type
        from ${feedRows(context, all, sql`${column} = source.id and ${within}`)}
        ${newest}) one`;
    const lists = await forEachKey<EventKey>(
      context.read,
      wanted,
      'bigint',
      account => sql`with ${range} received as (
        ${newestOf(sql`select followed_id from follow where follower_id = ${account}`, feedColumns.actor)}
        union ${newestOf(sql`select repository_id from watch where account_id = ${account}`, feedColumns.repository)})
        select e.id::text, e.created_at::text as "createdAt", e.type from received e ${newest}`,
    );
    wanted.forEach((id, at) => {
      found.set(id, lists[at] ?? []);
    });
  }
  const isWanted = ({ type }: EventKey): boolean => feed.types == null || feed.types.includes(type);
  return accountIds.map(id => (found.get(id) ?? []).filter(isWanted));
}

/** SQL: the events with these keys, for `feedRows`. */
export const eventsWithKeys = (keys: readonly EventKey[]): RawBuilder<unknown> => sql`(select e.* from
  unnest(${keys.map(({ id }) => id)}::bigint[], ${keys.map(({ createdAt }) => createdAt)}::timestamptz[]) as k (id, created_at)
  join event e on e.id = k.id and e.created_at = k.created_at)`;
