import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { keptSince, until } from './usage.ts';

const start = '2026-10-01T08:10:00Z';
const gateway = await testGateway({ data: 'demo', settings: { RATE_LIMIT_FACTOR: 'on' }, now: start });
const { users } = await demoOf(gateway);

/** Counts by minute, and of requests that a limit rejected. */
type Log = Record<string, { total: number; limited: number }>;

test('of ten thousand requests, those that limits rejected are counted as limited, minute by minute', async () => {
  const many = 10_000;
  const minutes = 5;
  // One caller: per minute 1,000 requests of a limit of 900 for one path, and 500 for another, until the hourly 5,000
  // are used up.
  const paths = ['', '', '/contents/README.md'].map(path => `/repos/harbor-lab/compass${path}`);
  const tokens = [users.wren, users.wren, users.wren, users.juniper].map(one => `Bearer ${one.classic_token}`);
  const log: Log = {};
  let number = 0;
  for (let minute = 0; minute < minutes; minute++) {
    gateway.clock.now = new Date(Date.parse(start) + minute * 60_000 + 5_000);
    const key = gateway.clock.now.toISOString().slice(0, 16).replace('T', ' ');
    const row = { total: 0, limited: 0 };
    log[key] = row;
    const asker = async (): Promise<void> => {
      while (number < (many * (minute + 1)) / minutes) {
        const at = number++;
        const path = paths[at % paths.length] ?? '';
        const { status, json } = await call(gateway, 'GET', path, tokens[at % tokens.length]);
        const isLimited = status === 403 && /rate limit/.test(json.message);
        expect([200, 403]).toContain(status);
        expect(isLimited).toBe(status === 403);
        row.total++;
        if (isLimited) row.limited++;
      }
    };
    await Promise.all(Array.from({ length: 5 }, asker));
  }
  const summed = (rows: { minute: string; total: number; limited: number }[]): Log => {
    const sums: Log = {};
    for (const { minute, total, limited } of rows) {
      const before = sums[minute] ?? { total: 0, limited: 0 };
      sums[minute] = { total: before.total + total, limited: before.limited + limited };
    }
    return sums;
  };
  const all = (sums: Log): number => Object.values(sums).reduce((sum, { total }) => sum + total, 0);
  const kept = await until(
    async () => summed(await keptSince(gateway.database, start)),
    sums => all(sums) >= many,
  );
  expect(kept).toEqual(log);
  const passed = Object.values(log).map(({ total, limited }) => total - limited);
  expect(passed.reduce((sum, one) => sum + one, 0)).toBe(7_500);
  expect(passed.slice(0, 3)).toEqual([1_900, 1_900, 1_900]);
}, 180_000);
