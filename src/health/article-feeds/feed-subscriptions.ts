import { type Kysely, sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import type { FeedValidators } from './fetch-feed.ts';

/** A feed that is fetched regularly. */
export interface FeedSubscription extends FeedValidators {
  id: number;
  url: string;
  /** Code of the publisher. */
  source: string;
  intervalSeconds: number;
  /** Consecutive runs that failed. */
  failures: number;
  dueAt: string;
  succeededAt: string | null;
}

/** Subscriptions of one installation. All of them are read at once. */
export const maxSubscriptions = 200;

const columns = sql`id::int as id, url, source, interval_seconds as "intervalSeconds", etag, last_modified as "lastModified", failures,
  due_at as "dueAt", succeeded_at as "succeededAt"`;

/** All subscriptions, in the order in which they were made. */
export const allSubscriptions = (read: Read): Promise<FeedSubscription[]> =>
  read(sql<FeedSubscription>`select ${columns} from feed_subscription order by id limit ${maxSubscriptions}`);

/** Undefined where the operator has unsubscribed. */
export async function findSubscription(read: Read, id: number): Promise<FeedSubscription | undefined> {
  const [found] = await read(sql<FeedSubscription>`select ${columns} from feed_subscription where id = ${id}`);
  return found;
}

/**
 * Adds a subscription, which is due at once; of a known address it changes the publisher and the interval. Undefined where there are as
 * many as there may be. `db` is a transaction.
 */
export async function addSubscription(
  db: Kysely<unknown>,
  { url, source, intervalSeconds }: Pick<FeedSubscription, 'url' | 'source' | 'intervalSeconds'>,
  now: Date,
): Promise<{ id: number; isNew: boolean } | undefined> {
  await sql`lock table feed_subscription in share row exclusive mode`.execute(db);
  const { rows } = await sql<{ id: number; isNew: boolean }>`
    insert into feed_subscription (url, source, interval_seconds, due_at, created_at)
    select ${url}, ${source}, ${intervalSeconds}::int, ${now}::timestamptz, ${now}::timestamptz
    where (select count(*) from feed_subscription) < ${maxSubscriptions}
      or exists (select from feed_subscription where url = ${url})
    on conflict (url) do update set source = excluded.source, interval_seconds = excluded.interval_seconds, due_at = excluded.due_at,
      etag = null, last_modified = null
    returning id::int as id, xmax = 0 as "isNew"`.execute(db);
  return rows[0];
}

/** Ends a subscription and deletes its runs; its articles stay. Returns whether there was one. */
export async function removeSubscription(db: Kysely<unknown>, id: number): Promise<boolean> {
  const { rows } = await sql`delete from feed_subscription where id = ${id} returning id`.execute(db);
  return rows.length > 0;
}

/** Takes the due subscriptions, and moves each to its next time, so that one whose run is lost is tried again then. */
export async function takeDue(db: Kysely<unknown>, now: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update feed_subscription set due_at = ${now}::timestamptz + make_interval(secs => interval_seconds)
    where due_at <= ${now} returning id::int as id`.execute(db);
  return rows.map(({ id }) => id);
}

/** For `/metrics`: subscriptions without a successful run for three intervals and an hour. */
export async function countLateFeeds(read: Read): Promise<number> {
  const [found] = await read(sql<{ count: number }>`
    select count(*)::int as count from feed_subscription
    where coalesce(succeeded_at, created_at) < now() - make_interval(secs => 3 * interval_seconds + 3600)`);
  return found?.count ?? 0;
}
