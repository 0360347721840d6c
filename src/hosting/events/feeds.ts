import DataLoader from 'dataloader';
import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../auth/actor.ts';
import { hasPermission } from '../../auth/token-scopes.ts';
import { type BatchedPage, type BatchedSource, forEachKey } from '../../db/batched-list.ts';
import { sayingWhatIsWithheld } from '../organizations/withheld-organizations.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { eventCandidates } from './event-candidates.ts';
import type { Feed } from './feed.ts';
import { type FeedContext, feedColumns, feedRows, maxFeedEntries } from './feed-rows.ts';
import { type EventKey, eventsWithKeys, receivedEvents } from './received-events.ts';

/**
 * Whether the caller sees private events of an account's feed: only its own user, and with fine-grained tokens only
 * with the `events` permission.
 */
export function mayReadPrivateFeed(actor: Actor, accountId: number): boolean {
  if (actor.kind !== 'user' || actor.accountId !== accountId) return false;
  const { credential } = actor;
  return 'scopes' in credential || hasPermission(credential.permissions, 'events', 'read');
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

/** What tells a page from another. */
export interface FeedHead {
  /** Equal digests are equal pages; null for an empty page. */
  digest: string | null;
  /** Time of the newest event. */
  newest: string | null;
}

/** SQL: the head of the page `p`. */
const headSql = sql`md5(string_agg(concat_ws(' ', p.id, ${login}, p.owner_login, p.name, p.is_private), ',' order by p.id))
  as digest, max(p.created_at) as newest`;

/** Pages of feeds, and the head of each page. */
export interface FeedLists extends BatchedSource<number, EventRow> {
  /** One row for each key. */
  heads(keys: readonly number[], page: BatchedPage): Promise<FeedHead[][]>;
}

/** The feeds of many repositories or accounts; `feed` is that of any of them. That of all public repositories has any key. */
export function feedLists(context: FeedContext, feed: Feed): FeedLists {
  const lists = feed.kind === 'received' ? receivedLists(context, feed) : columnLists(context, feed);
  return sayingWhatIsWithheld(context, lists, (keys: readonly number[]) => eventCandidates(context, feed, keys));
}

function columnLists(context: FeedContext, feed: Exclude<Feed, { kind: 'received' }>): FeedLists {
  const rowsOf = (key: RawBuilder<unknown>) =>
    feedRows(context, feed, feed.kind === 'everything' ? sql`true` : sql`${feedColumns[feed.kind]} = ${key}`);
  /** Runs a query over the page `p` of each key. */
  const forEachPage = async <Row extends object>(
    keys: readonly number[],
    { limit, offsets }: BatchedPage,
    columns: RawBuilder<unknown>,
    query: (page: RawBuilder<unknown>) => RawBuilder<unknown>,
  ): Promise<Row[][]> => {
    const end = limit + offsets.reduce((a, b) => Math.max(a, b), 0);
    return forEachKey<Row>(
      context.read,
      keys,
      'bigint',
      (key, offset) => query(pageSql(columns, rowsOf(key), { limit, offset, end })),
      offsets,
    );
  };
  return {
    heads: (keys, page) => forEachPage(keys, page, headColumns, rows => sql`select ${headSql} from ${rows}`),
    rows: (keys, page) =>
      forEachPage(keys, page, rowColumns, rows => sql`select ${eventColumns} from ${rows} order by p.id desc`),
    async totals(keys) {
      const counts = await forEachKey<{ total: number }>(context.read, keys, 'bigint', key => countSql(rowsOf(key)));
      return counts.map(([found]) => found?.total ?? 0);
    },
  };
}

function receivedLists(context: FeedContext, feed: Feed): FeedLists {
  const byAccount = new DataLoader((ids: readonly number[]) => receivedEvents(context, feed, ids));
  const loadAll = (ids: readonly number[]): Promise<EventKey[][]> => Promise.all(ids.map(id => byAccount.load(id)));
  const pagesOf = async (accountIds: readonly number[], { limit, offsets }: BatchedPage) => {
    const lists = (await loadAll(accountIds)).map((keys, at) =>
      keys.slice(offsets[at] ?? 0, (offsets[at] ?? 0) + limit),
    );
    const keys = [...new Map(lists.flat().map(key => [key.id, key])).values()];
    return { lists, rows: feedRows(context, feed, sql`true`, eventsWithKeys(keys)) };
  };
  return {
    async heads(accountIds, page) {
      const { lists, rows } = await pagesOf(accountIds, page);
      const places = lists.flatMap((keys, place) => keys.map(() => place));
      const ids = lists.flatMap(keys => keys.map(({ id }) => id));
      const found = await context.read(sql<FeedHead & { place: number }>`
        select wanted.place, ${headSql} from (select ${headColumns} from ${rows}) p
        join unnest(${places}::int[], ${ids}::bigint[]) as wanted (place, id) on wanted.id = p.id group by wanted.place`);
      const heads = new Map(found.map(({ place, digest, newest }) => [place, { digest, newest }]));
      return lists.map((_, place) => [heads.get(place) ?? { digest: null, newest: null }]);
    },
    async rows(accountIds, page) {
      const { lists, rows } = await pagesOf(accountIds, page);
      const found = await context.read(
        sql<EventRow>`select ${eventColumns} from (select ${rowColumns} from ${rows}) p`,
      );
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
