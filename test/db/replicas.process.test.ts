import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/database.ts';
import type { ReplicaState } from '../../src/db/replicas/replica.ts';
import { replicatedRead } from '../../src/db/replicas/replicated-read.ts';
import { Clone, remoteUrl } from '../git-http/git-client.ts';
import { createAccounts } from '../harness/accounts.ts';
import { type Answer, type TestGateway, type TestGatewayOptions, testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';
import { fillDatabase } from '../harness/migrated-database.ts';
import { hasPgBouncer, PgBouncer } from '../harness/pgbouncer.ts';
import { hasPostgresPrograms, PostgresServer } from '../harness/postgres-server.ts';

// biome-ignore lint/style/noProcessEnv: URL of the Redis server of the run; without it its tests are skipped.
const redisUrl = process.env.REDIS_URL;
const now = '2026-11-01T12:00:00Z';

/** Registered first: hooks run in the order of registration, and gateways stop before their servers. */
const gateways: TestGateway[] = [];
async function gatewayOn(primary: PostgresServer, options: TestGatewayOptions): Promise<TestGateway> {
  const started = await testGateway({
    databaseUrl: primary.url(),
    now,
    ...options,
    settings: { TRUST_PROXY: '1', MAX_REPLICA_LAG_MS: '60000', ...options.settings },
  });
  gateways.push(started);
  return started;
}

async function startWorld() {
  const primary = await PostgresServer.primary();
  await fillDatabase(primary.url(), now);
  const standby = await PostgresServer.standbyOf(primary, 'standby');
  const poolers = hasPgBouncer
    ? [await PgBouncer.start(primary.url(), 5), await PgBouncer.start(standby.url(), 5)]
    : undefined;
  const DATABASE_REPLICA_URLS = standby.url();
  const gateway = await gatewayOn(primary, { settings: { DATABASE_REPLICA_URLS } });
  const strict = await gatewayOn(primary, { settings: { DATABASE_REPLICA_URLS, MAX_REPLICA_LAG_MS: '500' } });
  const pair = redisUrl
    ? await Promise.all(
        [1, 2].map(() => gatewayOn(primary, { settings: { DATABASE_REPLICA_URLS, REDIS_URL: redisUrl } })),
      )
    : undefined;
  const pooled = poolers
    ? await gatewayOn(primary, {
        poolerPort: poolers[0]?.port ?? 0,
        settings: { DATABASE_REPLICA_URLS: `postgres://postgres@127.0.0.1:${poolers[1]?.port}/postgres` },
      })
    : undefined;
  const demo = await demoOf(gateway);
  return { primary, standby, poolers, gateway, strict, pair, pooled, token: demo.users.wren.classic_token };
}

const world = hasPostgresPrograms ? await startWorld() : undefined;
afterAll(async () => {
  if (!world) return;
  const { primary, standby, poolers = [] } = world;
  if (redisUrl) {
    const redis = new Redis(redisUrl);
    const [row] = await primary.query<{ id: string }>('select system_identifier::text as id from pg_control_system()');
    const keys = await redis.keys(`portico:wal-position:${row?.id} *`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  }
  for (const pooler of poolers) await pooler.stop();
  await standby.remove();
  await primary.remove();
});

async function until(isMet: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await isMet())) {
    if (Date.now() > end) throw new Error(`Not in time: ${isMet}`);
    await delay(20);
  }
}

const stateOf = ({ database }: TestGateway): ReplicaState | undefined => database.replicas?.replicas[0]?.state;

/** A replica reads for everybody who has written nothing. */
const isUsed = ({ database: { replicas } }: TestGateway): boolean => replicas?.choose('anybody', 0) !== undefined;

/** What keeps watch of the servers is counted on neither. */
const watching = /pg_is_in_recovery|pg_last_wal_replay_lsn|pg_current_snapshot|pg_backend_pid/;

/** Numbers of statements that each server got while `work` ran. */
async function counted(
  { sent }: TestGateway,
  { primary, standby }: NonNullable<typeof world>,
  work: () => Promise<unknown>,
) {
  const statements = (await sent(work)).filter(({ text }) => !watching.test(text));
  const to = (server: PostgresServer): number => statements.filter(({ port }) => port === server.port).length;
  return { primary: to(primary), standby: to(standby) };
}

/** Anonymous callers are told apart by their addresses. */
let addresses = 0;
const newAddress = (): string => `198.51.100.${++addresses}`;
const get = (
  gateway: TestGateway,
  path: string,
  address = newAddress(),
  headers: Record<string, string> = {},
): Promise<Answer> =>
  gateway.request(path, { headers: { 'user-agent': 'tests', 'x-forwarded-for': address, ...headers } });

let files = 0;
/** Writes a file by the contents API. Returns its path. */
async function writeFile(gateway: TestGateway, token: string): Promise<string> {
  const path = `/repos/harbor-lab/compass/contents/file-${++files}.txt`;
  const { status } = await call(gateway, 'PUT', path, `Bearer ${token}`, { message: 'A file', content: 'YQ==' });
  expect(status).toBe(201);
  return path;
}

const paused = async ({ standby }: NonNullable<typeof world>, work: () => Promise<void>): Promise<void> => {
  await standby.query('select pg_wal_replay_pause()');
  await until(
    async () =>
      (await standby.query<{ is: string }>('select pg_get_wal_replay_pause_state() as is'))[0]?.is === 'paused',
  );
  try {
    await work();
  } finally {
    await standby.query('select pg_wal_replay_resume()');
  }
};

(world ? describe : describe.skip)('Read replicas', () => {
  const it = world as NonNullable<typeof world>;
  const { gateway, strict, token, standby, primary } = it ?? {};
  const bearer = { authorization: `Bearer ${token}` };

  /** A token of a guest whose position the gateway knows, so that a replica may read for it. */
  async function knownGuest(on: TestGateway): Promise<string> {
    const started = await on.request('/api/v1/auth/guest/', {
      method: 'POST',
      headers: { 'x-forwarded-for': newAddress() },
    });
    expect(started.status).toBe(201);
    const access = String(started.json.access);
    expect((await me(on, access)).status).toBe(200);
    await until(async () => (await counted(on, it, () => me(on, access))).standby > 0);
    return access;
  }
  const me = (on: TestGateway, access: string): Promise<Answer> =>
    get(on, '/api/v1/auth/me/', newAddress(), { authorization: `Bearer ${access}` });

  test('read for anonymous callers and for callers with a credential; the primary authenticates and writes', async () => {
    await until(() => isUsed(gateway));
    for (const path of [
      '/api/v1/articles/?page_size=2',
      '/organizations',
      '/events',
      '/repos/harbor-lab/compass/commits',
    ]) {
      const { primary: onPrimary, standby: onStandby } = await counted(gateway, it, async () =>
        expect((await get(gateway, path)).status).toBe(200),
      );
      expect({ path, onPrimary, isOnStandby: onStandby > 0 }).toEqual({ path, onPrimary: 0, isOnStandby: true });
    }
    const query = await counted(gateway, it, async () =>
      expect(
        (await gateway.graphql('{ articles(first: 1) { nodes { headline } totalCount } }')).json.errors,
      ).toBeUndefined(),
    );
    expect(query).toMatchObject({ primary: 0 });
    expect(query.standby).toBeGreaterThan(0);
    const access = await knownGuest(gateway);
    const signedIn = await counted(gateway, it, () => me(gateway, access));
    expect(signedIn.standby).toBeGreaterThan(0);
    const write = await counted(gateway, it, () => writeFile(gateway, token));
    expect(write.standby).toBe(0);
  });

  test('are passed over for a caller whose last write they have not replayed', async () => {
    const other = await knownGuest(gateway);
    await until(() => isUsed(gateway));
    await paused(it, async () => {
      const path = await writeFile(gateway, token);
      const own = await counted(gateway, it, async () =>
        expect((await get(gateway, path, newAddress(), bearer)).status).toBe(200),
      );
      expect(own.standby).toBe(0);
      const { data } = await graphql(
        gateway,
        '{ repository(owner: "harbor-lab", name: "compass") { object(expression: "main") { oid } } }',
        token,
      );
      const { json } = await call(gateway, 'GET', '/repos/harbor-lab/compass/git/ref/heads/main', `Bearer ${token}`);
      expect(data.repository.object.oid).toBe(json.object.sha);
      // Everybody else still sees what the replica has.
      const others = await counted(gateway, it, async () => expect((await get(gateway, path)).status).toBe(404));
      expect(others).toMatchObject({ primary: 0 });
      expect((await me(gateway, other)).status).toBe(200);
    });
    await until(
      async () => (await counted(gateway, it, () => get(gateway, '/organizations', newAddress(), bearer))).standby > 0,
    );
  });

  test('are passed over for an address from which somebody has registered, and for an account until its position is known', async () => {
    await until(() => isUsed(gateway));
    await paused(it, async () => {
      const address = newAddress();
      const headers = { 'x-forwarded-for': address };
      const { json } = await gateway.request('/api/v1/auth/guest/', { method: 'POST', headers });
      expect((await counted(gateway, it, () => get(gateway, '/organizations', address))).standby).toBe(0);
      expect((await counted(gateway, it, () => get(gateway, '/organizations'))).primary).toBe(0);
      // From another address, as after a change of networks.
      expect((await me(gateway, json.access)).status).toBe(200);
    });
  });

  test('are passed over for each caller of a group commit', async () => {
    await until(() => isUsed(gateway));
    const people = await createAccounts(gateway, 3);
    for (const { access } of people)
      await until(async () => (await counted(gateway, it, () => me(gateway, access))).standby > 0);
    const [article] = (await get(gateway, '/api/v1/articles/?page_size=1')).json.results;
    await paused(it, async () => {
      const answers = await Promise.all(
        people.map(({ access }) =>
          gateway.request(`/api/v1/articles/${article.id}/like/`, {
            method: 'POST',
            headers: { authorization: `Bearer ${access}` },
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      for (const { access } of people) {
        const { json } = await get(gateway, `/api/v1/articles/${article.id}/`, newAddress(), {
          authorization: `Bearer ${access}`,
        });
        expect(json.is_liked).toBe(true);
      }
    });
  });

  test('do not take back what a caller has seen on the primary', async () => {
    const { juniper } = (await demoOf(gateway)).users;
    const other = { authorization: `Bearer ${juniper.classic_token}` };
    const reads = (): Promise<unknown> => get(gateway, '/organizations', newAddress(), other);
    await until(async () => (await counted(gateway, it, reads)).standby > 0);
    await paused(it, async () => {
      const path = await writeFile(gateway, token);
      expect((await get(gateway, path, newAddress(), other)).status).toBe(404);
      // A refused write has read on the primary and written nothing.
      const body = { message: 'Again', content: 'YQ==', sha: '0'.repeat(40) };
      const refused = await call(gateway, 'PUT', path, other.authorization, body);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect((await get(gateway, path, newAddress(), other)).status).toBe(200);
    });
  });

  test('answer polls with 304 while they have nothing new', async () => {
    await until(() => isUsed(gateway));
    const address = newAddress();
    const path = '/repos/harbor-lab/compass/events';
    const etag = (await get(gateway, path, address)).headers.get('etag') ?? '';
    const poll = (): Promise<Answer> => get(gateway, path, address, { 'if-none-match': etag });
    await paused(it, async () => {
      await writeFile(gateway, token);
      expect([(await poll()).status, (await poll()).status]).toEqual([304, 304]);
    });
    await until(async () => (await poll()).status === 200);
    expect((await poll()).status).toBe(200);
  });

  test('send the objects of a clone, and never lack what the refs announce', async () => {
    await until(() => isUsed(gateway));
    const url = remoteUrl(gateway.url, 'harbor-lab/compass', token);
    const sent = await gateway.sent(() => Clone.of(url));
    const ofPacks = sent.filter(({ text }) => text.includes('delta_size as "deltaSize"'));
    expect([...new Set(ofPacks.map(({ port }) => port))]).toEqual([standby.port]);
    await paused(it, async () => {
      const clone = await Clone.of(url);
      const head = await clone.commit({ 'pushed.txt': 'pushed' });
      await clone.run('push', '-q', 'origin', 'HEAD:main');
      const again = await Clone.of(remoteUrl(gateway.url, 'harbor-lab/compass'));
      expect(await again.run('rev-parse', 'HEAD')).toBe(head);
    });
  });

  test('that lag are left out until they have caught up', async () => {
    await until(() => isUsed(strict));
    let path = '';
    await paused(it, async () => {
      path = await writeFile(gateway, token);
      await until(() => stateOf(strict) === 'lagging');
      expect((await get(strict, path)).status).toBe(200);
      expect((await strict.request('/readyz')).status).toBe(200);
      const { text } = await strict.metrics();
      expect(text).toContain(`portico_replica_state{replica="127.0.0.1:${standby.port}",state="lagging"} 1`);
      expect(Number(/portico_replica_lag_bytes\{[^}]*\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(0);
      expect(Number(/portico_replica_lag_seconds\{[^}]*\} ([\d.]+)/.exec(text)?.[1])).toBeGreaterThan(0.5);
    });
    await until(() => isUsed(strict));
    const { primary: onPrimary } = await counted(strict, it, async () =>
      expect((await get(strict, path)).status).toBe(200),
    );
    expect(onPrimary).toBe(0);
  });

  test('a statement that a recovery conflict cancels is repeated on the primary', async () => {
    await until(() => isUsed(gateway));
    await standby.query('alter system set max_standby_streaming_delay = 0');
    await standby.query('select pg_reload_conf()');
    const { replicas, pools } = gateway.database;
    const session = replicas?.session('a conflict', { isKnown: false });
    if (!replicas || !session) throw new Error('There are no replicas.');
    const { anonymous } = pools;
    const usage = { databaseMicroseconds: 0 };
    const options = { replica: () => session.replica(), poolName: 'anonymous', primary: anonymous, usage } as const;
    const before = { ...replicas.counts };
    const read = replicatedRead({ session, ...options })(
      sql`select count(*)::int as count, max(pg_sleep(0.7)::text) from (select from category limit 1) one`,
    );
    await delay(100);
    // The replay of its lock cancels what reads the table.
    await primary.query('begin; lock table category in access exclusive mode; commit');
    expect(await read).toEqual([{ count: 1, max: '' }]);
    expect(replicas.counts).toEqual({
      primary: before.primary + 1,
      replica: before.replica + 1,
      repeated: before.repeated + 1,
    });
    expect(session.current).toBeUndefined();
    await standby.query('alter system reset max_standby_streaming_delay');
    await standby.query('select pg_reload_conf()');
  });

  test('statement timeouts of a replica are not repeated', async () => {
    await until(() => isUsed(gateway));
    const { replicas, pools } = gateway.database;
    const session = replicas?.session('a slow caller', { isKnown: false });
    if (!replicas || !session) throw new Error('There are no replicas.');
    const options = { replica: () => session.replica(), poolName: 'anonymous', primary: pools.anonymous } as const;
    const read = replicatedRead({ session, ...options, usage: { databaseMicroseconds: 0 } });
    const { repeated } = replicas.counts;
    await expect(read(sql`select pg_sleep(5)`)).rejects.toMatchObject({ code: '57014' });
    expect(replicas.counts.repeated).toBe(repeated);
  });

  /** Requests while `work` runs. Returns their statuses, each once. */
  async function statusesDuring(work: () => Promise<void>): Promise<number[]> {
    const statuses = new Set<number>();
    let isDone = false;
    const paths = ['/organizations', '/api/v1/articles/?page_size=2', '/repos/harbor-lab/compass/commits'];
    const loops = paths.map(async path => {
      while (!isDone) statuses.add((await get(gateway, path)).status);
    });
    try {
      await work();
    } finally {
      isDone = true;
      await Promise.all(loops);
    }
    return [...statuses];
  }

  test('that are killed or do not answer fail no request, and come back', async () => {
    for (const fail of [() => standby.stop(), async () => standby.hang()]) {
      await until(() => isUsed(gateway));
      const statuses = await statusesDuring(async () => {
        await fail();
        await until(() => stateOf(gateway) === 'unreachable');
        expect((await gateway.request('/readyz')).status).toBe(200);
      });
      expect(statuses).toEqual([200]);
      await standby.stop();
      expect(
        await statusesDuring(async () => {
          await standby.start();
          await until(() => isUsed(gateway));
        }),
      ).toEqual([200]);
      expect(await counted(gateway, it, () => get(gateway, '/organizations'))).toMatchObject({ primary: 0 });
    }
  });

  (it?.pair ? test : test.skip)(
    'two gateways with Redis: what is written through one is read through the other',
    async () => {
      const [one, other] = it.pair as [TestGateway, TestGateway];
      await until(() => isUsed(one) && isUsed(other));
      const access = await knownGuest(other);
      await until(
        async () => (await counted(other, it, () => get(other, '/organizations', newAddress(), bearer))).standby > 0,
      );
      await paused(it, async () => {
        const path = await writeFile(one, token);
        expect((await get(other, path, newAddress(), bearer)).status).toBe(200);
        expect((await get(other, path)).status).toBe(404);
        const headers = { authorization: `Bearer ${access}`, 'content-type': 'application/json' };
        await one.request('/api/v1/auth/me/', { method: 'PATCH', headers, body: '{"first_name":"Robin"}' });
        expect((await me(other, access)).json.first_name).toBe('Robin');
        const address = newAddress();
        await one.request('/api/v1/auth/guest/', { method: 'POST', headers: { 'x-forwarded-for': address } });
        expect((await counted(other, it, () => get(other, '/organizations', address))).standby).toBe(0);
      });
    },
  );

  (it?.pooled ? test : test.skip)('behind poolers, the same holds', async () => {
    const pooled = it.pooled as TestGateway;
    await until(() => isUsed(pooled));
    await knownGuestReads(pooled);
    await paused(it, async () => {
      const path = await writeFile(pooled, token);
      expect((await get(pooled, path, newAddress(), bearer)).status).toBe(200);
      expect((await get(pooled, path)).status).toBe(404);
    });
    await until(async () => readsOfReplica(pooled, () => get(pooled, '/organizations', newAddress(), bearer)));
  });
  async function readsOfReplica({ database }: TestGateway, work: () => Promise<unknown>): Promise<boolean> {
    const before = database.replicas?.counts.replica ?? 0;
    await work();
    return (database.replicas?.counts.replica ?? 0) > before;
  }
  async function knownGuestReads(on: TestGateway): Promise<void> {
    expect(await readsOfReplica(on, () => get(on, '/organizations'))).toBe(true);
  }

  test('a caller stays with one of several, and moves to another one while it is away', async () => {
    const second = await PostgresServer.standbyOf(primary, 'second');
    const both = await openDatabase({
      url: primary.url(),
      poolSize: 5,
      statementTimeoutMs: 10_000,
      replicas: { urls: [standby.url(), second.url()], maxLagMs: 60_000 },
    });
    try {
      const { replicas } = both;
      if (!replicas) throw new Error('There are no replicas.');
      const callers = Array.from({ length: 40 }, (_, at) => `caller ${at}`);
      const names = (): (string | undefined)[] => callers.map(caller => replicas.choose(caller, 0)?.name);
      await until(() => !names().includes(undefined));
      const before = names();
      expect(new Set(before).size).toBe(2);
      expect(names()).toEqual(before);
      await standby.stop();
      await until(() => !names().includes(`127.0.0.1:${standby.port}`));
      // Those of the other one have not moved meanwhile.
      expect(names().filter((_, at) => before[at] === `127.0.0.1:${second.port}`)).not.toContain(undefined);
      await until(() => !names().includes(undefined));
      expect(new Set(names())).toEqual(new Set([`127.0.0.1:${second.port}`]));
      await standby.start();
      await until(() => names().every((name, at) => name === before[at]));
    } finally {
      await both.close();
      await second.remove();
    }
  });

  test('of another database are left out', async () => {
    await primary.query('create database another');
    await until(async () => (await standby.query("select from pg_database where datname = 'another'")).length > 0);
    const both = await openDatabase({
      url: primary.url(),
      poolSize: 5,
      statementTimeoutMs: 10_000,
      replicas: { urls: [standby.url('another')], maxLagMs: 60_000 },
    });
    try {
      await until(() => both.replicas?.replicas[0]?.state === 'foreign');
    } finally {
      await both.close();
    }
  });

  test('that are promoted are left out', async () => {
    await until(() => isUsed(gateway));
    await standby.promote();
    await until(() => stateOf(gateway) === 'promoted');
    const { standby: onStandby } = await counted(gateway, it, async () =>
      expect((await get(gateway, '/organizations')).status).toBe(200),
    );
    expect(onStandby).toBe(0);
  });
});
