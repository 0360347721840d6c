import { type RawBuilder, sql } from 'kysely';
import { noteOmittedOrganizations, type OmissionContext } from '../repositories/omitted-organizations.ts';
import type { Feed } from './feed.ts';

/** SQL condition over `e` (event): what is in the feed. */
function isInFeed(feed: Exclude<Feed, { kind: 'everything' }>): RawBuilder<unknown> {
  switch (feed.kind) {
    case 'repository':
      return sql`e.repository_id = ${feed.id}`;
    case 'network':
      return sql`e.network_id = ${feed.id}`;
    case 'owner':
      return sql`e.owner_id = ${feed.id}`;
    case 'actor':
      return sql`e.actor_id = ${feed.id}`;
    case 'received':
      return sql`(e.actor_id in (select followed_id from follow where follower_id = ${feed.id})
        or e.repository_id in (select repository_id from watch where account_id = ${feed.id}))`;
  }
}

/** Notes the organizations whose events a feed leaves out for single sign-on. A feed of public events leaves out none. */
export async function noteOmittedEvents(context: OmissionContext, feed: Feed, since: string): Promise<void> {
  if (feed.publicOnly || feed.kind === 'everything') return;
  await noteOmittedOrganizations(
    context,
    sql`exists (select 1 from event e
      where e.repository_id = r.id and e.created_at > ${since}::timestamptz and ${isInFeed(feed)})`,
  );
}
