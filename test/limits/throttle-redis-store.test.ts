import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { InsuredThrottleStore } from '../../src/limits/throttle-insurance.ts';
import { MemoryThrottleStore } from '../../src/limits/throttle-memory-store.ts';
import { RedisThrottleStore } from '../../src/limits/throttle-redis-store.ts';
import { testGateway } from '../harness/gateway.ts';
import { describeThrottleStore, FakeClock } from './throttle-conformance.ts';

// biome-ignore lint/style/noProcessEnv: where the run's Redis is; without one these tests are skipped.
const url = process.env.REDIS_URL;
const withRedis = url === undefined ? describe.skip : describe;

const stores: { close(): void }[] = [];
const keyspaces: string[] = [];

async function opened(clock?: () => Date, keyspace: string = randomUUID()): Promise<RedisThrottleStore> {
  const store = new RedisThrottleStore(String(url), { keyspace, ...(clock ? { clock } : {}) });
  stores.push(store);
  keyspaces.push(keyspace);
  await store.ready();
  return store;
}

afterAll(async () => {
  for (const store of stores) store.close();
  if (url === undefined) return;
  const redis = new Redis(url);
  for (const keyspace of keyspaces) {
    const keys = await redis.keys(`{portico}:${keyspace}*`);
    if (keys.length > 0) await redis.del(keys);
  }
  redis.disconnect();
});

const one = { key: 'one', limit: 1, seconds: 60 };

withRedis('Counts in Redis', () => {
  // A keyspace apiece, and one connection at a time: a property opens three hundred stores.
  let last: RedisThrottleStore | undefined;
  describeThrottleStore('as every store', async clock => {
    last?.close();
    last = await opened(clock);
    return last;
  });

  test('are shared by all who use it, and decided once', async () => {
    const keyspace = randomUUID();
    const gateways = await Promise.all([1, 2, 3].map(() => opened(undefined, keyspace)));
    const wanted = { key: 'shared', limit: 50, seconds: 60 };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => gateways[at % 3]?.take([wanted])));
    expect(answers.filter(answer => answer?.ok)).toHaveLength(50);
  });

  test('end by the clock of the server and leave nothing there', async () => {
    const keyspace = randomUUID();
    const store = await opened(undefined, keyspace);
    await store.take([one]);
    const redis = new Redis(String(url));
    const [key = ''] = await redis.keys(`{portico}:${keyspace}*`);
    const left = await redis.pttl(key);
    redis.disconnect();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test('hold for two gateways together', async () => {
    const [first, second] = gateways;
    const ask = (at: number) => (at % 2 ? first : second)?.request('/api/v1/auth/guest/', fromOneAddress);
    const answers = await Promise.all(Array.from({ length: 14 }, (_, at) => ask(at)));
    expect(answers.filter(answer => answer?.status === 201)).toHaveLength(10);
    expect(answers.filter(answer => answer?.status === 429)).toHaveLength(4);
  });
});

const settings = { THROTTLE: 'on', TRUST_PROXY: 'loopback', ...(url === undefined ? {} : { REDIS_URL: url }) };
const gateways = url === undefined ? [] : [await testGateway({ settings }), await testGateway({ settings })];
/** An address of documentation that no other run has at the same time. */
const fromOneAddress = {
  method: 'POST',
  headers: { 'x-forwarded-for': `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1` },
};

describe('A Redis that is away', () => {
  const lines: string[] = [];
  const log = {
    warn: (_: object, message: string) => void lines.push(message),
    info: (_: object, message: string) => void lines.push(message),
  };

  test('leaves this process counting for itself, says so once, and is used again when it is back', async () => {
    const sockets = new Set<Socket>();
    // Takes connections and never says a word: worse than one that is not there.
    const silent = createServer(socket => {
      sockets.add(socket);
      socket.on('error', () => {});
    });
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const away = new RedisThrottleStore(`redis://127.0.0.1:${port}`);
    let shared: Pick<RedisThrottleStore, 'take' | 'clear'> = away;
    const insured = new InsuredThrottleStore(
      { take: counts => shared.take(counts), clear: key => shared.clear(key) },
      new MemoryThrottleStore(new FakeClock().now),
      log,
    );
    expect(await insured.take([one])).toEqual({ ok: true });
    expect(await insured.take([one])).toEqual({ ok: false, retryAfter: 60, failed: 0 });
    await insured.clear('one');
    expect(await insured.take([one])).toEqual({ ok: true });
    await expect(insured.take([one, one])).rejects.toThrow(RangeError);
    expect(lines).toEqual(['the shared limits are away; this process counts for itself']);
    away.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
    shared = new MemoryThrottleStore(new FakeClock().now);
    expect(await insured.take([one])).toEqual({ ok: true });
    expect(lines.at(-1)).toBe('limits are shared again');
  });
});
