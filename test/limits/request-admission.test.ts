import { describe, expect, jest, test } from '@jest/globals';
import type { Actor } from '../../src/auth/actor.ts';
import type { Read } from '../../src/db/read.ts';
import type { AdmittedRequest, RefusedRequest } from '../../src/limits/admitted-request.ts';
import { CallerQuotas } from '../../src/limits/caller-quotas.ts';
import { CpuShares } from '../../src/limits/cpu-shares.ts';
import { MemoryRateLimitStore } from '../../src/limits/memory-store.ts';
import { RateLimiter } from '../../src/limits/rate-limiter.ts';
import type { RequestCost } from '../../src/limits/request-charges.ts';
import { installationHourlyLimit, resourceOf } from '../../src/limits/request-limit-tables.ts';
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

function setUp(factor = 1) {
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
  const openRequest = async (
    cost?: Partial<RequestCost>,
    actor?: Actor,
    usage?: RequestUsage,
  ): Promise<AdmittedRequest> => {
    const admitted = await admit(cost, actor, usage);
    if ('refused' in admitted) throw new Error(`refused: ${admitted.refused}`);
    return admitted;
  };
  const outcome = async (cost?: Partial<RequestCost>, actor?: Actor) => {
    const admitted = await admit(cost, actor);
    return 'refused' in admitted ? [admitted.refused, admitted.retryAfter] : 'admitted';
  };
  /** Admits and releases this number of requests. */
  const admitTimes = async (times: number, cost?: Partial<RequestCost>, actor?: Actor): Promise<void> => {
    for (let at = 0; at < times; at++) (await openRequest(cost, actor)).release();
  };
  const work = (seconds: number): void => {
    microseconds += seconds * 1_000_000;
  };
  return { clock, limits, openRequest, outcome, admitTimes, work };
}

describe('The hour of a caller', () => {
  test('ends after the limit, and each request returns its state', async () => {
    const { clock, openRequest, admitTimes, outcome } = setUp();
    const reset = Math.ceil(clock.milliseconds / 1000) + 3600;
    expect((await openRequest({}, ann)).state()).toEqual({
      resource: 'core',
      limit: 60,
      used: 1,
      remaining: 59,
      reset,
    });
    await admitTimes(58, {}, ann);
    expect((await openRequest({}, ann)).state()).toMatchObject({ used: 60, remaining: 0, reset });
    clock.pass(600);
    for (let at = 0; at < 5; at++) expect(await outcome({}, ann)).toEqual(['primary', 3000]);
    clock.pass(3000);
    expect((await openRequest({}, ann)).state()).toMatchObject({ used: 1, reset: reset + 3600 });
  });

  test('refunds what a response did not need, and is separate per caller', async () => {
    const { openRequest } = setUp();
    const admitted = await openRequest({}, ann);
    expect(admitted.state(1)).toMatchObject({ used: 0, remaining: 60 });
    admitted.release(1);
    admitted.release(1);
    expect((await openRequest({}, ann)).state()).toMatchObject({ used: 1, remaining: 59 });
    expect((await openRequest({}, { kind: 'anonymous', ip: '192.0.2.2' })).state()).toMatchObject({ used: 1 });
  });

  test.each([
    ['the same address, IPv4-mapped', '::ffff:192.0.2.1', 2],
    ['another address', '192.0.2.9', 1],
  ])('of an address: %s', async (_, ip, used) => {
    const { openRequest } = setUp();
    await openRequest({}, ann);
    expect((await openRequest({}, { kind: 'anonymous', ip })).state()).toMatchObject({ used });
  });

  test('of IPv6 is that of a whole /64', async () => {
    const { openRequest } = setUp();
    const from = (ip: string) => openRequest({}, { kind: 'anonymous', ip });
    await from('2001:db8:1:2::1');
    expect((await from('2001:db8:1:2:ffff::9')).state()).toMatchObject({ used: 2 });
    expect((await from('2001:db8:1:3::1')).state()).toMatchObject({ used: 1 });
  });

  test('is not charged by reading its state', async () => {
    const { limits, openRequest } = setUp();
    const quota = await limits.quotaOf(user);
    const window = limits.windowOf(quota, 'graphql');
    for (let at = 0; at < 3; at++) expect(await limits.statesOf(quota, [window])).toMatchObject([{ used: 0 }]);
    expect((await openRequest({ primary: { window, cost: 3 } })).state()).toMatchObject({ used: 3, remaining: 4997 });
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
    ['PUT', '/repos/{owner}/{repo}/import', 'source_import'],
    ['GET', '/repos/{owner}/{repo}/import', 'core'],
    ['PATCH', '/repos/{owner}/{repo}/import/authors/{author_id}', 'core'],
    ['GET', '/user', 'core'],
  ])('counts %s %s in %s', (method, path, resource) => {
    expect(resourceOf({ method, path })).toBe(resource);
  });
});

describe('Secondary limits', () => {
  test('are 900 points per minute and endpoint; a rejected request charges nothing', async () => {
    const { clock, openRequest, admitTimes, outcome } = setUp();
    await admitTimes(180, { points: 5 });
    for (let at = 0; at < 20; at++) expect(await outcome({ points: 5 })).toEqual(['secondary', 60]);
    expect((await openRequest({ endpoint: 'other' })).state()).toMatchObject({ used: 181 });
    clock.pass(60);
    await admitTimes(1, { points: 5 });
  });

  test('are 2,000 points per minute of GraphQL', async () => {
    const { admitTimes, outcome } = setUp();
    const entryPoint = 'graphql';
    await admitTimes(400, { entryPoint, points: 5 });
    expect(await outcome({ entryPoint, points: 1 })).toEqual(['secondary', 60]);
    await admitTimes(1);
  });

  test('are 100 concurrent requests, REST and GraphQL together', async () => {
    const { openRequest, outcome } = setUp();
    const open: AdmittedRequest[] = [];
    for (let at = 0; at < 100; at++) open.push(await openRequest({ entryPoint: at % 2 ? 'rest' : 'graphql' }));
    expect(await outcome()).toEqual(['secondary', 5]);
    expect(await outcome({ entryPoint: 'graphql' })).toEqual(['secondary', 5]);
    open[0]?.release();
    await openRequest({ entryPoint: 'graphql' });
    expect(await outcome()).toEqual(['secondary', 5]);
  });

  test('are 80 created objects per minute and 500 per hour, REST and GraphQL together', async () => {
    const { clock, admitTimes, outcome } = setUp();
    const write = { content: 1, points: 5 };
    for (let minute = 0; minute < 6; minute++) {
      await admitTimes(40, write);
      await admitTimes(40, { ...write, entryPoint: 'graphql' });
      expect(await outcome(write)).toEqual(['content', 60]);
      expect(await outcome()).toBe('admitted');
      clock.pass(60);
    }
    await admitTimes(20, write);
    expect(await outcome(write)).toEqual(['content', 3600 - 360]);
  });

  test('are 90 s of CPU in 60 s, of which 60 s for GraphQL', async () => {
    const { clock, openRequest, outcome, work } = setUp();
    const took = async (entryPoint: 'rest' | 'graphql', seconds: number): Promise<void> => {
      const admitted = await openRequest({ entryPoint });
      work(seconds);
      admitted.release();
    };
    await took('graphql', 60);
    expect(await outcome({ entryPoint: 'graphql' })).toEqual(['secondary', 60]);
    await took('rest', 29);
    await took('rest', 2);
    expect(await outcome()).toEqual(['secondary', 60]);
    clock.pass(60);
    expect(await outcome({ entryPoint: 'graphql' })).toBe('admitted');
  });

  const person: Actor = { ...ann, kind: 'person', userId: 7 } as unknown as Actor;

  test.each([
    ['database time', 'databaseMicroseconds', 15_000_000, 20_000_000, 60_000_000],
    ['bytes', 'bytesSent', 200_000_000, 300_000_000, 1_000_000_000],
  ] as const)(
    'are %s of a minute: less for an address than for a credential, at all entry points',
    async (_, key, address, account, credential) => {
      for (const [at, actor] of [ann, person, user].entries()) {
        const { clock, openRequest, outcome } = setUp();
        const use = async (amount: number): Promise<void> => {
          const usage = new RequestUsage();
          const admitted = await openRequest({ entryPoint: at === 0 ? 'raw' : 'health' }, actor, usage);
          usage[key] += amount;
          admitted.release();
        };
        const limit = [address, account, credential][at] ?? 0;
        await use(limit - 1);
        expect(await outcome({}, actor)).toBe('admitted');
        await use(1);
        for (const entryPoint of [
          'rest',
          'health',
          'graphql',
          'websocket',
          'raw',
          'codeload',
          'git',
          'pages',
        ] as const) {
          expect([entryPoint, await outcome({ entryPoint }, actor)]).toEqual([entryPoint, ['secondary', 60]]);
        }
        clock.pass(60);
        expect(await outcome({}, actor)).toBe('admitted');
      }
    },
  );

  test('are 20 s of CPU per IP address, of which 15 s for GraphQL; a download that waits for its client is charged no CPU', async () => {
    const { openRequest, outcome, work } = setUp();
    const file = await openRequest({ entryPoint: 'raw' }, ann);
    file.wait();
    const admitted = await openRequest({ entryPoint: 'graphql' }, ann);
    work(15);
    admitted.release();
    file.release();
    expect(await outcome({ entryPoint: 'graphql' }, ann)).toEqual(['secondary', 60]);
    const rest = await openRequest({}, ann);
    work(5);
    rest.release();
    expect(await outcome({}, ann)).toEqual(['secondary', 60]);
    expect(await outcome({ entryPoint: 'pages' }, ann)).toEqual(['secondary', 60]);
  });

  test.each(['git', 'raw', 'events', 'codeload', 'pages', 'health'] as const)(
    'are charged while a request runs, at its end only the rest: %s',
    async entryPoint => {
      const { limits, openRequest, outcome, work } = setUp();
      const now = jest.spyOn(performance, 'now');
      const usage = new RequestUsage();
      const running = await openRequest({ entryPoint }, ann, usage);
      now.mockReturnValue(performance.now() + 5_000);
      work(9);
      usage.childCpuMicroseconds += 10_999_999;
      limits.chargeOpen();
      expect(await outcome({ entryPoint }, ann)).toBe('admitted');
      usage.childCpuMicroseconds += 1;
      limits.chargeOpen();
      limits.chargeOpen();
      expect(await outcome({ entryPoint }, ann)).toEqual(['secondary', 60]);
      // A waiting request pays for nobody else.
      running.wait();
      work(100);
      running.release();
      now.mockRestore();
    },
  );

  test('are ten files and two archives concurrently, in addition to the hundred of the API', async () => {
    const { openRequest, outcome } = setUp();
    for (let at = 0; at < 10; at++) await openRequest({ entryPoint: 'raw' });
    for (let at = 0; at < 2; at++) await openRequest({ entryPoint: 'codeload' });
    expect(await outcome({ entryPoint: 'raw' })).toEqual(['secondary', 5]);
    expect(await outcome({ entryPoint: 'codeload' })).toEqual(['secondary', 5]);
    expect(await outcome()).toBe('admitted');
  });

  test('are multiplied by the factor of the installation', async () => {
    const { admitTimes, outcome, openRequest } = setUp(2);
    expect((await openRequest()).state()).toMatchObject({ limit: 10_000 });
    await admitTimes(120, {}, ann);
    expect(await outcome({}, ann)).toEqual(['primary', 3600]);
    await admitTimes(160, { content: 1 });
    expect(await outcome({ content: 1 })).toEqual(['content', 60]);
    for (let at = 1; at < 200; at++) await openRequest({ entryPoint: 'graphql' });
    expect(await outcome()).toEqual(['secondary', 5]);
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
  for (const start of entered) charged += shares.leave(start);
  expect(Math.abs(charged - used)).toBeLessThan(entered.length + 400);
  expect(readings).toBeLessThan(20);
});

describe('An additional charge', () => {
  const windowNamed = (key: string, limit = 10) => ({ resource: key, key: `primary/${key}`, limit, seconds: 60 });

  test('is added to the window of the admission, all of it or nothing', async () => {
    const { openRequest } = setUp();
    const window = windowNamed('a');
    const admitted = await openRequest({ primary: { window, cost: 1 } });
    expect(await admitted.charge({ points: 0, content: 0, primary: { window, cost: 4 } })).toBeUndefined();
    expect(admitted.state()).toMatchObject({ used: 5 });
    expect(await admitted.charge({ points: 0, content: 0, primary: { window, cost: 6 } })).toMatchObject({
      refused: 'primary',
    });
    admitted.release(2);
    const next = await openRequest({ primary: { window, cost: 1 } });
    expect(next.state()).toMatchObject({ used: 4 });
    // A slow document is charged more after its execution.
    next.release(-3);
    expect((await openRequest({ primary: { window, cost: 1 } })).state()).toMatchObject({ used: 8 });
  });

  test('can move the request to another window, and the admission point is refunded at the end', async () => {
    const { openRequest } = setUp();
    const [first, second] = [windowNamed('a'), windowNamed('b')];
    const admitted = await openRequest({ primary: { window: first, cost: 1 } });
    await admitted.charge({ points: 1, content: 0, primary: { window: second, cost: 3 } });
    expect(admitted.state()).toMatchObject({ resource: 'b', used: 3 });
    expect((await openRequest({ primary: { window: first, cost: 1 } })).state()).toMatchObject({ used: 2 });
    admitted.release(1);
    expect((await openRequest({ primary: { window: first, cost: 1 } })).state()).toMatchObject({ used: 2 });
    expect((await openRequest({ primary: { window: second, cost: 1 } })).state()).toMatchObject({ used: 3 });
  });

  test('is also rejected by the points per minute', async () => {
    const { openRequest } = setUp();
    const window = windowNamed('a');
    const admitted = await openRequest({ entryPoint: 'graphql', points: 1, primary: { window, cost: 1 } });
    expect(await admitted.charge({ points: 2_000, content: 0, primary: undefined })).toMatchObject({
      refused: 'secondary',
    });
    expect(await admitted.charge({ points: 1_999, content: 0, primary: undefined })).toBeUndefined();
  });
});
