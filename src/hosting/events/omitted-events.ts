import { sql } from 'kysely';
import { noteOmittedOrganizations } from '../repositories/omitted-organizations.ts';
import type { Feed } from './feed.ts';
import { type FeedContext, feedColumns, since } from './feed-rows.ts';

/**
 * Notes the organizations whose events the feeds of these ids leave out for single sign-on; `feed` is any of them. A feed of public
 * events leaves out none.
 */
export async function noteOmittedEvents(context: FeedContext, feed: Feed, ids: readonly number[]): Promise<void> {
  if (feed.publicOnly || feed.kind === 'everything') return;
  const isOne = sql`= any(${[...ids]}::bigint[])`;
  const isInFeed =
    feed.kind === 'received'
      ? sql`(e.actor_id in (select followed_id from follow where follower_id ${isOne})
        or e.repository_id in (select repository_id from watch where account_id ${isOne}))`
      : sql`${feedColumns[feed.kind]} ${isOne}`;
  await noteOmittedOrganizations(
    context,
    sql`exists (select 1 from event e
      where e.repository_id = r.id and e.created_at > ${since(context)}::timestamptz and ${isInFeed})`,
  );
}
