import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config/config.ts';
import { testGateway } from '../harness/gateway.ts';
import { registration, send } from '../harness/people.ts';

// Jobs wait: nothing works on them.
const gateway = await testGateway({ data: 'empty' });
const apart = await testGateway({
  beside: gateway,
  settings: { METRICS_PORT: '0', METRICS_TOKEN: '', RATE_LIMIT_FACTOR: 'on' },
});
const guarded = await testGateway({
  beside: gateway,
  settings: { METRICS_PORT: '0', METRICS_TOKEN: 'a token of sixteen' },
});
const listed = join(import.meta.dirname, '..', '..', 'examples', 'operations');

/** Values of a metric by their labels, in the text of `/metrics`. */
function valuesIn(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map(line => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The refusals of a gateway with limits, after registrations from one address until one is refused. */
async function testLimits(): Promise<Record<string, number>> {
  for (let round = 0; round < 100; round++) {
    if ((await send(apart, 'POST', '/auth/register/', registration())).status === 429) break;
  }
  return valuesIn(await (await fetch(`${apart.metricsUrl}/metrics`)).text(), 'portico_limit_refusals_total');
}

/** Values of a metric by their labels, such as `{api="rest-health"}`. */
async function values(name: string): Promise<Record<string, number>> {
  return valuesIn((await gateway.metrics()).text, name);
}

test('requests are counted by operation and status, and others by API alone', async () => {
  await gateway.request('/api/v1/articles/');
  await gateway.request('/api/v1/articles/?page=nothing');
  await gateway.request('/api/v1/articles/999999/');
  await gateway.request('/api/v1/no-such-path/');
  const counts = await values('portico_operation_requests_total');
  expect(counts['{api="rest-health",operation="ListArticles",status="200"}']).toBe(1);
  expect(counts['{api="rest-health",operation="ListArticles",status="404"}']).toBe(1);
  expect(counts['{api="rest-health",operation="GetArticle",status="404"}']).toBe(1);
  expect(Object.keys(counts)).toHaveLength(3);
  expect(
    (await values('portico_operation_seconds_total'))['{api="rest-health",operation="ListArticles"}'],
  ).toBeGreaterThan(0);
});

test('operations of GraphQL are counted by the name of a listed one, or else by type, and those of git by service', async () => {
  const [file = ''] = readdirSync(listed).filter(name => name.endsWith('.graphql'));
  const query = readFileSync(join(listed, file), 'utf8').trimEnd();
  const name = /(?:query|mutation) (\w+)/.exec(query)?.[1];
  await gateway.graphql(query);
  await gateway.graphql('query NameOfTheCaller { articleCategories { slug } }');
  await gateway.graphql('{ nonsense');
  await gateway.request('/nobody/nothing.git/info/refs?service=git-upload-pack');
  const counts = Object.entries(await values('portico_operation_requests_total')).filter(
    ([labels]) => !labels.includes('rest-'),
  );
  expect(counts.map(([labels]) => labels.replace(/,status="\d+"/, '')).toSorted()).toEqual([
    '{api="git",operation="info/refs"}',
    `{api="graphql",operation="${name}"}`,
    '{api="graphql",operation="query"}',
  ]);
});

test('the type of a metric fits its name', async () => {
  const { text } = await gateway.metrics();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }));
  expect(types.length).toBeGreaterThan(30);
  expect(types.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
});

test('lookups in caches are counted by result', async () => {
  const counts = await values('portico_cache_requests_total');
  expect(Object.keys(counts).toSorted()).toEqual(
    ['archives', 'git_copies', 'git_objects'].flatMap(cache =>
      ['hit', 'miss'].map(result => `{cache="${cache}",result="${result}"}`),
    ),
  );
});

test('METRICS_PORT serves the metrics, and PORT no longer does', async () => {
  const address = apart.metricsUrl ?? '';
  const { status, headers } = await fetch(`${address}/metrics`);
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${address}/readyz`)).status).toBe(404);
  expect((await apart.metrics()).status).toBe(404);
  expect((await fetch(`${guarded.metricsUrl}/metrics`)).status).toBe(404);
  const authorization = 'Bearer a token of sixteen';
  expect((await fetch(`${guarded.metricsUrl}/metrics`, { headers: { authorization } })).status).toBe(200);
  expect(() => readConfig({ PORT: '4000', METRICS_PORT: '4000' })).toThrow('METRICS_PORT must differ from PORT.');
});

test('waiting jobs are counted by queue, with the age of the oldest', async () => {
  expect([await values('portico_jobs'), await values('portico_jobs_readable')]).toEqual([{}, { '': 1 }]);
  await send(gateway, 'POST', '/auth/register/', registration());
  const [wait] = Object.values(await values('portico_job_wait_seconds'));
  const jobs = await values('portico_jobs');
  const due = Object.entries(jobs).filter(([labels]) => labels.includes('state="due"'));
  expect(due).toEqual([[expect.stringMatching(/^\{queue="[\w-]*mail[\w-]*",state="due"\}$/), 1]]);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThan(600);
  // A job that is due later waits for nothing and is as old.
  await sql`update jobs.job set start_after = now() + interval '1 hour', created_on = now() - interval '2 hours'`.execute(
    gateway.database.sql,
  );
  expect(Object.values(await values('portico_job_wait_seconds'))).toEqual([0]);
  const [age = 0] = Object.values(await values('portico_job_age_seconds'));
  expect(age).toBeGreaterThan(7_199);
});

test('open sockets are counted', async () => {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  expect(await values('portico_websockets')).toEqual({ '{state="authenticated"}': 0, '{state="unidentified"}': 1 });
  socket.close();
  await once(socket, 'close');
});

test('without Redis nothing is said of shared limits', async () => {
  expect(await values('portico_limits_shared')).toEqual({});
});

test('refusals are counted by limit', async () => {
  const before = await values('portico_limit_refusals_total');
  const limited = await testLimits();
  expect(before).toEqual({});
  expect(limited).toMatchObject({ '{limit="register"}': 1 });
});

test('jobs that have failed, schedules and overdue erasures are gauges', async () => {
  const { sql: db } = gateway.database;
  const failures = sql`insert into jobs.job (name, data, state, completed_on)
    select 'mail', '{}', 'failed', now() from generate_series(1, 100000)`;
  await failures.execute(db);
  await sql`insert into jobs.schedule_success (queue, interval_seconds, at) values ('account-erasure', 3600, 'epoch'::timestamptz + interval '5 s')
    on conflict (queue) do update set at = excluded.at`.execute(db);
  await sql`insert into users (first_name, last_name, is_active, date_joined, last_seen_at, deleted_at)
    select 'Robin', 'Vale', false, ${gateway.clock.now}, ${gateway.clock.now}, ${gateway.clock.now}::timestamptz - make_interval(days => days)
    from unnest(array[40, 40, 30]) days`.execute(db);
  // A count that takes longer than a scrape waits is in the next one.
  for (const end = Date.now() + 20_000; (await values('portico_jobs_failed'))['{queue="mail"}'] !== 100_000; )
    if (Date.now() > end) break;
  expect(await values('portico_jobs_failed')).toEqual({ '{queue="mail"}': 100_000 });
  expect((await values('portico_schedule_success_timestamp_seconds'))['{queue="account-erasure"}']).toBe(5);
  expect((await values('portico_schedule_interval_seconds'))['{queue="account-erasure"}']).toBe(3_600);
  for (const end = Date.now() + 20_000; (await values('portico_erasures_overdue'))[''] !== 2; )
    if (Date.now() > end) break;
  expect((await values('portico_erasures_overdue'))['']).toBe(2);
});
