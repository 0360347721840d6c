import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import {
  listRunsCommand,
  listSubscriptionsCommand,
  subscribeCommand,
  unsubscribeCommand,
} from '../../src/health/article-feeds/article-feeds.commands.ts';
import { formatInterval, parseInterval } from '../../src/health/article-feeds/feed-interval.ts';
import { type FeedRun, runsOfSubscriptions } from '../../src/health/article-feeds/feed-runs.ts';
import {
  allSubscriptions,
  countLateFeeds,
  type FeedSubscription,
  takeDue,
} from '../../src/health/article-feeds/feed-subscriptions.ts';
import { nextRunAfter } from '../../src/health/article-feeds/next-run.ts';
import { runFeed } from '../../src/health/article-feeds/run-feed.ts';
import { openOutboundClient } from '../../src/outbound/outbound-client.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const { database, clock } = gateway;
const outbound = openOutboundClient({ allow: ['127.0.0.1'] });
let origin = '';
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end();
const asked: IncomingMessage[] = [];
const publisher = createServer((request, response) => {
  asked.push(request);
  answer(request, response);
});
beforeAll(async () => {
  await new Promise<void>(done => publisher.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await outbound.close();
  await new Promise(done => publisher.close(done));
});
beforeEach(async () => {
  asked.length = 0;
  await sql`delete from feed_subscription`.execute(database.sql);
});

const item = (title: string, more = '') =>
  `<item><title>${title}</title><link>https://feeds.example/${title.replaceAll(' ', '-')}</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate><description>Text of ${title}.</description>${more}</item>`;
const rss = (...items: string[]) =>
  `<rss version="2.0"><channel><title>T</title><link>https://feeds.example/</link>${items.join('')}</channel></rss>`;
const serves =
  (body: string | Buffer, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(200, headers).end(body);
const refuses =
  (status: number, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, headers).end();

const lines: string[] = [];
const write = (line: string): void => void lines.push(line);
async function subscribe(path: string, every = '6h', source = 'who'): Promise<FeedSubscription> {
  const { parseUrl } = outbound;
  const url = path.startsWith('http') ? path : `${origin}${path}`;
  await inTransaction(database, db =>
    subscribeCommand({ url, source, every }, { db, now: clock.now, write, parseUrl }),
  );
  const found = (await allSubscriptions(database.read)).at(-1);
  if (!found) throw new Error('There is no subscription.');
  return found;
}
const now = () => clock.now;
async function run({ id }: FeedSubscription): Promise<{ run: FeedRun; state: FeedSubscription; seconds: number }> {
  await runFeed({ database, clock: now, outbound }, id);
  const [runs = []] = await runsOfSubscriptions(database, [id]);
  const state = (await allSubscriptions(database.read)).find(one => one.id === id);
  const [last] = runs;
  if (!last || !state) throw new Error('There is no run.');
  return { run: last, state, seconds: (new Date(state.dueAt).getTime() - clock.now.getTime()) / 1_000 };
}
const titles = async (search: string): Promise<string[]> =>
  (await gateway.request(`/api/v1/articles/?search=${search}&ordering=id`)).json.results.map(
    (one: { headline: string }) => one.headline,
  );

test('a subscription is due at once, its feed is imported, and the report has every entry that was not unchanged', async () => {
  answer = serves(rss(item('Subscribedword one'), item('Subscribedword two'), '<item><title>Nolink</title></item>'));
  const subscription = await subscribe('/feed.xml');
  expect(await inTransaction(database, db => takeDue(db, clock.now))).toEqual([subscription.id]);
  expect(await inTransaction(database, db => takeDue(db, clock.now))).toEqual([]);
  const { run: first, state, seconds } = await run(subscription);
  expect(first).toMatchObject({ outcome: 'imported', httpStatus: 200, added: 2, rejected: 1, problem: null });
  expect(first.entries).toEqual([
    { position: 3, title: 'Nolink', link: null, outcome: 'rejected', reason: 'it has no link' },
    expect.objectContaining({ position: 1, outcome: 'added' }),
    expect.objectContaining({ position: 2, outcome: 'added' }),
  ]);
  expect(await titles('Subscribedword')).toEqual(['Subscribedword one', 'Subscribedword two']);
  expect((await gateway.request('/api/v1/articles/?source=who')).json.count).toBe(2);
  expect(state).toMatchObject({ failures: 0, succeededAt: expect.anything() });
  expect(seconds).toBeGreaterThanOrEqual(6 * 3_600);
  expect(seconds).toBeLessThanOrEqual(6.7 * 3_600);
  const { run: second } = await run(subscription);
  expect(second).toMatchObject({ outcome: 'imported', added: 0, unchanged: 2, rejected: 1 });
  expect(second.entries.map(({ outcome }) => outcome)).toEqual(['rejected']);
});

test('relative links of a feed that does not name its address are those of where it was fetched', async () => {
  answer = serves(
    '<rss version="2.0"><channel><title>T</title><item><title>Relativeword</title><link>/r/1</link></item></channel></rss>',
  );
  expect((await run(await subscribe('/relative/feed.xml'))).run).toMatchObject({ added: 1, rejected: 0 });
  const { json } = await gateway.request('/api/v1/articles/?search=Relativeword');
  expect(json.results[0].source_url).toBe(`${origin}/r/1`);
});

test('asks only for what has changed', async () => {
  answer = serves(rss(item('Conditionalword')), { etag: '"v1"', 'last-modified': 'Mon, 05 Jan 2026 10:00:00 GMT' });
  const subscription = await subscribe('/conditional.xml');
  await run(subscription);
  expect(asked[0]?.headers['if-none-match']).toBeUndefined();
  answer = refuses(304);
  const { run: second, state } = await run(subscription);
  expect(asked[1]?.headers).toMatchObject({
    'if-none-match': '"v1"',
    'if-modified-since': 'Mon, 05 Jan 2026 10:00:00 GMT',
  });
  expect(second).toMatchObject({ outcome: 'unchanged', httpStatus: 304, problem: null });
  expect(state).toMatchObject({ failures: 0, etag: '"v1"' });
});

test('failures double the interval, Retry-After is kept, and a success ends both', async () => {
  const subscription = await subscribe('/failing.xml', '1h');
  const hours: number[] = [];
  answer = refuses(500);
  for (let failure = 1; failure <= 8; failure++) hours.push(Math.floor((await run(subscription)).seconds / 3_600));
  expect(hours.map((one, at) => one >= Math.min(2 ** at, 48) && one <= Math.min(2 ** at, 48) * 1.1)).toEqual(
    hours.map(() => true),
  );
  answer = refuses(503, { 'retry-after': String(4 * 86_400) });
  const waiting = await run(subscription);
  expect(waiting).toMatchObject({ seconds: 4 * 86_400, run: { problem: 'the publisher answers with 503' } });
  answer = refuses(429, { 'retry-after': new Date(clock.now.getTime() + 3 * 86_400_000).toUTCString() });
  expect((await run(subscription)).seconds / 86_400).toBeCloseTo(3, 3);
  answer = refuses(503, { 'retry-after': '999999999' });
  expect((await run(subscription)).seconds).toBe(7 * 86_400);
  answer = serves(rss(item('Recoveredword')));
  expect(await run(subscription)).toMatchObject({ state: { failures: 0 }, run: { outcome: 'imported' } });
});

describe('redirects', () => {
  const redirects =
    (statuses: Readonly<Record<string, [number, string]>>) => (request: IncomingMessage, response: ServerResponse) => {
      const [status, location] = statuses[request.url ?? ''] ?? [];
      if (status) response.writeHead(status, { location }).end();
      else response.end(rss(item('Redirectedword')));
    };

  test('a permanent one moves the subscription, what follows a temporary one does not', async () => {
    answer = redirects({ '/old': [301, '/newer'], '/newer': [308, '/newest'], '/newest': [302, '/today'] });
    const { state } = await run(await subscribe('/old'));
    expect(state.url).toBe(`${origin}/newest`);
    answer = redirects({ '/temporary': [307, '/moved'], '/moved': [301, '/elsewhere'] });
    const { state: kept } = await run(await subscribe('/temporary'));
    expect(kept.url).toBe(`${origin}/temporary`);
  });

  test('the address stays where another subscription has it already, and where what is there is no feed', async () => {
    answer = redirects({ '/first': [301, '/second'] });
    await subscribe('/first');
    await subscribe('/second');
    const [first] = await allSubscriptions(database.read);
    const { state, run: done } = await run(first as FeedSubscription);
    expect([state.url, done.outcome]).toEqual([`${origin}/first`, 'imported']);
    answer = (request, response) =>
      request.url === '/gone'
        ? void response.writeHead(301, { location: '/parked' }).end()
        : void response.end('<html>');
    const { state: stays, run: failed } = await run(await subscribe('/gone'));
    expect([stays.url, failed.outcome]).toEqual([`${origin}/gone`, 'failed']);
  });

  test('each passes the guard, and a circle ends', async () => {
    answer = redirects({ '/inside': [301, 'http://169.254.169.254/latest'], '/circle': [302, '/circle'] });
    expect((await run(await subscribe('/inside'))).run).toMatchObject({
      outcome: 'failed',
      problem: 'The host has no public address',
    });
    expect((await run(await subscribe('/circle'))).run).toMatchObject({ problem: 'it redirects more than 5 times' });
    expect(asked.length).toBeLessThan(10);
  });
});

test('what is no feed, too long, or cannot be unpacked is a failure with its reason; gzip is unpacked', async () => {
  const subscription = await subscribe('/odd.xml');
  const problem = async () => (await run(subscription)).run.problem;
  answer = serves('<!doctype html><html><body>Moved</body></html>');
  expect(await problem()).toMatch(/^Expected an RSS 2\.0, Atom or JSON Feed/);
  answer = serves(`${rss(item('Long'))}${' '.repeat(2 * 1024 * 1024)}`);
  expect(await problem()).toBe('the answer has more than 2 MB');
  answer = serves(gzipSync(Buffer.alloc(11 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' });
  expect(await problem()).toBe('the answer is compressed and cannot be unpacked');
  answer = serves('x', { 'content-encoding': 'br' });
  expect(await problem()).toBe('the answer is compressed and cannot be unpacked');
  answer = (_, response) => void response.socket?.destroy();
  expect(await problem()).toBe('The connection failed');
  answer = serves(rss('<item><title>Nothing</title></item>'));
  expect(await problem()).toBe('no entry was accepted');
  answer = serves(gzipSync(rss(item('Packedword'))), { 'content-encoding': 'gzip' });
  expect((await run(subscription)).run).toMatchObject({ outcome: 'imported', added: 1 });
  expect(await titles('Packedword')).toEqual(['Packedword']);
});

test('the validators of a version that was not stored whole are forgotten', async () => {
  await sql`alter table article add constraint no_such_word check (headline <> 'Unstorableword')`.execute(database.sql);
  try {
    answer = serves(rss(item('Unstorableword'), item('Storableword')), { etag: '"whole"' });
    const { run: done, state } = await run(await subscribe('/partly.xml'));
    expect(done).toMatchObject({ outcome: 'imported', added: 1, rejected: 1 });
    expect(state.etag).toBeNull();
    expect(await titles('Storableword')).toEqual(['Storableword']);
  } finally {
    await sql`alter table article drop constraint no_such_word`.execute(database.sql);
  }
});

test('the last 50 runs are kept', async () => {
  answer = refuses(500);
  const subscription = await subscribe('/many.xml');
  for (let at = 0; at < 53; at++) await runFeed({ database, clock: now, outbound }, subscription.id);
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from feed_run`.execute(database.sql);
  expect(rows).toEqual([{ count: 50 }]);
});

test('a run of an ended subscription does nothing', async () => {
  answer = serves(rss(item('Endedword')));
  const subscription = await subscribe('/ended.xml');
  const ended = inTransaction(database, db => unsubscribeCommand(String(subscription.id), { db, write }));
  expect(await ended).toBe(true);
  await runFeed({ database, clock: now, outbound }, subscription.id);
  expect(asked).toEqual([]);
});

test('commands refuse other intervals and addresses, list, and know no other subscription', async () => {
  for (const every of ['14m', '31d', '6', 'h', '-1h', '6h30m', '1e3h', '']) {
    await expect(subscribe('/a.xml', every)).rejects.toThrow('--every must be from 15m to 30d');
  }
  for (const url of [
    'http://10.0.0.1/feed',
    'http://localhost/feed',
    'ftp://example.org/feed',
    'http://a:b@example.org/',
  ])
    await expect(subscribe(url)).rejects.toMatchObject({ extensions: { code: 'BAD_USER_INPUT', field: 'url' } });
  const { id, intervalSeconds } = await subscribe('/a.xml#top', '2h');
  expect(intervalSeconds).toBe(7_200);
  expect(await subscribe('/a.xml', '1d', 'nhs')).toMatchObject({ id, intervalSeconds: 86_400, source: 'nhs' });
  answer = serves(rss(item('Listedword')));
  await run(await subscribe('/a.xml'));
  lines.length = 0;
  await listSubscriptionsCommand({}, { read: database.read, write });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /who\tevery 6h\tnext .* 1 added, 0 updated, 0 unchanged, 0 older, 0 rejected\thttp:.*\/a\.xml$/,
  );
  lines.length = 0;
  await listSubscriptionsCommand({ json: true }, { read: database.read, write });
  expect(JSON.parse(lines.join(''))).toEqual([
    expect.objectContaining({ id, runs: [expect.objectContaining({ added: 1 })] }),
  ]);
  lines.length = 0;
  expect(await listRunsCommand(String(id), { read: database.read, write })).toBe(true);
  expect(lines.at(-1)).toBe('  entry 1 «Listedword»: added');
  for (const other of ['0', '99999999', 'x', '1; drop'])
    expect(await inTransaction(database, db => unsubscribeCommand(other, { db, write }))).toBe(false);
});

test('intervals and delays', () => {
  for (const text of ['15m', '90m', '6h', '1d', '30d']) {
    const seconds = parseInterval(text) ?? 0;
    expect(parseInterval(formatInterval(seconds))).toBe(seconds);
  }
  expect(nextRunAfter(3_600, 0, null, () => 0)).toBe(3_600);
  expect(nextRunAfter(3_600, 1_000, null, () => 0)).toBe(2 * 86_400);
  expect(nextRunAfter(10 * 86_400, 3, null, () => 0)).toBe(10 * 86_400);
});

test('the metric counts feeds without a success for three intervals', async () => {
  await subscribe('/late.xml', '1h');
  const ago = (hours: number) =>
    sql`update feed_subscription set created_at = now() - make_interval(hours => ${hours}), succeeded_at = null`.execute(
      database.sql,
    );
  await ago(3);
  expect(await countLateFeeds(database.read)).toBe(0);
  await ago(5);
  expect(await countLateFeeds(database.read)).toBe(1);
});
