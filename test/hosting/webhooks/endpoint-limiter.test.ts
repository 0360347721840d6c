import { expect, test } from '@jest/globals';
import { EndpointLimiter } from '../../../src/hosting/webhooks/endpoint-limiter.ts';
import { retryDelayMs } from '../../../src/hosting/webhooks/retry-schedule.ts';

type Left = { leave(ms: number): void };

test('four deliveries at a time; the fifth waits for one to end', async () => {
  const budgets = new EndpointLimiter(() => 0);
  const inside = (await Promise.all([1, 2, 3, 4].map(() => budgets.acquire(1)))) as Left[];
  expect(inside.every(one => 'leave' in one)).toBe(true);
  const fifth = budgets.acquire(1);
  inside[0]?.leave(10);
  expect(await fifth).toHaveProperty('leave');
  // Receivers are limited separately.
  expect(await budgets.acquire(2)).toHaveProperty('leave');
});

test('a delivery that waits too long is postponed, each after the one before', async () => {
  const budgets = new EndpointLimiter(() => 0);
  const inside = (await Promise.all([1, 2, 3, 4].map(() => budgets.acquire(1)))) as Left[];
  for (const one of inside) one.leave(20_000);
  // The receiver is known to be slow now, so no delivery waits in memory.
  await Promise.all([1, 2, 3, 4].map(() => budgets.acquire(1)));
  const held = await Promise.all([5, 6, 7].map(() => budgets.acquire(1)));
  const times = held.map(one => ('holdMs' in one ? one.holdMs : 0));
  expect(times[0]).toBeGreaterThan(1_000);
  expect(times[1]).toBeGreaterThan(times[0] ?? 0);
  expect(times[2]).toBeGreaterThan(times[1] ?? 0);
});

test('the token bucket limits deliveries per second', async () => {
  let now = 0;
  const budgets = new EndpointLimiter(() => now);
  let admitted = 0;
  for (let at = 0; at < 600; at++) {
    const one = await budgets.acquire(1);
    if ('leave' in one) {
      admitted++;
      one.leave(1);
    }
  }
  expect(admitted).toBe(500);
  now = 1_000;
  expect(await budgets.acquire(1)).toHaveProperty('leave');
});

test('an overloaded receiver is paused as long as it asks', async () => {
  let now = 0;
  const budgets = new EndpointLimiter(() => now);
  budgets.pause(1, 5_000);
  const held = await budgets.acquire(1);
  expect('holdMs' in held && held.holdMs).toBeGreaterThanOrEqual(5_000);
  now = 5_001;
  expect(await budgets.acquire(1)).toHaveProperty('leave');
});

test('the retry schedule has full jitter, honours Retry-After, and ends', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(attempt => retryDelayMs(attempt, undefined, () => 1))).toEqual([
    5_000,
    300_000,
    1_800_000,
    7_200_000,
    18_000_000,
    36_000_000,
    50_400_000,
    72_000_000,
    86_400_000,
    undefined,
  ]);
  expect(retryDelayMs(2, undefined, () => 0)).toBe(0);
  expect(retryDelayMs(1, 60_000, () => 1)).toBe(60_000);
  expect(retryDelayMs(1, 10 ** 12, () => 1)).toBe(86_400_000);
});
