import { describe, expect, test } from '@jest/globals';
import { MemoryRateLimitStore } from '../../src/limits/memory-store.ts';
import { describeAdmissions } from './admission-conformance.ts';
import { describeRateLimitStore, FakeClock } from './rate-limit-store-conformance.ts';

describeRateLimitStore('The counts in memory', async clock => new MemoryRateLimitStore(clock));
// Small limits, so that an entry evicted too early fails a test.
describeRateLimitStore('The counts in hardly any memory', async clock => new MemoryRateLimitStore(clock, 4));

describeAdmissions('Requests in memory', async clock => new MemoryRateLimitStore(clock));

describe('The memory', () => {
  const counterOf = (key: string, seconds = 60) => [{ key, limit: 1, seconds }];

  test('stays bounded under a million different keys, and the newest are still counted', async () => {
    const store = new MemoryRateLimitStore(new FakeClock().now, 10_000);
    let largest = 0;
    for (let at = 0; at < 1_000_000; at++) {
      await store.charge(counterOf(`key ${at}`));
      largest = Math.max(largest, store.size);
    }
    expect(largest).toBeGreaterThanOrEqual(10_000);
    expect(largest).toBeLessThanOrEqual(20_000);
    for (let at = 990_000; at < 1_000_000; at++) expect((await store.charge(counterOf(`key ${at}`))).ok).toBe(false);
  }, 120_000);

  test('stays bounded under as many callers, each with a slot that is never released', async () => {
    const store = new MemoryRateLimitStore(new FakeClock().now, 1_000);
    for (let at = 0; at < 100_000; at++) {
      const slot = { key: 'slots', id: 'one', limit: 100, seconds: 60 };
      await store.admit({ owner: `ip ${at}`, charges: counterOf('points'), slot });
    }
    expect(store.size).toBeGreaterThanOrEqual(2_000);
    expect(store.size).toBeLessThanOrEqual(4_000);
  });

  test('of counters of one minute is separate from that of one day', async () => {
    const store = new MemoryRateLimitStore(new FakeClock().now, 100);
    await store.charge(counterOf('victim', 86_400));
    for (let at = 0; at < 10_000; at++) await store.charge(counterOf(`flood ${at}`));
    expect((await store.charge(counterOf('victim', 86_400))).ok).toBe(false);
  });

  test('is released when its counters have expired', async () => {
    const clock = new FakeClock();
    const store = new MemoryRateLimitStore(clock.now, 100_000);
    for (let at = 0; at < 10_000; at++) await store.charge(counterOf(`key ${at}`));
    for (let minute = 0; minute < 2; minute++) {
      clock.pass(60);
      await store.charge(counterOf(`later ${minute}`));
    }
    expect(store.size).toBe(2);
  });

  test('does not grow by reads and rejected charges', async () => {
    const store = new MemoryRateLimitStore(new FakeClock().now);
    await store.charge(counterOf('full'));
    for (let at = 0; at < 1000; at++) {
      await store.charge([{ key: `look ${at}`, limit: 1, seconds: 60, cost: 0 }]);
      await store.charge([...counterOf('full'), ...counterOf(`refused ${at}`)]);
    }
    expect(store.size).toBe(1);
  });
});

describe('A clock that is set back', () => {
  test('by a moment changes nothing', async () => {
    const clock = new FakeClock();
    const store = new MemoryRateLimitStore(clock.now);
    const count = { key: 'key', limit: 1, seconds: 60 };
    await store.charge([count]);
    clock.pass(-2);
    expect(await store.charge([count])).toEqual({ ok: false, retryAfter: 62, failedIndex: 0 });
  });

  test('by a year does not reject callers for a year', async () => {
    const clock = new FakeClock();
    const store = new MemoryRateLimitStore(clock.now);
    const count = { key: 'key', limit: 1, seconds: 60 };
    await store.charge([count]);
    clock.pass(-365 * 86_400);
    expect(await store.charge([count])).toEqual({ ok: true });
    expect(await store.charge([count])).toEqual({ ok: false, retryAfter: 60, failedIndex: 0 });
  });
});
