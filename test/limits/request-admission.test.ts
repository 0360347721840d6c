import { describe, expect, test } from '@jest/globals';
import type { Actor } from '../../src/auth/actor.ts';
import type { Read } from '../../src/db/read.ts';
import type { AdmittedRequest, RefusedRequest } from '../../src/limits/admitted-request.ts';
import { CallerQuotas } from '../../src/limits/caller-quotas.ts';
import { CpuShares } from '../../src/limits/cpu-shares.ts';
import { MemoryRateLimitStore } from '../../src/limits/memory-store.ts';
import { RateLimiter } from '../../src/limits/rate-limiter.ts';
import type { RequestCost } from '../../src/limits/request-charges.ts';
import { installationHourlyLimit, resourceOfPath } from '../../src/limits/request-limit-tables.ts';
import { RequestUsage } from '../../src/limits/request-usage.ts';
import { FakeClock } from './rate-limit-store-conformance.ts';

const ann: Actor = { kind: 'anonymous', ip: '192.0.2.1' };
const user: Actor = {
  kind: 'user',
  ip: '192.0.2.1',
  accountId: 7,
  login: 'ann',
  isSiteAdmin: false,
  credential: { kind: 'classic', id: 1, expiresAt: null, scopes: [], ssoOrganizations: [] },
};
const nothing: Read = async () => [];

function world(factor = 1) {
  const clock = new FakeClock();
  let microseconds = 0;
  const store = new MemoryRateLimitStore(clock.now);
  const quotas = new CallerQuotas(nothing, clock.now);
  const limits = new RateLimiter({ store, quotas, factor, cpu: new CpuShares(() => microseconds) });
  limits.close();
  const admit = async (
    cost: Partial<RequestCost> = {},
    actor = user,
    usage = new RequestUsage(),
  ): Promise<AdmittedRequest | RefusedRequest> => {
    const quota = await limits.quotaOf(actor);
    const primary = { window: limits.windowOf(quota, 'core'), cost: 1 };
    return limits.admit(quota, { entryPoint: 'rest', endpoint: 'get', points: 1, content: 0, primary, ...cost }, usage);
  };
  const opened = async (cost?: Partial<RequestCost>, actor?: Actor, usage?: RequestUsage): Promise<AdmittedRequest> => {
    const one = await admit(cost, actor, usage);
    if ('refused' in one) throw new Error(`refused: ${one.refused}`);
    return one;
  };
  const refused = async (cost?: Partial<RequestCost>, actor?: Actor) => {
    const one = await admit(cost, actor);
    return 'refused' in one ? [one.refused, one.retryAfter] : 'admitted';
  };
  /** Admits and releases this number of requests. */
  const run = async (times: number, cost?: Partial<RequestCost>, actor?: Actor): Promise<void> => {
    for (let at = 0; at < times; at++) (await opened(cost, actor)).release();
  };
  const work = (seconds: number): void => {
    microseconds += seconds * 1_000_000;
  };
  return { clock, limits, opened, refused, run, work };
}

describe('The hour of a caller', () => {
  test('ends after the limit, and each request returns its state', async () => {
    const { clock, opened, run, refused } = world();
    const reset = Math.ceil(clock.milliseconds / 1000) + 3600;
    expect((await opened({}, ann)).state()).toEqual({ resource: 'core', limit: 60, used: 1, remaining: 59, reset });
    await run(58, {}, ann);
    expect((await opened({}, ann)).state()).toMatchObject({ used: 60, remaining: 0, reset });
    clock.pass(600);
    for (let at = 0; at < 5; at++) expect(await refused({}, ann)).toEqual(['primary', 3000]);
    clock.pass(3000);
    expect((await opened({}, ann)).state()).toMatchObject({ used: 1, reset: reset + 3600 });
  });

  test('refunds what a response did not need, and is separate per caller', async () => {
    const { opened } = world();
    const one = await opened({}, ann);
    expect(one.state(1)).toMatchObject({ used: 0, remaining: 60 });
    one.release(1);
    one.release(1);
    expect((await opened({}, ann)).state()).toMatchObject({ used: 1, remaining: 59 });
    expect((await opened({}, { kind: 'anonymous', ip: '192.0.2.2' })).state()).toMatchObject({ used: 1 });
  });

  test.each([
    ['the same address, IPv4-mapped', '::ffff:192.0.2.1', 2],
    ['another address', '192.0.2.9', 1],
  ])('of an address: %s', async (_, ip, used) => {
    const { opened } = world();
    await opened({}, ann);
    expect((await opened({}, { kind: 'anonymous', ip })).state()).toMatchObject({ used });
  });

  test('of IPv6 is that of a whole /64', async () => {
    const { opened } = world();
    const from = (ip: string) => opened({}, { kind: 'anonymous', ip });
    await from('2001:db8:1:2::1');
    expect((await from('2001:db8:1:2:ffff::9')).state()).toMatchObject({ used: 2 });
    expect((await from('2001:db8:1:3::1')).state()).toMatchObject({ used: 1 });
  });

  test('is not charged by reading its state', async () => {
    const { limits, opened } = world();
    const quota = await limits.quotaOf(user);
    const window = limits.windowOf(quota, 'graphql');
    for (let at = 0; at < 3; at++) expect(await limits.statesOf(quota, [window])).toMatchObject([{ used: 0 }]);
    expect((await opened({ primary: { window, cost: 3 } })).state()).toMatchObject({ used: 3, remaining: 4997 });
    expect(await limits.statesOf(quota, [window])).toMatchObject([{ used: 3, resource: 'graphql' }]);
  });

  test.each([
    [0, 0, 5000],
    [20, 20, 5000],
    [21, 20, 5050],
    [20, 23, 5150],
    [100, 90, 12_500],
    [169, 0, 12_450],
    [1000, 1000, 12_500],
  ])('of an installation on %i repositories of %i people is %i', (repositories, people, limit) => {
    expect(installationHourlyLimit(repositories, people)).toBe(limit);
  });

  test.each([
    ['/repos/{owner}/{repo}/import', 'source_import'],
    ['/repos/{owner}/{repo}/import/authors/{author_id}', 'source_import'],
    ['/repos/{owner}/{repo}/imports', 'core'],
    ['/user', 'core'],
  ])('counts %s in %s', (path, resource) => {
    expect(resourceOfPath(path)).toBe(resource);
  });
});

describe('Secondary limits', () => {
  test('are 900 points per minute and endpoint; a rejected request charges nothing', async () => {
    const { clock, opened, run, refused } = world();
    await run(180, { points: 5 });
    for (let at = 0; at < 20; at++) expect(await refused({ points: 5 })).toEqual(['secondary', 60]);
    expect((await opened({ endpoint: 'other' })).state()).toMatchObject({ used: 181 });
    clock.pass(60);
    await run(1, { points: 5 });
  });

  test('are 2,000 points per minute of GraphQL', async () => {
    const { run, refused } = world();
    const entryPoint = 'graphql';
    await run(400, { entryPoint, points: 5 });
    expect(await refused({ entryPoint, points: 1 })).toEqual(['secondary', 60]);
    await run(1);
  });

  test('are 100 concurrent requests, REST and GraphQL together', async () => {
    const { opened, refused } = world();
    const open: AdmittedRequest[] = [];
    for (let at = 0; at < 100; at++) open.push(await opened({ entryPoint: at % 2 ? 'rest' : 'graphql' }));
    expect(await refused()).toEqual(['secondary', 5]);
    expect(await refused({ entryPoint: 'graphql' })).toEqual(['secondary', 5]);
    open[0]?.release();
    await opened({ entryPoint: 'graphql' });
    expect(await refused()).toEqual(['secondary', 5]);
  });

  test('are 80 created objects per minute and 500 per hour, REST and GraphQL together', async () => {
    const { clock, run, refused } = world();
    const write = { content: 1, points: 5 };
    for (let minute = 0; minute < 6; minute++) {
      await run(40, write);
      await run(40, { ...write, entryPoint: 'graphql' });
      expect(await refused(write)).toEqual(['content', 60]);
      expect(await refused()).toBe('admitted');
      clock.pass(60);
    }
    await run(20, write);
    expect(await refused(write)).toEqual(['content', 3600 - 360]);
  });

  test('are 90 s of CPU in 60 s, of which 60 s for GraphQL', async () => {
    const { clock, opened, refused, work } = world();
    const took = async (entryPoint: 'rest' | 'graphql', seconds: number): Promise<void> => {
      const one = await opened({ entryPoint });
      work(seconds);
      one.release();
    };
    await took('graphql', 60);
    expect(await refused({ entryPoint: 'graphql' })).toEqual(['secondary', 60]);
    await took('rest', 29);
    await took('rest', 2);
    expect(await refused()).toEqual(['secondary', 60]);
    clock.pass(60);
    expect(await refused({ entryPoint: 'graphql' })).toBe('admitted');
  });

  const person: Actor = { ...ann, kind: 'person', userId: 7 } as unknown as Actor;

  test.each([
    ['database time', 'databaseMicroseconds', 15_000_000, 20_000_000, 60_000_000],
    ['bytes', 'bytesSent', 200_000_000, 300_000_000, 1_000_000_000],
  ] as const)(
    'are %s of a minute: less for an address than for a credential, at all entry points',
    async (_, key, address, account, credential) => {
      for (const [at, actor] of [ann, person, user].entries()) {
        const { clock, opened, refused } = world();
        const use = async (amount: number): Promise<void> => {
          const usage = new RequestUsage();
          const one = await opened({ entryPoint: at === 0 ? 'raw' : 'health' }, actor, usage);
          usage[key] += amount;
          one.release();
        };
        const limit = [address, account, credential][at] ?? 0;
        await use(limit - 1);
        expect(await refused({}, actor)).toBe('admitted');
        await use(1);
        for (const entryPoint of ['rest', 'health', 'graphql', 'websocket', 'raw', 'codeload', 'pages'] as const) {
          expect([entryPoint, await refused({ entryPoint }, actor)]).toEqual([entryPoint, ['secondary', 60]]);
        }
        clock.pass(60);
        expect(await refused({}, actor)).toBe('admitted');
      }
    },
  );

  test('are 20 s of CPU per IP address, of which 15 s for GraphQL; a download that waits for its client is charged no CPU', async () => {
    const { opened, refused, work } = world();
    const file = await opened({ entryPoint: 'raw' }, ann);
    const one = await opened({ entryPoint: 'graphql' }, ann);
    work(15);
    one.release();
    file.release();
    expect(await refused({ entryPoint: 'graphql' }, ann)).toEqual(['secondary', 60]);
    const rest = await opened({}, ann);
    work(5);
    rest.release();
    expect(await refused({}, ann)).toEqual(['secondary', 60]);
    expect(await refused({ entryPoint: 'pages' }, ann)).toEqual(['secondary', 60]);
  });

  test('are ten files and two archives concurrently, in addition to the hundred of the API', async () => {
    const { opened, refused } = world();
    for (let at = 0; at < 10; at++) await opened({ entryPoint: 'raw' });
    for (let at = 0; at < 2; at++) await opened({ entryPoint: 'codeload' });
    expect(await refused({ entryPoint: 'raw' })).toEqual(['secondary', 5]);
    expect(await refused({ entryPoint: 'codeload' })).toEqual(['secondary', 5]);
    expect(await refused()).toBe('admitted');
  });

  test('are multiplied by the factor of the installation', async () => {
    const { run, refused, opened } = world(2);
    expect((await opened()).state()).toMatchObject({ limit: 10_000 });
    await run(120, {}, ann);
    expect(await refused({}, ann)).toEqual(['primary', 3600]);
    await run(160, { content: 1 });
    expect(await refused({ content: 1 })).toEqual(['content', 60]);
    for (let at = 1; at < 200; at++) await opened({ entryPoint: 'graphql' });
    expect(await refused()).toEqual(['secondary', 5]);
  });
});

test('CPU time is divided evenly among active requests', () => {
  let now = 0;
  const shares = new CpuShares(
    () => now,
    () => now,
  );
  now = 100;
  const first = shares.enter();
  now = 200;
  const second = shares.enter();
  now = 400;
  expect(shares.leave(first)).toBe(200);
  now = 450;
  expect(shares.leave(second)).toBe(150);
  now = 1000;
  const third = shares.enter();
  now = 1007;
  expect(shares.leave(third)).toBe(7);
});

test('CPU time is read at intervals with many active requests, and none of it is lost', () => {
  let [used, now, readings] = [0, 0, 0];
  const shares = new CpuShares(
    () => {
      readings++;
      return used;
    },
    () => now,
  );
  const entered = [shares.enter(), shares.enter()];
  let charged = 0;
  for (let at = 0; at < 400; at++) {
    entered.push(shares.enter());
    used += 100;
    now += 0.1;
    charged += shares.leave(entered.shift() ?? 0);
  }
  for (const one of entered) charged += shares.leave(one);
  expect(Math.abs(charged - used)).toBeLessThan(entered.length + 400);
  expect(readings).toBeLessThan(20);
});

describe('An additional charge', () => {
  const windowNamed = (key: string, limit = 10) => ({ resource: key, key: `primary/${key}`, limit, seconds: 60 });

  test('is added to the window of the admission, all of it or nothing', async () => {
    const { opened } = world();
    const window = windowNamed('a');
    const one = await opened({ primary: { window, cost: 1 } });
    expect(await one.charge({ points: 0, content: 0, primary: { window, cost: 4 } })).toBeUndefined();
    expect(one.state()).toMatchObject({ used: 5 });
    expect(await one.charge({ points: 0, content: 0, primary: { window, cost: 6 } })).toMatchObject({
      refused: 'primary',
    });
    one.release(2);
    const next = await opened({ primary: { window, cost: 1 } });
    expect(next.state()).toMatchObject({ used: 4 });
    // A slow document is charged more after its execution.
    next.release(-3);
    expect((await opened({ primary: { window, cost: 1 } })).state()).toMatchObject({ used: 8 });
  });

  test('can move the request to another window, and the admission point is refunded at the end', async () => {
    const { opened } = world();
    const [first, second] = [windowNamed('a'), windowNamed('b')];
    const one = await opened({ primary: { window: first, cost: 1 } });
    await one.charge({ points: 1, content: 0, primary: { window: second, cost: 3 } });
    expect(one.state()).toMatchObject({ resource: 'b', used: 3 });
    expect((await opened({ primary: { window: first, cost: 1 } })).state()).toMatchObject({ used: 2 });
    one.release(1);
    expect((await opened({ primary: { window: first, cost: 1 } })).state()).toMatchObject({ used: 2 });
    expect((await opened({ primary: { window: second, cost: 1 } })).state()).toMatchObject({ used: 3 });
  });

  test('is also rejected by the points per minute', async () => {
    const { opened } = world();
    const window = windowNamed('a');
    const one = await opened({ entryPoint: 'graphql', points: 1, primary: { window, cost: 1 } });
    expect(await one.charge({ points: 2_000, content: 0, primary: undefined })).toMatchObject({ refused: 'secondary' });
    expect(await one.charge({ points: 1_999, content: 0, primary: undefined })).toBeUndefined();
  });
});
