import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import type { Database } from '../../db/database.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { type ImportedEntry, importFeed, recountArticles } from '../articles/import-feed.ts';
import type { Feed } from '../articles/read-feed.ts';
import { type FeedRun, insertRun } from './feed-runs.ts';
import { type FeedSubscription, findSubscription } from './feed-subscriptions.ts';
import { type FetchedFeed, fetchFeed } from './fetch-feed.ts';
import { nextRunAfter } from './next-run.ts';
import { readFeedApart } from './read-feed-apart.ts';

export interface FeedDependencies {
  database: Database;
  clock: Clock;
  outbound: OutboundClient;
}

/**
 * Runs one subscription: fetches its feed, and stores the entries, the run and the time of the next one in one transaction. A failure of the
 * publisher is a result, no error. Does nothing where the operator has unsubscribed meanwhile.
 * @throws the reason of `signal` when that is aborted, and the errors of the database
 */
export async function runFeed(
  { database, clock, outbound }: FeedDependencies,
  id: number,
  signal?: AbortSignal,
): Promise<void> {
  const subscription = await findSubscription(database.read, id);
  if (!subscription) return;
  const startedAt = clock();
  const fetched = await readFetched(
    await fetchFeed(outbound, subscription, { now: startedAt, ...(signal ? { signal } : {}) }),
    startedAt,
  );
  signal?.throwIfAborted();
  const { em } = database.orm;
  const changed = await em.fork().transactional(async inner => {
    const db = inner.getKysely() as unknown as Kysely<unknown>;
    const { rows } = await sql`select from feed_subscription where id = ${id} for update`.execute(db);
    if (rows.length === 0) return false;
    const run = await importFetched(inner, fetched, { subscription, startedAt });
    await insertRun(db, { ...run, endedAt: clock().toISOString() });
    await recordNextRun(db, { subscription, fetched, run, now: clock() });
    return run.added + run.updated > 0;
  });
  if (changed) await em.fork().transactional(recountArticles);
}

type ReadFeed = Exclude<FetchedFeed, { kind: 'feed' }> | (Extract<FetchedFeed, { kind: 'feed' }> & { feed: Feed });

/** What cannot be read as a feed is a failure like an error of the publisher. */
async function readFetched(fetched: FetchedFeed, now: Date): Promise<ReadFeed> {
  if (fetched.kind !== 'feed') return fetched;
  const feed = await readFeedApart({ bytes: fetched.bytes, now, address: fetched.url });
  return 'problem' in feed
    ? { kind: 'failed', status: fetched.status, problem: feed.problem, retryAfter: null }
    : { ...fetched, feed };
}

async function importFetched(
  em: EntityManager,
  fetched: ReadFeed,
  { subscription, startedAt }: { subscription: FeedSubscription; startedAt: Date },
): Promise<FeedRun> {
  const entries: ImportedEntry[] = [];
  const run: FeedRun = {
    subscriptionId: subscription.id,
    startedAt: startedAt.toISOString(),
    endedAt: startedAt.toISOString(),
    outcome: fetched.kind === 'feed' ? 'imported' : fetched.kind,
    httpStatus: fetched.status,
    problem: fetched.kind === 'failed' ? fetched.problem : null,
    ...{ added: 0, updated: 0, unchanged: 0, older: 0, rejected: 0 },
    entries,
  };
  if (fetched.kind !== 'feed') return run;
  await importFeed(em, fetched.feed, {
    source: subscription.source,
    now: startedAt,
    record: entry => {
      run[entry.outcome]++;
      entries.push(entry);
    },
  });
  if (run.rejected === 0 || run.rejected < entries.length) return run;
  return { ...run, outcome: 'failed', problem: 'no entry was accepted' };
}

async function recordNextRun(
  db: Kysely<unknown>,
  { subscription, fetched, run, now }: { subscription: FeedSubscription; fetched: ReadFeed; run: FeedRun; now: Date },
): Promise<void> {
  const hasFailed = run.outcome === 'failed';
  const failures = hasFailed ? subscription.failures + 1 : 0;
  const retryAfter = fetched.kind === 'failed' ? fetched.retryAfter : null;
  const dueAt = new Date(now.getTime() + nextRunAfter(subscription.intervalSeconds, failures, retryAfter) * 1_000);
  await sql`
    update feed_subscription set failures = ${failures}, due_at = ${dueAt},
      succeeded_at = case when ${hasFailed} then succeeded_at else ${now}::timestamptz end
    where id = ${subscription.id}`.execute(db);
  if (hasFailed || fetched.kind === 'failed') return;
  // Of two subscriptions that lead to one address, the second stays where it is.
  await sql`
    update feed_subscription set url = ${fetched.url}
    where id = ${subscription.id} and url = ${subscription.url} and url <> ${fetched.url}
      and not exists (select from feed_subscription where url = ${fetched.url})`.execute(db);
  if (fetched.kind !== 'feed') return;
  // What could not be stored is stored by the next run: the publisher must send it again.
  const isComplete = run.rejected === fetched.feed.rejected.filter(({ kept }) => kept === undefined).length;
  const { etag, lastModified } = isComplete ? fetched : { etag: null, lastModified: null };
  await sql`update feed_subscription set etag = ${etag}, last_modified = ${lastModified} where id = ${subscription.id}`.execute(
    db,
  );
}
