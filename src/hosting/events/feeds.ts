import DataLoader from 'dataloader';
import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../auth/actor.ts';
import { hasPermission } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, forEachKey } from '../../db/batched-list.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { visibleTo } from '../repositories/repository-access.ts';
import type { Feed } from './feed.ts';
import { noteOmittedEvents } from './omitted-events.ts';

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

type FeedContext = Pick<Context, 'actor' | 'read' | 'now' | 'omittedOrganizations'>;

/** The time of the oldest events in feeds, as ISO 8601. */
const since = ({ now }: Pick<FeedContext, 'now'>): string => new Date(now().getTime() - eventRetentionMs).toISOString();

/** Events of a feed that are searched for certain types, from the newest back. */
const maxTypeSearched = 10_000;

/**
 * SQL after FROM: events `e` of a feed with their repository `r` and its owner. The repository is a lateral subquery that PostgreSQL cannot
 * merge: with a join it expected few visible repositories, and read all 50,000 events of an account for the newest 30.
 */
function feedRows(
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

const feedColumns = {
  repository: sql.raw('e.repository_id'),
  network: sql.raw('e.network_id'),
  owner: sql.raw('e.owner_id'),
  actor: sql.raw('e.actor_id'),
} as const;

/** An event in a feed. With its time, PostgreSQL looks it up in one partition. */
interface EventKey {
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
async function receivedEvents(context: FeedContext, feed: Feed, accountIds: readonly number[]): Promise<EventKey[][]> {
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
const eventsWithKeys = (keys: readonly EventKey[]): RawBuilder<unknown> => sql`(select e.* from
  unnest(${keys.map(({ id }) => id)}::bigint[], ${keys.map(({ createdAt }) => createdAt)}::timestamptz[]) as k (id, created_at)
  join event e on e.id = k.id and e.created_at = k.created_at)`;

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

/** Columns of `p` over `feedRows`, in the order of the page. */
const headColumns = sql.raw('e.id, e.created_at, e.actor_id, e.app_id, r.name, r.is_private, r.owner_login');
const rowColumns = sql`${headColumns}, e.type, e.payload, e.repository_id, r.owner_id, r.owner_kind`;

// Scalar subqueries, an index look-up per row; a join could scan all accounts.
const login = sql.raw('(select a.login from account a where a.id = p.actor_id)');
const eventColumns = sql`p.id::text, p.type, p.payload, date_trunc('second', p.created_at) as "createdAt",
  coalesce(p.actor_id, (select app.bot_id from app where app.id = p.app_id), p.app_id) as "actorId",
  coalesce(${login}, (select app.slug || '[bot]' from app where app.id = p.app_id), '') as "actorLogin",
  p.repository_id as "repositoryId", p.name as "repositoryName", p.is_private as "isPrivate",
  p.owner_id as "ownerId", p.owner_login as "ownerLogin", p.owner_kind as "ownerKind"`;

/** SQL: a page of a feed as the table `p`. `end`: a number that `offset` and `limit` do not exceed together. */
function pageSql(
  columns: RawBuilder<unknown>,
  rows: RawBuilder<unknown>,
  { limit, offset, end }: { limit: number; offset: RawBuilder<unknown>; end: number },
): RawBuilder<unknown> {
  // The inner limit is a literal: for a parameter, a prepared statement expects a tenth of the table and sorts it. Only
  // three values, because each needs its own statement.
  const reach = [30, 100, maxFeedEntries].find(one => one >= end) ?? maxFeedEntries;
  return sql`(select n.* from (select ${columns} from ${rows} order by e.id desc limit ${sql.lit(reach)}) n
    limit ${limit} offset ${offset}) p`;
}

const countSql = (rows: RawBuilder<unknown>): RawBuilder<{ total: number }> =>
  sql`select count(*)::int as total from (select 1 from ${rows} limit ${sql.lit(maxFeedEntries)}) n`;

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
  const { read } = context;
  let received: Promise<EventKey[]> | undefined;
  const keysOf = async (accountId: number): Promise<EventKey[]> => {
    received ??= receivedEvents(context, feed, [accountId]).then(([keys = []]) => keys);
    return received;
  };
  const count = Math.max(0, Math.min(limit, maxFeedEntries - skip));
  const pageOf = async (columns: RawBuilder<unknown>): Promise<RawBuilder<unknown>> => {
    if (feed.kind !== 'received') {
      const rows = feedRows(context, feed, feedCondition(feed));
      return pageSql(columns, rows, { limit: count, offset: sql`${skip}`, end: skip + count });
    }
    const keys = (await keysOf(feed.id)).slice(skip, skip + count);
    return sql`(select ${columns} from ${feedRows(context, feed, sql`true`, eventsWithKeys(keys))}) p`;
  };
  return {
    async head() {
      const [row] = await read(sql<{ digest: string | null; newest: string | null }>`
        select md5(string_agg(concat_ws(' ', p.id, ${login}, p.owner_login, p.name, p.is_private), ',' order by p.id))
          as digest, max(p.created_at) as newest from ${await pageOf(headColumns)}`);
      return { digest: row?.digest ?? '', newest: row?.newest ?? null };
    },
    async rows() {
      const page = pageOf(rowColumns).then(rows =>
        read(sql<EventRow>`select ${eventColumns} from ${rows} order by p.id desc`),
      );
      const [rows] = await Promise.all([page, noteOmittedEvents(context, feed, since(context))]);
      return rows;
    },
    async total() {
      if (feed.kind === 'received') return (await keysOf(feed.id)).length;
      const [row] = await read(countSql(feedRows(context, feed, feedCondition(feed))));
      return row?.total ?? 0;
    },
  };
}

/** SQL condition for the events of a feed, regardless of visibility. */
const feedCondition = (feed: Exclude<Feed, { kind: 'received' }>): RawBuilder<unknown> =>
  feed.kind === 'everything' ? sql`true` : sql`${feedColumns[feed.kind]} = ${feed.id}`;

/** The feeds of many repositories or accounts; `feed` is that of any of them. */
export function feedLists(
  context: FeedContext,
  feed: Exclude<Feed, { kind: 'everything' }>,
): BatchedSource<number, EventRow> {
  if (feed.kind === 'received') return receivedLists(context, feed);
  const rowsOf = (key: RawBuilder<unknown>) => feedRows(context, feed, sql`${feedColumns[feed.kind]} = ${key}`);
  return {
    async rows(keys, { limit, offsets }) {
      const page = forEachKey<EventRow>(
        context.read,
        keys,
        'bigint',
        (key, offset) => sql`select ${eventColumns}
          from ${pageSql(rowColumns, rowsOf(key), { limit, offset, end: limit + Math.max(...offsets) })} order by p.id desc`,
        offsets,
      );
      const omitted = keys.map(id => noteOmittedEvents(context, { ...feed, id }, since(context)));
      return (await Promise.all([page, ...omitted]))[0];
    },
    async totals(keys) {
      const counts = await forEachKey<{ total: number }>(context.read, keys, 'bigint', key => countSql(rowsOf(key)));
      return counts.map(([found]) => found?.total ?? 0);
    },
  };
}

function receivedLists(context: FeedContext, feed: Feed): BatchedSource<number, EventRow> {
  const byAccount = new DataLoader((ids: readonly number[]) => receivedEvents(context, feed, ids));
  const loadAll = (ids: readonly number[]): Promise<EventKey[][]> => Promise.all(ids.map(id => byAccount.load(id)));
  return {
    async rows(accountIds, { limit, offsets }) {
      const lists = (await loadAll(accountIds)).map((keys, at) =>
        keys.slice(offsets[at] ?? 0, (offsets[at] ?? 0) + limit),
      );
      const keys = [...new Map(lists.flat().map(key => [key.id, key])).values()];
      const found = await context.read(sql<EventRow>`select ${eventColumns} from (select ${rowColumns}
        from ${feedRows(context, feed, sql`true`, eventsWithKeys(keys))}) p`);
      const byId = new Map(found.map(row => [row.id, row]));
      return lists.map(list => list.flatMap(({ id }) => byId.get(id) ?? []));
    },
    async totals(accountIds) {
      return (await loadAll(accountIds)).map(keys => keys.length);
    },
  };
}

/** Events of repositories that the caller can see, by their ids, in their order; null for the others. */
export async function eventsByIds(context: FeedContext, ids: readonly string[]): Promise<(EventRow | null)[]> {
  const numbers = ids.filter(id => /^[1-9]\d{0,17}$/.test(id));
  if (numbers.length === 0) return ids.map(() => null);
  const rows = await context.read(sql<EventRow>`select ${eventColumns} from (select ${rowColumns}
    from ${feedRows(context, { kind: 'everything', publicOnly: false }, sql`e.id = any(${numbers}::bigint[])`)}) p`);
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}
