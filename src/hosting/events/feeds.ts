import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../auth/actor.ts';
import { hasPermission } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { visibleTo } from '../repositories/repository-access.ts';

/** A feed of events. Without `publicOnly`, it has everything that the caller can read now. */
export type Feed = { publicOnly: boolean; types?: readonly string[] | null | undefined } & (
  | { kind: 'everything' }
  | { kind: 'repository' | 'network' | 'owner' | 'actor' | 'received'; id: number }
);

/** Maximum events that paging can reach. */
export const maxFeedEntries = 300;

const dayMs = 24 * 60 * 60_000;
/** Events older than this, in milliseconds, are in no feed. */
export const eventRetentionMs = 90 * dayMs;
/** Delay of the public feed, so that a mistaken push can be undone. */
const publicFeedDelay = `interval '5 minutes'`;

/**
 * Whether the caller sees private events of an account's feed: only its own user, and with fine-grained tokens only
 * with the `events` permission.
 */
export function mayReadPrivateFeed(actor: Actor, accountId: number): boolean {
  if (actor.kind !== 'user' || actor.accountId !== accountId) return false;
  const { credential } = actor;
  return 'scopes' in credential || hasPermission(credential.permissions, 'events', 'read');
}

type FeedContext = Pick<Context, 'actor' | 'read' | 'now'>;

/** SQL after FROM: events `e` of a feed joined with their repository `r` and its owner `o`. */
function feedRows(
  { actor, now }: FeedContext,
  feed: Feed,
  condition: RawBuilder<unknown>,
  events: RawBuilder<unknown> = sql`event`,
): RawBuilder<unknown> {
  const since = new Date(now().getTime() - eventRetentionMs).toISOString();
  const parts = [
    sql`${events} e join repository r on r.id = e.repository_id join account o on o.id = r.owner_id
      where e.created_at > ${since}::timestamptz and ${condition} and ${feed.publicOnly ? sql`not r.is_private` : visibleTo(actor)}`,
  ];
  // Written as a sum on purpose: for two unknown bounds on one column PostgreSQL estimates 0.5 % of the table and never
  // reuses a generic plan; for an expression it estimates a third.
  if (feed.kind === 'everything') {
    parts.push(sql`and e.created_at + ${sql.raw(publicFeedDelay)} <= ${now().toISOString()}::timestamptz`);
  }
  if (feed.types != null) parts.push(sql`and e.type = any(${[...feed.types]}::text[])`);
  return sql.join(parts, sql` `);
}

const feedColumns = {
  repository: sql.raw('e.repository_id'),
  network: sql.raw('e.network_id'),
  owner: sql.raw('e.owner_id'),
  actor: sql.raw('e.actor_id'),
} as const;

/** SQL condition for the events of a feed, regardless of visibility. */
async function feedCondition(context: FeedContext, feed: Feed): Promise<RawBuilder<unknown>> {
  if (feed.kind === 'everything') return sql`true`;
  if (feed.kind !== 'received') return sql`${feedColumns[feed.kind]} = ${feed.id}`;
  // An array of ids, which the primary key index serves.
  return sql`e.id = any(${await receivedEventIds(context, feed, feed.id)}::bigint[])`;
}

/**
 * Id ranges, from the newest event back, that are searched for received events. An account that follows many finds a
 * page in the first range; one that follows few has few rows in the last, unlimited range.
 */
const idSpans = [5_000, 100_000, Number.MAX_SAFE_INTEGER];

/**
 * Ids of the newest 300 events of watched repositories and followed accounts. Fan-out on read: one index look-up per
 * followed account and watched repository, and no writes when an event happens.
 */
async function receivedEventIds(context: FeedContext, feed: Feed, accountId: number): Promise<number[]> {
  let ids: number[] = [];
  for (const span of idSpans) {
    const floor = sql`(select last_value - ${span}::bigint from event_id)`;
    // Collected as an array first; as a subquery PostgreSQL would evaluate it for each event.
    const found = (condition: RawBuilder<unknown>) =>
      sql`select id, created_at, type, repository_id from event where ${condition} and id > ${floor}`;
    const followed = sql`actor_id = any(array(select followed_id from follow where follower_id = ${accountId}))`;
    const watched = sql`repository_id = any(array(select repository_id from watch where account_id = ${accountId}))`;
    const events = sql`(${found(followed)} union ${found(watched)})`;
    const rows = await context.read(sql<{ id: number }>`
      select e.id from ${feedRows(context, feed, sql`true`, events)} order by e.id desc limit ${sql.lit(maxFeedEntries)}`);
    ids = rows.map(({ id }) => id);
    if (ids.length === maxFeedEntries) break;
  }
  return ids;
}

/** An event with the current names of its objects. */
export interface EventRow extends Pick<OwnedRow, 'isPrivate' | 'ownerId' | 'ownerLogin' | 'ownerKind'> {
  id: string;
  type: string;
  payload: never;
  createdAt: string;
  actorId: number;
  actorLogin: string;
  repositoryId: number;
  repositoryName: string;
}

/** One page of a feed. */
export interface FeedPage {
  /**
   * Digest of the page: equal digests are equal pages. `newest` is the time of its newest event. One statement with one
   * row.
   */
  head(): Promise<{ digest: string; newest: string | null }>;
  rows(): Promise<EventRow[]>;
  /** Number of reachable events. */
  total(): Promise<number>;
}

export function feedPage(context: FeedContext, feed: Feed, { limit, skip }: { limit: number; skip: number }): FeedPage {
  let members: Promise<RawBuilder<unknown>> | undefined;
  const entries = async (): Promise<RawBuilder<unknown>> => {
    members ??= feedCondition(context, feed);
    return feedRows(context, feed, await members);
  };
  const count = Math.max(0, Math.min(limit, maxFeedEntries - skip));
  // The inner limit is a literal: for a parameter, a prepared statement expects a tenth of the table and sorts it. Only
  // three values, because each needs its own statement.
  const reach = [30, 100, maxFeedEntries].find(one => one >= skip + count) ?? maxFeedEntries;
  const page = async (columns: RawBuilder<unknown>): Promise<RawBuilder<unknown>> => sql`(
    select n.* from (
      select e.id, e.created_at, e.actor_id, e.app_id, r.name, r.is_private, o.login as owner_login, ${columns}
      from ${await entries()} order by e.id desc limit ${sql.lit(reach)}) n limit ${count} offset ${skip}) p`;
  // Scalar subquery, an index look-up per row; a join could scan all accounts.
  const login = sql`(select a.login from account a where a.id = p.actor_id)`;
  const bot = sql`(select app.slug || '[bot]' from app where app.id = p.app_id)`;
  return {
    async head() {
      const [row] = await context.read(sql<{ digest: string | null; newest: string | null }>`
        select md5(string_agg(concat_ws(' ', p.id, ${login}, p.owner_login, p.name, p.is_private), ',' order by p.id))
          as digest, max(p.created_at) as newest from ${await page(sql`0`)}`);
      return { digest: row?.digest ?? '', newest: row?.newest ?? null };
    },
    async rows() {
      return context.read(sql<EventRow>`
        select p.id::text, p.type, p.payload, date_trunc('second', p.created_at) as "createdAt",
          coalesce(p.actor_id, p.app_id) as "actorId", coalesce(${login}, ${bot}, '') as "actorLogin",
          p.repository_id as "repositoryId", p.name as "repositoryName", p.is_private as "isPrivate",
          p.owner_id as "ownerId", p.owner_login as "ownerLogin", p.owner_kind as "ownerKind"
        from ${await page(sql`e.type, e.payload, e.repository_id, r.owner_id, o.kind as owner_kind`)}
        order by p.id desc`);
    },
    async total() {
      const [row] = await context.read(sql<{ total: number }>`
        select count(*)::int as total from (select 1 from ${await entries()} limit ${sql.lit(maxFeedEntries)}) n`);
      return row?.total ?? 0;
    },
  };
}

/** Events of repositories that the caller can see, by their ids, in their order; null for the others. */
export async function eventsByIds(context: FeedContext, ids: readonly string[]): Promise<(EventRow | null)[]> {
  const numbers = ids.filter(id => /^[1-9]\d{0,17}$/.test(id));
  if (numbers.length === 0) return ids.map(() => null);
  const condition = sql`e.id = any(${numbers}::bigint[])`;
  const rows = await context.read(sql<EventRow>`
    select e.id::text, e.type, e.payload, date_trunc('second', e.created_at) as "createdAt",
      coalesce(e.actor_id, e.app_id) as "actorId", e.repository_id as "repositoryId", r.name as "repositoryName",
      coalesce((select a.login from account a where a.id = e.actor_id),
        (select app.slug || '[bot]' from app where app.id = e.app_id), '') as "actorLogin",
      r.is_private as "isPrivate", r.owner_id as "ownerId", o.login as "ownerLogin", o.kind as "ownerKind"
    from ${feedRows(context, { kind: 'everything', publicOnly: false }, condition)}`);
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}
