import { sql } from 'kysely';
import type { Candidates } from '../organizations/withheld-organizations.ts';
import type { Feed } from './feed.ts';
import { type FeedContext, feedColumns, since } from './feed-rows.ts';

/**
 * The repositories with events in the feeds of these ids, seen by the caller or not; `feed` is any of them. Undefined for a feed of public
 * events, which leaves out none.
 */
export function eventCandidates(
  context: Pick<FeedContext, 'now'>,
  feed: Feed,
  ids: readonly number[],
): Candidates | undefined {
  if (feed.publicOnly || feed.kind === 'everything') return undefined;
  const isOne = sql`= any(${[...ids]}::bigint[])`;
  const isInFeed =
    feed.kind === 'received'
      ? sql`(e.actor_id in (select followed_id from follow where follower_id ${isOne})
        or e.repository_id in (select repository_id from watch where account_id ${isOne}))`
      : sql`${feedColumns[feed.kind]} ${isOne}`;
  return {
    of: 'repositories',
    where: sql`exists (select 1 from event e
      where e.repository_id = r.id and e.created_at > ${since(context)}::timestamptz and ${isInFeed})`,
  };
}
