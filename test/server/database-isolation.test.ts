import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { demoCredentials } from '../../seeds/health/people.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import type { PoolName } from '../../src/db/pool-limits.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { send } from '../harness/people.ts';
import { testSecret } from '../harness/secret.ts';

// Statements of authenticated callers time out after two seconds here, those of anonymous callers after one second as usual.
const gateway = await testGateway({ logLevel: 'warn', settings: { STATEMENT_TIMEOUT_MS: '2000' } });
const demo = await demoOf(gateway);
const { amira, benedikt } = demoCredentials(deriveKeys(readConfig({ SECRET_KEY: testSecret })));
const logIn = (person: { email: string; password: string }): Promise<Answer> =>
  send(gateway, 'POST', '/auth/login/', person);
const { access } = (await logIn(amira)).json;
const wren = `Bearer ${demo.users.wren.classic_token}`;
const goals = '/health/goals/';

const anonymous = {
  health: () => send(gateway, 'GET', '/articles/'),
  hosting: () => call(gateway, 'GET', '/events'),
  graphql: () => gateway.graphql('{ articles { nodes { id } } }'),
  media: () => gateway.request('/media/6f0c2b1e-3c8a-4c55-9d6e-0a3f5b7c9d11'),
  raw: () => call(gateway, 'GET', `/raw/${demo.repositories[0]}/main/README.md`),
};
type EntryPoint = keyof typeof anonymous;

const signedIn: Record<string, () => Promise<Answer>> = {
  'reads of the health product': () => send(gateway, 'GET', '/auth/me/', undefined, access),
  'reads of hosting': () => call(gateway, 'GET', '/user', wren),
  'a log-in': () => logIn(benedikt),
  'a log-in by GraphQL': () =>
    gateway.graphql('mutation ($input: OpenHealthSessionInput!) { openHealthSession(input: $input) { accessToken } }', {
      input: { email: benedikt.email, password: benedikt.password },
    }),
  'a guest': () => send(gateway, 'POST', '/auth/guest/'),
  'a write': () => send(gateway, 'POST', goals, { goal_type: 'steps', target_value: 9000 }, access),
};

/**
 * Holds a lock that blocks all connections of a pool: forty clients repeat a request that waits for the lock until `work` is
 * done. Returns their responses.
 */
async function whileBusy(
  pool: PoolName,
  lock: string,
  request: () => Promise<Answer>,
  work: () => Promise<void>,
): Promise<Answer[]> {
  const locker = new pg.Client(gateway.databaseUrl);
  await locker.connect();
  try {
    await locker.query(`begin; lock table ${lock}`);
    let isDone = false;
    const clients = Array.from({ length: 40 }, async () => {
      const answers = [await request()];
      while (!isDone) answers.push(await request());
      return answers;
    });
    const all = gateway.database.pools[pool].state.max;
    const deadline = Date.now() + 10_000;
    for (let blocked = 0; blocked < all; ) {
      if (Date.now() > deadline) throw new Error(`${blocked} connections of ${pool} wait for ${lock}.`);
      // Within a transaction pg_stat_activity is a snapshot.
      await locker.query('select pg_stat_clear_snapshot()');
      const { rows } = await locker.query(
        `select count(*)::int as n from pg_stat_activity
          where application_name = $1 and wait_event_type = 'Lock' and datname = current_database()`,
        [`portico ${pool}`],
      );
      blocked = rows[0].n;
    }
    await work().finally(() => {
      isDone = true;
    });
    return (await Promise.all(clients)).flat();
  } finally {
    await locker.end();
  }
}

function expectUnavailable(entryPoint: EntryPoint, { status, headers, json }: Answer): void {
  expect({ entryPoint, status, retry: Number(headers.get('retry-after')) > 0 }).toEqual({
    entryPoint,
    status: 503,
    retry: true,
  });
  const detail = expect.any(String);
  if (entryPoint === 'health') expect(json).toEqual({ detail, code: 'service_unavailable' });
  else if (entryPoint === 'graphql') expect(json.errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE');
  else expect(json).toMatchObject({ code: 'unavailable', message: detail, status: '503' });
}

const expectNoDefect = (): void => {
  expect(gateway.lines.filter(line => JSON.parse(line).level > 40)).toEqual([]);
};

describe('while slow statements hold all connections of anonymous reads', () => {
  test.each<[EntryPoint, string]>([
    ['health', 'article'],
    ['graphql', 'article'],
    ['hosting', 'event'],
    ['media', 'media'],
    ['raw', 'git_ref'],
  ])('of %s, authenticated requests succeed', async (entryPoint, table) => {
    const rejected = await whileBusy(
      'anonymous',
      `${table} in access exclusive mode`,
      anonymous[entryPoint],
      async () => {
        for (const [what, request] of Object.entries(signedIn)) {
          const { status, json } = await request();
          expect({ what, served: status < 300, errors: json.errors }).toEqual({
            what,
            served: true,
            errors: undefined,
          });
        }
      },
    );
    for (const response of rejected) expectUnavailable(entryPoint, response);
    expectNoDefect();
  });
});

test('slow authenticated reads do not block anonymous reads, logins and writes', async () => {
  const slow = () => send(gateway, 'GET', goals, undefined, access);
  const rejected = await whileBusy('signedIn', 'health_goal in access exclusive mode', slow, async () => {
    expect((await anonymous.health()).status).toBe(200);
    expect((await anonymous.hosting()).status).toBe(200);
    const { status, json } = await logIn(benedikt);
    expect(status).toBe(201);
    const written = await send(gateway, 'PATCH', '/auth/me/', { about_me: 'Walks.' }, json.access);
    expect(written.status).toBe(200);
  });
  for (const response of rejected) expectUnavailable('health', response);
  expectNoDefect();
});

test('slow writes do not block reads', async () => {
  const slow = () => send(gateway, 'POST', goals, { goal_type: 'steps', target_value: 1 }, access);
  // SHARE mode allows reads of the table.
  const rejected = await whileBusy('write', 'health_goal in share mode', slow, async () => {
    expect((await anonymous.health()).status).toBe(200);
    expect((await send(gateway, 'GET', goals, undefined, access)).status).toBe(200);
    expect((await call(gateway, 'GET', '/user', wren)).status).toBe(200);
    expect((await gateway.request('/readyz')).status).toBe(200);
  });
  for (const response of rejected) expectUnavailable('health', response);
  expectNoDefect();
});

describe('when the queue for a connection is full', () => {
  test('the next request is rejected at once, in the error format of its API', async () => {
    const pool = gateway.database.pools.anonymous;
    const connections = await Promise.all(Array.from({ length: pool.state.max }, () => pool.acquire()));
    const waiting = Array.from({ length: 500 }, () => pool.read(sql`select 1`).catch(() => {}));
    const { queueFull } = pool.state.refused;
    try {
      for (const [entryPoint, request] of Object.entries(anonymous))
        expectUnavailable(entryPoint as EntryPoint, await request());
      expect(pool.state.refused.queueFull).toBeGreaterThanOrEqual(queueFull + Object.keys(anonymous).length);
      const { json } = await anonymous.graphql();
      expect(json.errors[0].extensions).toEqual({ code: 'SERVICE_UNAVAILABLE', reason: 'database_busy' });
    } finally {
      for (const connection of connections) connection.release();
      await Promise.all(waiting);
    }
    expect((await anonymous.health()).status).toBe(200);
    expectNoDefect();
  });

  test('the metrics and the log show it', async () => {
    const { text } = await gateway.metrics();
    expect(text).toMatch(/^portico_database_refused_total\{pool="anonymous",reason="queue_full"\} [1-9]/m);
    expect(text).toMatch(/^portico_database_connections\{pool="write",state="max"\} 2$/m);
    expect(text).toMatch(/^portico_database_waiting\{pool="signedIn"\} 0$/m);
  });
});
