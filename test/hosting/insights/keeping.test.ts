import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { maintainUsage, minuteRetentionDays, retentionDays } from '../../../src/hosting/insights/insights.tasks.ts';
import {
  createUsagePartitions,
  formatDay,
  listUsageDays,
  rollUpUsage,
} from '../../../src/hosting/insights/usage-partitions.ts';
import { writeUsage } from '../../../src/hosting/insights/write-usage.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { classic, keptSince, plantUsage } from './usage.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-11-20T12:00:00Z' });
const demo = await demoOf(gateway);
const { database } = gateway;
const day = 24 * 60 * 60_000;
const now = gateway.clock.now;
const ago = (days: number): string => formatDay(new Date(now.getTime() - days * day));
const admin = `Bearer ${demo.users.wren.classic_token}`;

/** A day of minutes with two routes and two tokens. */
function minutesOf(date: string) {
  return Array.from({ length: 300 }, (_, index) => ({
    org: 'harbor-lab',
    at: new Date(Date.parse(`${date}T00:00:00Z`) + ((index * 7) % 1440) * 60_000).toISOString(),
    actor: classic(1 + (index % 2), 1),
    method: 'GET',
    route: index % 3 === 0 ? '/a' : '/b',
    total: 1 + (index % 5),
    limited: index % 11 === 0 ? 1 : 0,
  }));
}

const hourly = async (date: string): Promise<unknown> => {
  const window = `min_timestamp=${date}T00:00:00Z&max_timestamp=${date}T23:59:59Z`;
  const insights = '/orgs/harbor-lab/insights/api';
  const paths = [
    `time-stats?${window}&timestamp_increment=1h`,
    `route-stats/classic_pat/1?${window}`,
    `route-stats/classic_pat/2?${window}`,
    `subject-stats?${window}`,
  ];
  const answers = await Promise.all(paths.map(path => call(gateway, 'GET', `${insights}/${path}`, admin)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  return answers.map(({ json }) => json);
};

const rowsOf = async (date: string): Promise<{ rows: number; minutes: number[] }> => {
  const { rows } = await sql<{ rows: number; minutes: number[] }>`
    select count(*)::int as rows, array_agg(distinct minutes) as minutes from api_usage
    where bucket >= ${date}::date and bucket < ${date}::date + 1`.execute(database.sql);
  return rows[0] ?? { rows: 0, minutes: [] };
};

test('rolling up minutes to hours keeps the counts and is idempotent', async () => {
  const [old, young] = [ago(minuteRetentionDays + 2), ago(minuteRetentionDays)];
  await plantUsage(database, randomUUID(), [...minutesOf(old), ...minutesOf(young)]);
  const before = await hourly(old);
  expect((await rowsOf(old)).rows).toBe(300);
  await maintainUsage(database, now);
  const once = await rowsOf(old);
  expect(once.minutes).toEqual([60]);
  expect(once.rows).toBeLessThan(100);
  expect(await rowsOf(young)).toEqual({ rows: 300, minutes: [1] });
  expect(await hourly(old)).toEqual(before);

  await Promise.all([maintainUsage(database, now), maintainUsage(database, now)]);
  expect(await rowsOf(old)).toEqual(once);
  expect(await hourly(old)).toEqual(before);

  // Late counts are rolled up by the next run.
  await plantUsage(database, randomUUID(), minutesOf(old));
  const twice = await hourly(old);
  expect((await rowsOf(old)).minutes).toEqual([1, 60]);
  await maintainUsage(database, now);
  expect(await rowsOf(old)).toEqual(once);
  expect(await hourly(old)).toEqual(twice);
});

test('counts that arrive during a roll-up are not lost', async () => {
  const date = ago(minuteRetentionDays + 3);
  await plantUsage(database, randomUUID(), minutesOf(date));
  await Promise.all([
    inTransaction(database, db => rollUpUsage(db, date)),
    ...Array.from({ length: 4 }, () => plantUsage(database, randomUUID(), minutesOf(date))),
  ]);
  const total = minutesOf(date).reduce((sum, row) => sum + row.total, 0);
  const kept = await keptSince(database, `${date}T00:00:00Z`);
  const sum = (rows: typeof kept): number => rows.reduce((all, row) => all + row.total, 0);
  expect(sum(kept.filter(({ minute }) => minute.startsWith(date)))).toBe(5 * total);
});

test('coming partitions are created, and expired ones are dropped', async () => {
  const gone = ago(retentionDays + 1);
  const last = ago(retentionDays);
  await plantUsage(database, randomUUID(), [...minutesOf(gone), ...minutesOf(last)]);
  await maintainUsage(database, now);
  const days = await listUsageDays(database.sql);
  expect(days).not.toContain(gone);
  expect(days).toEqual(expect.arrayContaining([last, ago(0), ago(-1), ago(-2), ago(-3)]));
  expect((await rowsOf(gone)).rows).toBe(0);
  expect((await rowsOf(last)).minutes).toEqual([60]);
});

test('a missing partition is created by the first counts, with several gateways at once', async () => {
  const minute = now.getTime() + 40 * day;
  const date = formatDay(new Date(minute));
  expect(await listUsageDays(database.sql)).not.toContain(date);
  const row = {
    target: { kind: 'login', value: 'harbor-lab' },
    actor: classic(1, 1),
    method: 'GET',
    route: '/a',
    minute,
    total: 1,
    limited: 0,
    clientErrors: 0,
    serverErrors: 0,
    lastRequest: minute,
    lastLimited: null,
  } as const;
  await Promise.all(
    Array.from({ length: 4 }, () =>
      writeUsage(database, { process: randomUUID(), sequence: 1, writtenAt: now, rows: [row] }),
    ),
  );
  expect(await listUsageDays(database.sql)).toContain(date);
  expect((await keptSince(database, date)).map(({ total }) => total)).toEqual([4]);
  await inTransaction(database, db => createUsagePartitions(db, [date, date]));
});

test('sequence numbers of idle processes are deleted', async () => {
  const [silent, busy] = [randomUUID(), randomUUID()];
  const write = (process: string, writtenAt: Date) =>
    writeUsage(database, { process, sequence: 1, writtenAt, rows: [] });
  await write(silent, new Date(now.getTime() - 2 * day));
  await write(busy, now);
  await maintainUsage(database, now);
  const { rows } = await sql<{ process: string }>`select process from api_usage_process`.execute(database.sql);
  const known = rows.map(({ process }) => process);
  expect(known).toContain(busy);
  expect(known).not.toContain(silent);
});

test('all lists of a busy organization use an index', async () => {
  // Ten thousand rows of others beside three hundred of the lab.
  const date = ago(1);
  await inTransaction(database, db => createUsagePartitions(db, [date]));
  await sql`insert into api_usage select 1000000 + n % 100, ${date}::timestamptz + (n % 1440) * interval '1 minute', 1,
      'classic_pat', n, n, null, 'GET', '/a', 1, 0, now(), null
    from generate_series(1, 10000) n`.execute(database.sql);
  await sql`analyze api_usage`.execute(database.sql);
  const plan = async (condition: string): Promise<string> => {
    const { rows } = await sql
      .raw<Record<string, string>>(`explain select sum(total) from api_usage u where u.org_id = 1000005
        and u.bucket >= '${date}' and u.bucket < '${date}'::date + 1 and (u.minutes = 60 or u.bucket >= '${date}') ${condition}`)
      .execute(database.sql);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  };
  for (const condition of [
    '',
    "and u.actor_type = 'classic_pat' and u.actor_id = 5",
    'and u.user_id = 5 and u.user_id <> 0',
  ]) {
    const text = await plan(condition);
    expect(text).toMatch(/Index/);
    expect(text).not.toMatch(/Seq Scan/);
    // Only one partition is scanned.
    expect([...new Set(text.match(/api_usage_\d{8}/g))]).toEqual([`api_usage_${date.replaceAll('-', '')}`]);
  }
});
