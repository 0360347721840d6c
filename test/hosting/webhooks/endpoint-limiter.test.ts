import { expect, test } from '@jest/globals';
import { type DeliveryEndpoint, EndpointLimiter } from '../../../src/hosting/webhooks/endpoint-limiter.ts';
import { retryDelayMs } from '../../../src/hosting/webhooks/retry-schedule.ts';

const to = (receiver: string, more: Partial<DeliveryEndpoint> = {}): DeliveryEndpoint => ({
  receiver,
  owner: receiver,
  host: receiver,
  pausedMs: 0,
  isSilent: false,
  isUrgent: false,
  ...more,
});

type Admitted = { release(elapsedMs: number): void };

test('four deliveries at a time; the fifth waits for one to end', async () => {
  const limiter = new EndpointLimiter(() => 0);
  const admitted = (await Promise.all([1, 2, 3, 4].map(() => limiter.acquire(to('app 1'))))) as Admitted[];
  expect(admitted.every(one => 'release' in one)).toBe(true);
  const fifth = limiter.acquire(to('app 1'));
  admitted[0]?.release(10);
  expect(await fifth).toHaveProperty('release');
  // Receivers are limited separately.
  expect(await limiter.acquire(to('app 2'))).toHaveProperty('release');
});

test('a delivery that waits too long is postponed, each after the one before', async () => {
  const limiter = new EndpointLimiter(() => 0);
  const admitted = (await Promise.all([1, 2, 3, 4].map(() => limiter.acquire(to('app 1'))))) as Admitted[];
  for (const one of admitted) one.release(20_000);
  // The receiver is known to be slow now, so no delivery waits in memory.
  await Promise.all([1, 2, 3, 4].map(() => limiter.acquire(to('app 1'))));
  const deferred = await Promise.all([5, 6, 7].map(() => limiter.acquire(to('app 1'))));
  const times = deferred.map(one => ('delayMs' in one ? one.delayMs : 0));
  expect(times[0]).toBeGreaterThan(1_000);
  expect(times[1]).toBeGreaterThan(times[0] ?? 0);
  expect(times[2]).toBeGreaterThan(times[1] ?? 0);
});

/** Acquires for each receiver until it is refused, and returns how many were admitted. */
async function admittedOf(limiter: EndpointLimiter, endpoints: readonly DeliveryEndpoint[]): Promise<Admitted[]> {
  const answers = await Promise.all(endpoints.map(one => limiter.acquire(one)));
  return answers.filter((one): one is Admitted => 'release' in one);
}

test('receivers that do not answer take the slots of their owner, and half of all at most', async () => {
  let now = 0;
  const limiter = new EndpointLimiter(() => now);
  const hooksOf = (owner: string, host = owner) =>
    Array.from({ length: 20 }, (_, at) => to(`${owner} ${at}`, { owner, host }));
  expect(await admittedOf(limiter, hooksOf('a', 'x'))).toHaveLength(8);
  expect(await admittedOf(limiter, hooksOf('b', 'x'))).toHaveLength(8);
  // The host has none left.
  expect(await admittedOf(limiter, hooksOf('c', 'x'))).toHaveLength(0);
  const others = await admittedOf(limiter, hooksOf('d', 'y'));
  expect(others).toHaveLength(8);
  expect(await admittedOf(limiter, hooksOf('e', 'z'))).toHaveLength(0);
  // One that has answered quickly before is sent to.
  others[0]?.release(20);
  const [fast] = await admittedOf(limiter, [to('d 0', { owner: 'd', host: 'y' })]);
  expect(fast).toBeDefined();
  now = 400;
  // Not any more, now that it does not answer either.
  expect(await admittedOf(limiter, [to('d 0', { owner: 'd', host: 'y' })])).toHaveLength(1);
  expect(await admittedOf(limiter, [to('d 0', { owner: 'd', host: 'y' })])).toHaveLength(0);
});

test('one that was silent gets one delivery at a time, and none while it is paused', async () => {
  const limiter = new EndpointLimiter(() => 0);
  const paused = await limiter.acquire(to('app 1', { isSilent: true, pausedMs: 30_000 }));
  expect('delayMs' in paused && paused.delayMs).toBeGreaterThanOrEqual(30_000);
  const ping = await limiter.acquire(to('app 1', { pausedMs: 30_000, isUrgent: true }));
  expect(ping).toHaveProperty('release');
  if ('release' in ping) ping.release(undefined);
  const silent = Array.from({ length: 5 }, () => to('app 1', { isSilent: true }));
  expect(await admittedOf(limiter, silent)).toHaveLength(1);
});

test('the token bucket limits deliveries per second', async () => {
  let now = 0;
  const limiter = new EndpointLimiter(() => now);
  let admitted = 0;
  for (let at = 0; at < 600; at++) {
    const one = await limiter.acquire(to('app 1'));
    if ('release' in one) {
      admitted++;
      one.release(1);
    }
  }
  expect(admitted).toBe(500);
  now = 1_000;
  expect(await limiter.acquire(to('app 1'))).toHaveProperty('release');
});

test('an overloaded receiver is paused as long as it asks', async () => {
  let now = 0;
  const limiter = new EndpointLimiter(() => now);
  limiter.pause('app 1', 5_000);
  const deferred = await limiter.acquire(to('app 1'));
  expect('delayMs' in deferred && deferred.delayMs).toBeGreaterThanOrEqual(5_000);
  now = 5_001;
  expect(await limiter.acquire(to('app 1'))).toHaveProperty('release');
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
