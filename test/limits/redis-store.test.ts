import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { FailoverStore } from '../../src/limits/failover-store.ts';
import { MemoryRateLimitStore } from '../../src/limits/memory-store.ts';
import { openRateLimiter } from '../../src/limits/open-rate-limiter.ts';
import type { RateLimitStore } from '../../src/limits/rate-limit-store.ts';
import { RedisRateLimitStore } from '../../src/limits/redis-store.ts';
import { testGateway } from '../harness/gateway.ts';
import { describeAdmissions } from './admission-conformance.ts';
import { describeRateLimitStore, FakeClock } from './rate-limit-store-conformance.ts';

// biome-ignore lint/style/noProcessEnv: URL of the Redis server of the run; without it these tests are skipped.
const url = process.env.REDIS_URL;
const withRedis = url === undefined ? describe.skip : describe;

const stores: { close(): void }[] = [];
const keyspaces: string[] = [];

async function opened(clock?: () => Date, keyspace: string = randomUUID()): Promise<RedisRateLimitStore> {
  const store = new RedisRateLimitStore(String(url), { keyspace, ...(clock ? { clock } : {}) });
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
    const keys = await redis.keys(`{portico*${keyspace}*`);
    if (keys.length > 0) await redis.del(keys);
  }
  redis.disconnect();
});

const charge = { key: 'one', limit: 1, seconds: 60 };

withRedis('Counts in Redis', () => {
  // A separate keyspace for each store, and one connection at a time: a property test opens three hundred stores.
  let last: RedisRateLimitStore | undefined;
  describeRateLimitStore('as every store', async clock => {
    last?.close();
    last = await opened(clock);
    return last;
  });

  describeAdmissions('and requests with a slot', async clock => {
    last?.close();
    last = await opened(clock);
    return last;
  });

  test('are shared by all clients and decided atomically', async () => {
    const keyspace = randomUUID();
    const gateways = await Promise.all([1, 2, 3].map(() => opened(undefined, keyspace)));
    const counter = { key: 'shared', limit: 50, seconds: 60 };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => gateways[at % 3]?.charge([counter])));
    expect(answers.filter(answer => answer?.ok)).toHaveLength(50);
  });

  test('expire by the clock of the server and leave no keys', async () => {
    const keyspace = randomUUID();
    const store = await opened(undefined, keyspace);
    await store.charge([charge]);
    const redis = new Redis(String(url));
    const [key = ''] = await redis.keys(`{portico}:${keyspace}*`);
    const left = await redis.pttl(key);
    redis.disconnect();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test('apply to two gateways together', async () => {
    const [first, second] = gateways;
    const ask = (at: number) => (at % 2 ? first : second)?.request('/api/v1/auth/guest/', fromOneAddress);
    const answers = await Promise.all(Array.from({ length: 14 }, (_, at) => ask(at)));
    expect(answers.filter(answer => answer?.status === 201)).toHaveLength(10);
    expect(answers.filter(answer => answer?.status === 429)).toHaveLength(4);
  });
});

withRedis('Hosting requests of two gateways', () => {
  test('count together: an hour, and its end', async () => {
    const [first, second] = gateways;
    const headers = { ...fromOneAddress.headers, 'user-agent': 'portico tests' };
    const ask = (at: number) => (at % 2 ? first : second)?.request('/versions', { headers });
    const answers = await Promise.all(Array.from({ length: 70 }, (_, at) => ask(at)));
    expect(answers.filter(answer => answer?.status === 200)).toHaveLength(60);
    expect(answers.filter(answer => answer?.status === 403)).toHaveLength(10);
    const used = answers
      .filter(answer => answer?.status === 200)
      .map(answer => Number(answer?.headers.get('x-ratelimit-used')));
    expect(used.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    expect(new Set(answers.map(answer => answer?.headers.get('x-ratelimit-reset'))).size).toBe(1);
  });

  test('are admitted in one round trip and released in another', async () => {
    const lonely = `2001:db8:1${randomUUID().slice(0, 3)}:1${randomUUID().slice(0, 3)}`;
    const ask = (ip: string) =>
      gateways[0]?.request('/versions', { headers: { 'x-forwarded-for': ip, 'user-agent': 'portico tests' } });
    // After this call Redis has cached the scripts.
    await ask(`${lonely.replace('2001', '2002')}::1`);
    const watcher = new Redis(String(url));
    const monitor = await watcher.monitor();
    const seen: string[] = [];
    monitor.on('monitor', (_time: string, [command = '', ...rest]: string[], source: string) => {
      // Commands executed by a script are reported too, from `lua`.
      if (source !== 'lua' && rest.some(part => part.includes(lonely))) seen.push(command.toLowerCase());
    });
    expect((await ask(`${lonely}::1`))?.status).toBe(200);
    for (const deadline = Date.now() + 5_000; seen.length < 2 && Date.now() < deadline; ) await setImmediate();
    monitor.disconnect();
    watcher.disconnect();
    expect(seen).toEqual(['evalsha', 'evalsha']);
  });
});

const settings = { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback', ...(url === undefined ? {} : { REDIS_URL: url }) };
const gateways = url === undefined ? [] : [await testGateway({ settings }), await testGateway({ settings })];
/** An address of the documentation range that concurrent runs do not use. */
const fromOneAddress = {
  method: 'POST',
  headers: { 'x-forwarded-for': `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1` },
};

describe('A Redis that is unavailable', () => {
  const lines: string[] = [];
  const log = {
    warn: (_: object, message: string) => void lines.push(message),
    info: (_: object, message: string) => void lines.push(message),
  };

  test('makes this process count separately, logs it once, and is used again after recovery', async () => {
    const sockets = new Set<Socket>();
    // Accepts connections and never responds, which is worse than a refused connection.
    const silent = createServer(socket => {
      sockets.add(socket);
      socket.on('error', () => {});
    });
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const away = new RedisRateLimitStore(`redis://127.0.0.1:${port}`);
    let shared: RateLimitStore = away;
    const failover = new FailoverStore(
      {
        charge: counts => shared.charge(counts),
        clear: key => shared.clear(key),
        admit: demand => shared.admit(demand),
        release: settlement => shared.release(settlement),
        change: (owner, changes) => shared.change(owner, changes),
        renew: (owner, slot) => shared.renew(owner, slot),
      },
      new MemoryRateLimitStore(new FakeClock().now),
      log,
    );
    expect(await failover.charge([charge])).toEqual({ ok: true });
    expect(await failover.charge([charge])).toEqual({ ok: false, retryAfter: 60, failedIndex: 0 });
    await failover.clear('one');
    expect(await failover.charge([charge])).toEqual({ ok: true });
    await expect(failover.charge([charge, charge])).rejects.toThrow(RangeError);
    // Four commands of 250 ms have failed by now, and no more are needed than fill a second.
    while (lines.length === 0) await failover.charge([{ ...charge, key: randomUUID() }]);
    await failover.charge([{ ...charge, key: randomUUID() }]);
    expect(lines).toEqual(['the shared limits are away; this process counts for itself']);
    away.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
    shared = new MemoryRateLimitStore(new FakeClock().now);
    // What this process has admitted counts on.
    expect(await failover.charge([charge])).toMatchObject({ ok: false });
    expect(await failover.charge([{ ...charge, key: 'two' }])).toEqual({ ok: true });
    expect(lines.at(-1)).toBe('limits are shared again');
  });

  test('is no warning when one command fails and the next one succeeds', async () => {
    const before = lines.length;
    const store = new MemoryRateLimitStore(new FakeClock().now);
    let failures = 1;
    const failing: RateLimitStore = Object.create(store, {
      charge: {
        value: (counts: Parameters<RateLimitStore['charge']>[0]) => {
          if (failures-- > 0) throw new Error('Command timed out');
          return store.charge(counts);
        },
      },
    });
    const failover = new FailoverStore(failing, new MemoryRateLimitStore(new FakeClock().now), log);
    for (let round = 0; round < 3; round++) await failover.charge([{ ...charge, key: randomUUID() }]);
    expect(failures).toBeLessThan(0);
    expect(lines.slice(before)).toEqual([]);
  });
});

describe('Gateways whose shared store is away, or comes back without its counters', () => {
  const gatewayCount = 3;
  const limit = 6;
  const seconds = 60;
  const log = { warn: () => {}, info: () => {} };

  /** Gateways with one shared store, which `break` makes fail and `lose` empties as a restart does. */
  function installation() {
    const clock = new FakeClock();
    let shared: RateLimitStore = new MemoryRateLimitStore(clock.now);
    let isAway = false;
    const reach = (): RateLimitStore => {
      if (isAway) throw new Error('Connection is closed.');
      return shared;
    };
    const remote: RateLimitStore = {
      charge: async charges => reach().charge(charges),
      clear: async key => reach().clear(key),
      admit: async request => reach().admit(request),
      release: async release => reach().release(release),
      change: async (owner, changes) => reach().change(owner, changes),
      renew: async (owner, slot) => reach().renew(owner, slot),
    };
    const locals = Array.from({ length: gatewayCount }, () => new MemoryRateLimitStore(clock.now));
    const gateways = locals.map(local => new FailoverStore(remote, local, log));
    let requests = 0;
    /** Whether one request of the caller is admitted; it has ended when this resolves. */
    const ask = async (at: number, kind: 'admit' | 'charge'): Promise<boolean> => {
      const gateway = gateways[at] as FailoverStore;
      if (kind === 'charge') return (await gateway.charge([{ key: 'action', limit, seconds }])).ok;
      const slot = { key: 'slots', id: String(++requests), limit: 5, seconds: 60 };
      const { ok } = await gateway.admit({ owner: 'user', charges: [{ key: 'core', limit, seconds }], slot });
      if (ok) await gateway.release({ owner: 'user', slot, changes: [] });
      return ok;
    };
    return {
      clock,
      ask,
      away() {
        isAway = true;
      },
      back() {
        isAway = false;
      },
      lose() {
        shared = new MemoryRateLimitStore(clock.now);
        for (const local of locals) local.noteLoss();
      },
    };
  }

  const kinds = ['admit', 'charge'] as const;

  test.each(kinds)('%s: admit at most the limit together while it is there, in each window', async kind => {
    const { ask, clock } = installation();
    for (let window = 0; window < 3; window++) {
      let admitted = 0;
      for (let at = 0; at < 40; at++) if (await ask(at % gatewayCount, kind)) admitted++;
      expect({ window, admitted }).toEqual({ window, admitted: limit });
      clock.pass(seconds);
    }
  });

  test.each(kinds)(
    '%s: admit at most the limit for each gateway, whatever happens to it within a window',
    async kind => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom<string | number>('away', 'back', 'lose', 0, 1, 2), {
            minLength: 20,
            maxLength: 120,
          }),
          async events => {
            const { ask, away, back, lose, clock } = installation();
            const admitted = Array.from({ length: gatewayCount }, () => 0);
            for (const event of events) {
              if (event === 'away') away();
              else if (event === 'back') back();
              else if (event === 'lose') lose();
              else if (await ask(event as number, kind))
                admitted[event as number] = (admitted[event as number] ?? 0) + 1;
              clock.pass(0.05);
            }
            expect(Math.max(...admitted)).toBeLessThanOrEqual(limit);
          },
        ),
      );
    },
  );

  test('a caller that has used nothing since the loss is not refused in the next window', async () => {
    const { ask, clock, away, back, lose } = installation();
    for (let at = 0; at < limit; at++) expect(await ask(0, 'admit')).toBe(true);
    away();
    expect(await ask(0, 'admit')).toBe(false);
    lose();
    back();
    expect(await ask(0, 'admit')).toBe(false);
    clock.pass(seconds);
    for (let at = 0; at < limit; at++) expect(await ask(0, 'admit')).toBe(true);
    expect(await ask(0, 'admit')).toBe(false);
  });
});

withRedis('A rate limiter that is opened with a Redis', () => {
  test('uses it from its first request on, with no warning', async () => {
    const lines: string[] = [];
    const log = {
      warn: (_: object, message: string) => void lines.push(message),
      info: (_: object, message: string) => void lines.push(message),
    };
    const config = { RATE_LIMIT_FACTOR: 1, REDIS_URL: url };
    const read = (): never => {
      throw new Error('No quota is read.');
    };
    const limiters = [];
    for (let one = 0; one < 2; one++) {
      const limiter = await openRateLimiter({ config, clock: () => new Date(), log, read });
      stores.push(limiter);
      limiters.push(limiter);
    }
    const [first, second] = limiters;
    const counter = { ...charge, key: randomUUID() };
    expect(await first?.tryCharge([counter])).toEqual({ ok: true });
    // The second would count for itself if the first had found no connection.
    expect(await second?.tryCharge([counter])).toMatchObject({ ok: false });
    await first?.clear(counter.key);
    expect(lines).toEqual([]);
  });
});
