import assert from 'node:assert/strict';
import autocannon from 'autocannon';
import pg from 'pg';
import { connections } from './benchmark.ts';
import { loadBuild } from './load-build.ts';
import type { Pinning } from './pinning.ts';
import { startServer } from './server.ts';
import { statementTimes } from './statement-times.ts';

const eventCount = 1_000_000;
const week = 7 * 24 * 60 * 60_000;
/** Number of accounts that one user follows, and of repositories they watch. */
const received = 1_000;
const rounds = 3;
const seconds = 4;
/** Of the throughput of a handler that looks up one row. */
const bar = 0.5;

/** Polls of feeds without new events, and the statements of feeds, with a million events in the table. */
export const feeds = {
  name: 'feeds',
  about: `polls answered 304, and pages, with ${eventCount.toLocaleString('en')} events in 90 days`,
  async measure(url: string, pinning: Pinning | undefined): Promise<{ text: string; missed: string[] }> {
    const reader = await plantFeeds(url, eventCount);
    await assertSingleIndexScan(url);
    const polled = await polls(url, pinning);
    const timed = await statements(url, reader);
    return { text: `${polled.text}\n${timed.text}`, missed: [...polled.missed, ...timed.missed] };
  },
};

/**
 * Events of 3,000 users in 5,000 repositories, a third of them private, and a user who follows and watches many. The newest
 * event is ten minutes old: newer ones would appear in the public feed, which is five minutes late, during the run.
 */
export async function plantFeeds(url: string, events: number): Promise<number> {
  const { openDatabase, inTransaction, maintainEventPartitions } = await loadBuild();
  const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  for (let back = 13; back >= 0; back--) {
    await inTransaction(database, db => maintainEventPartitions(db, new Date(Date.now() - back * week)));
  }
  await database.close();
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`
      with people as (
        insert into account (kind, login, created_at, updated_at)
        select 'user', 'feed-' || n, now(), now() from generate_series(1, 3000) n returning id),
      numbered as (select id, row_number() over (order by id) as n from people),
      places as (
        insert into repository (owner_id, name, is_private, created_at, updated_at)
        select numbered.id, 'place-' || m, m % 3 = 0, now(), now()
        from generate_series(1, 5000) m join numbered on numbered.n = 1 + m % 500 returning id, owner_id),
      spots as (select id, owner_id, row_number() over (order by id) as n from places)
      insert into event (created_at, type, actor_id, repository_id, owner_id, network_id, payload)
      select now() - interval '10 minutes' - interval '89 days' * (1 - e / ${events}.0), 'WatchEvent', numbered.id, spots.id, spots.owner_id,
        spots.id, '{}'
      from generate_series(1, ${events}) e
      join numbered on numbered.n = 1 + (e * 7919::bigint) % 3000 join spots on spots.n = 1 + (e * 104729::bigint) % 5000
      order by e`);
    const { rows } = await client.query<{ id: number }>(
      `insert into account (kind, login, created_at, updated_at) values ('user', 'feed-reader', now(), now()) returning id::int`,
    );
    const reader = rows[0]?.id ?? 0;
    await client.query(
      `insert into follow (follower_id, followed_id, followed_at)
       select $1::bigint, id, now() from account where login like 'feed-%' and id <> $1 order by id limit $2`,
      [reader, received],
    );
    await client.query(
      `insert into watch (account_id, repository_id, watched_at)
       select $1::bigint, id, now() from repository where name like 'place-%' order by id desc limit $2`,
      [reader, received],
    );
    await client.query('vacuum analyze event, account, repository, follow, watch');
    return reader;
  } finally {
    await client.end();
  }
}

/** Throws if the first page of the public feed reads more rows than a page. */
async function assertSingleIndexScan(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, costs off, timing off)
    select e.id from event e join repository r on r.id = e.repository_id
    where e.created_at > now() - interval '90 days' and not r.is_private order by e.id desc limit 30`);
  await client.end();
  const plan = rows.map(row => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Merge Append/);
  assert.doesNotMatch(plan, /Seq Scan on event|Sort Method|rows=\d{3}/);
}

/** Throughput of polls with 304, contenders in turns. */
async function polls(url: string, pinning: Pinning | undefined): Promise<{ text: string; missed: string[] }> {
  const contenders = [
    { label: 'everything', server: 'gateway', path: '/events' },
    { label: 'one repository', server: 'gateway', path: '/repositories/1/events' },
    { label: 'hand-written, one row', server: 'hand-written-poll', path: '/repositories/1/events' },
  ];
  const measured = new Map<string, number[]>(contenders.map(({ label }) => [label, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { label, server, path } of contenders) {
      const running = await startServer(server, url, pinning);
      try {
        measured.get(label)?.push(await throughput(`${running.address}${path}`));
      } finally {
        await running.stop();
      }
    }
  }
  const of = (label: string): number[] => measured.get(label) ?? [];
  const lines = [...measured].map(
    ([label, all]) => `  ${label.padEnd(24)} ${all.map(one => one.toFixed(0)).join(', ')} polls/s`,
  );
  const missed: string[] = [];
  for (const label of ['everything', 'one repository']) {
    const ratios = of(label).map((one, round) => one / (of('hand-written, one row')[round] ?? Number.NaN));
    const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
    const line = `${label} over hand-written: ${ratio.toFixed(2)}; the bar is ≥ ${bar}: ${ratio >= bar ? 'reached' : 'MISSED'}`;
    lines.push(`  ${line}`);
    if (ratio < bar) missed.push(`feeds: ${line}`);
  }
  return { text: [`\n${feeds.name}: ${feeds.about}\n`, ...lines].join('\n'), missed };
}

async function throughput(url: string): Promise<number> {
  const headers = { 'user-agent': 'portico bench' };
  const etag = (await fetch(url, { headers })).headers.get('etag') ?? '';
  const run = (duration: number) =>
    autocannon({ url, connections, duration, headers: { ...headers, 'if-none-match': etag } });
  await run(3);
  const result = await run(seconds);
  assert.equal(result['3xx'], result.requests.total, `Not all were 304: ${JSON.stringify(result.statusCodeStats)}.`);
  return result.requests.total / result.duration;
}

/** Pages as the product reads them, one call at a time. */
async function statements(url: string, reader: number): Promise<{ text: string; missed: string[] }> {
  const { openDatabase, feedLists } = await loadBuild();
  const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  const around = {
    actor: { kind: 'anonymous', ip: '' },
    read: database.read,
    now: () => new Date(),
    omittedOrganizations: new Set<number>(),
  } as const;
  const page =
    (feed: Parameters<typeof feedLists>[1], expected = 30) =>
    async (): Promise<void> => {
      const lists = feedLists(around, feed);
      const ids = [feed.kind === 'everything' ? 0 : feed.id];
      const first = { limit: 30, offsets: [0], wanted: new Map() };
      await lists.heads(ids, first);
      assert.equal((await lists.rows(ids, first))[0]?.length, expected);
      await lists.totals(ids);
    };
  try {
    return await statementTimes(
      {
        name: 'feeds, pages',
        about: `tag, rows and count; ${received} followed and ${received} watched for «received»`,
      },
      [
        { label: 'received', ask: page({ kind: 'received', id: reader, publicOnly: true }) },
        { label: 'everything', ask: page({ kind: 'everything', publicOnly: true }) },
        { label: 'one actor', ask: page({ kind: 'actor', id: reader - 1, publicOnly: true }) },
      ],
      { of: 'received', max: 100 },
    );
  } finally {
    await database.close();
  }
}
