import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { visibleTo } from '../repositories/repository-access.ts';
import type { Feed } from './feed.ts';

/** Maximum events that paging can reach. */
export const maxFeedEntries = 300;

const dayMs = 24 * 60 * 60_000;
/** Events older than this, in milliseconds, are in no feed. */
export const eventRetentionMs = 90 * dayMs;
/** Delay of the public feed, so that a mistaken push can be undone. */
const publicFeedDelay = `interval '5 minutes'`;

export type FeedContext = Pick<Context, 'actor' | 'read' | 'now' | 'omittedOrganizations'>;

/** The time of the oldest events in feeds, as ISO 8601. */
export const since = ({ now }: Pick<FeedContext, 'now'>): string =>
  new Date(now().getTime() - eventRetentionMs).toISOString();

/** Events of a feed that are searched for certain types, from the newest back. */
const maxTypeSearched = 10_000;

/**
 * SQL after FROM: events `e` of a feed with their repository `r` and its owner. The repository is a lateral subquery that PostgreSQL cannot
 * merge: with a join it expected few visible repositories, and read all 50,000 events of an account for the newest 30.
 */
export function feedRows(
  context: FeedContext,
  feed: Feed,
  condition: RawBuilder<unknown>,
  events?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { actor, now } = context;
  const isVisible = feed.publicOnly ? sql`not r.is_private` : visibleTo(actor);
  const conditions = [sql`e.created_at > ${since(context)}::timestamptz and ${condition}`];
  // Written as a sum on purpose: for two unknown bounds on one column PostgreSQL estimates 0.5 % of the table and never
  // reuses a generic plan; for an expression it estimates a third.
  if (feed.kind === 'everything') {
    conditions.push(sql`e.created_at + ${sql.raw(publicFeedDelay)} <= ${now().toISOString()}::timestamptz`);
  }
  const where = sql.join(conditions, sql` and `);
  const repository = sql`cross join lateral (
    select r.name, r.is_private, r.owner_id, o.login as owner_login, o.kind as owner_kind
    from repository r join account o on o.id = r.owner_id where r.id = e.repository_id and ${isVisible} offset 0) r`;
  if (feed.types == null || events) return sql`${events ?? sql`event`} e ${repository} where ${where}`;
  return sql`(select * from event e where ${where} order by e.id desc limit ${sql.lit(maxTypeSearched)}) e ${repository}
    where e.type = any(${[...feed.types]}::text[])`;
}

export const feedColumns = {
  repository: sql.raw('e.repository_id'),
  network: sql.raw('e.network_id'),
  owner: sql.raw('e.owner_id'),
  actor: sql.raw('e.actor_id'),
} as const;
