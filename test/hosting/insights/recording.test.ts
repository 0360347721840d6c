import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { hostingProduct } from '../../../rest-facade/hosting/product.ts';
import type { Actor } from '../../../src/auth/actor.ts';
import { openDatabase } from '../../../src/db/database.ts';
import type { ApiUsageActor } from '../../../src/hosting/insights/api-usage-actor.ts';
import { UsageRecorder } from '../../../src/hosting/insights/usage-recorder.ts';
import { type UsageBatch, writeUsage } from '../../../src/hosting/insights/write-usage.ts';
import { apiUsageCounter, routeTemplateOf } from '../../../src/server/api-usage.ts';
import { testDatabase, testGateway } from '../../harness/gateway.ts';
import { appJwt, basic, call, demoOf } from '../../harness/hosting.ts';
import { Program } from '../../harness/program.ts';
import { testSecret } from '../../harness/secret.ts';
import { classic, inOrder, type Kept, keptSince, until } from './usage.ts';

const start = '2026-10-01T08:20:00Z';
const gateway = await testGateway({ data: 'demo', now: start });
const url = await testDatabase('demo');
const ofProgram = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 10_000 });
afterAll(() => ofProgram.close());
const demo = await demoOf(gateway);
const quiet = { warn() {} };

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map(one => one.remove()));
});

interface Holder {
  kind: string;
  login: string | null;
  id: number;
  accountId: number | null;
  appId: number | null;
  oauthAppId: number | null;
  installationId: number | null;
}
const { rows: holders } = await sql<Holder>`
  select c.kind, a.login, c.id, c.account_id as "accountId", c.app_id as "appId", c.oauth_app_id as "oauthAppId",
    c.installation_id as "installationId"
  from host_credential c left join account a on a.id = c.account_id`.execute(gateway.database.sql);
const holder = (kind: string, login: string | null = null): Holder => {
  const found = holders.find(one => one.kind === kind && one.login === login);
  if (!found) throw new Error(`no ${kind} of ${login}`);
  return found;
};
const idOf = async (query: ReturnType<typeof sql<{ id: number }>>): Promise<number> =>
  (await query.execute(gateway.database.sql)).rows[0]?.id ?? 0;
const compass = await idOf(sql`select r.id from repository r join account a on a.id = r.owner_id
  where a.login = 'harbor-lab' and r.name = 'compass'`);
const lab = await idOf(sql`select id from account where login = 'harbor-lab'`);

/** All callers, with what they count as; undefined for those that are not counted. */
const callers: { token: string | undefined; counts: Pick<Kept, 'type' | 'actor' | 'user'> | undefined }[] = [
  ...(['wren', 'juniper'] as const).map(login => {
    const { id, accountId } = holder('classic', login);
    return { token: demo.users[login].classic_token, counts: { type: 'classic_pat', actor: id, user: accountId ?? 0 } };
  }),
  {
    token: demo.users.juniper.fine_grained_token,
    counts: {
      type: 'fine_grained_pat',
      actor: holder('fine_grained', 'juniper').id,
      user: holder('fine_grained', 'juniper').accountId ?? 0,
    },
  },
  {
    token: demo.tokens.oauth,
    counts: {
      type: 'oauth_app',
      actor: holder('oauth', 'juniper').oauthAppId ?? 0,
      user: holder('oauth', 'juniper').accountId ?? 0,
    },
  },
  {
    token: demo.tokens.user_to_server,
    counts: {
      type: 'user_to_server',
      actor: holder('user_to_server', 'juniper').appId ?? 0,
      user: holder('user_to_server', 'juniper').accountId ?? 0,
    },
  },
  {
    token: demo.tokens.installation,
    counts: { type: 'installation', actor: holder('installation').installationId ?? 0, user: 0 },
  },
  { token: demo.tokens.workflow, counts: { type: 'workflow', actor: compass, user: 0 } },
  { token: undefined, counts: undefined },
];

const query = `query Both($owner: String!) {
  organization(login: "harbor-lab") { name }
  repository(owner: $owner, name: "handbook") { name }
  again: repository(owner: "Harbor-Lab", name: "compass") { name }
}`;

/** Requests, with the organizations and routes they count for. */
const requests: { method: string; path: string; body?: unknown; counts: { org: string; route: string }[] }[] = [
  {
    method: 'GET',
    path: '/repos/harbor-lab/compass',
    counts: [{ org: 'harbor-lab', route: '/repositories/:repository_id' }],
  },
  {
    method: 'GET',
    path: '/repos/Harbor-Lab/COMPASS',
    counts: [{ org: 'harbor-lab', route: '/repositories/:repository_id' }],
  },
  {
    method: 'HEAD',
    path: `/api/v3/repositories/${compass}`,
    counts: [{ org: 'harbor-lab', route: '/repositories/:repository_id' }],
  },
  // A former name of a repository is answered with a redirect.
  {
    method: 'GET',
    path: '/repos/harbor-lab/needle',
    counts: [{ org: 'harbor-lab', route: '/repositories/:repository_id' }],
  },
  {
    method: 'GET',
    path: '/repos/harbor-lab/nothing-here',
    counts: [{ org: 'harbor-lab', route: '/repositories/:repository_id' }],
  },
  {
    method: 'GET',
    path: '/repos/northgate/handbook/contents/README.md',
    counts: [{ org: 'northgate', route: '/repositories/:repository_id/contents/:path' }],
  },
  {
    method: 'PUT',
    path: '/repos/harbor-lab/ledger/contents/a.txt',
    body: { message: 'no content' },
    counts: [{ org: 'harbor-lab', route: '/repositories/:repository_id/contents/:path' }],
  },
  // The path has no such method.
  {
    method: 'PATCH',
    path: '/orgs/harbor-lab',
    body: {},
    counts: [{ org: 'harbor-lab', route: '/organizations/:organization_id' }],
  },
  {
    method: 'GET',
    path: `/organizations/${lab}`,
    counts: [{ org: 'harbor-lab', route: '/organizations/:organization_id' }],
  },
  {
    method: 'GET',
    path: '/orgs/northgate/insights/api/summary-stats?min_timestamp=2026-10-01T00:00:00Z',
    counts: [{ org: 'northgate', route: '/organizations/:organization_id/insights/api/summary-stats' }],
  },
  { method: 'GET', path: '/users/harbor-lab', counts: [] },
  { method: 'GET', path: '/repos/juniper/notebook', counts: [] },
  { method: 'GET', path: '/orgs/wren', counts: [] },
  { method: 'GET', path: '/orgs/nobody-at-all', counts: [] },
  { method: 'GET', path: '/versions', counts: [] },
  { method: 'GET', path: '/no/such/path', counts: [] },
  { method: 'OPTIONS', path: '/repos/harbor-lab/compass', counts: [] },
  {
    method: 'POST',
    path: '/graphql',
    body: { query, variables: { owner: 'northgate' } },
    counts: [
      { org: 'harbor-lab', route: '/graphql' },
      { org: 'northgate', route: '/graphql' },
    ],
  },
  { method: 'POST', path: '/graphql', body: { query: '{ no such document' }, counts: [] },
];

test('the counts equal the request log', async () => {
  const many = 1_600;
  const log = new Map<string, Kept>();
  let number = 0;
  for (let minute = 0; minute < 4; minute++) {
    gateway.clock.now = new Date(Date.parse(start) + minute * 60_000 + 7_000);
    const asker = async (): Promise<void> => {
      while (number < (many * (minute + 1)) / 4) {
        // Both list lengths are coprime, so every caller makes every request.
        const at = number++;
        const request = requests[at % requests.length];
        const caller = callers[at % callers.length];
        if (!request || !caller) throw new Error('unreachable');
        const { token } = caller;
        const sent = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
        const { status } = await gateway.request(request.path, {
          method: request.method,
          headers: {
            'user-agent': 'portico tests',
            'content-type': 'application/json',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          ...sent,
        });
        expect(status).toBeLessThan(500);
        if (!caller.counts) continue;
        for (const { org, route } of request.counts) {
          const key = {
            org,
            minute: gateway.clock.now.toISOString().slice(0, 16).replace('T', ' '),
            ...caller.counts,
            method: request.method,
            route,
          };
          const text = JSON.stringify(key);
          const row = log.get(text) ?? { ...key, total: 0, limited: 0 };
          row.total++;
          log.set(text, row);
        }
      }
    };
    // One per pool connection: more would wait, and on a busy machine get 503.
    await Promise.all(Array.from({ length: 5 }, asker));
  }
  const expected = inOrder([...log.values()]);
  const sum = (rows: Kept[]): number => rows.reduce((total, row) => total + row.total, 0);
  const kept = await until(
    () => keptSince(gateway.database, start),
    rows => sum(rows) >= sum(expected),
  );
  expect(kept).toEqual(expected);
  expect(sum(kept)).toBeGreaterThan(many / 2);
}, 180_000);

test('requests of users without an organization, and of anonymous callers, are not counted', async () => {
  gateway.clock.now = new Date('2026-10-01T08:40:30Z');
  const path = '/repos/harbor-lab/compass';
  for (const authorization of [
    undefined,
    `Bearer ${await appJwt(gateway, demo)}`,
    basic(demo.oauth_app.client_id, demo.oauth_app.client_secret),
    'Bearer hostp_nonsense',
  ]) {
    await call(gateway, 'GET', path, authorization);
  }
  await call(gateway, 'GET', path, `Bearer ${demo.users.linh.classic_token}`);
  const kept = await until(
    () => keptSince(gateway.database, '2026-10-01T08:40:00Z'),
    rows => rows.length > 0,
  );
  expect(kept.map(({ type, total }) => ({ type, total }))).toEqual([{ type: 'classic_pat', total: 1 }]);
});

test('a request that a limit rejects counts as limited, whichever limit it was', async () => {
  const batches: UsageBatch[] = [];
  const recorder = new UsageRecorder({
    write: async batch => void batches.push(batch),
    clock: () => new Date(start),
    processId: randomUUID(),
    log: quiet,
  });
  const { resourceAliases } = hostingProduct({});
  const answered = apiUsageCounter(recorder, resourceAliases);
  const route = { path: '/repos/{owner}/{repo}', parameters: { owner: 'harbor-lab', repo: 'compass' } };
  const actor: Actor = {
    kind: 'installation',
    ip: '',
    installationId: 3,
    appId: 4,
    accountId: lab,
    selection: 'all',
    permissions: {},
    credential: { kind: 'installation', id: 5, expiresAt: null },
  };
  const codes = ['RATE_LIMITED', 'SECONDARY_RATE_LIMITED', 'THROTTLED', 'FORBIDDEN', 'NOT_FOUND', undefined];
  for (const code of codes) {
    const request = { method: 'GET', headers: {} } as never;
    const failure =
      code === undefined ? undefined : ({ kind: 'graph', code, status: 403, message: '', data: {} } as const);
    const response = { statusCode: failure?.status ?? 200 };
    answered({ request, response, route, context: { actor } } as never, failure);
  }
  await recorder.close();
  const second = Date.parse(start);
  expect(batches.flatMap(({ rows }) => rows)).toEqual([
    {
      target: { kind: 'login', value: 'harbor-lab' },
      actor: { type: 'installation', id: 3, userId: 0, integrationId: 4 },
      method: 'GET',
      route: '/repositories/:repository_id',
      minute: second,
      total: 6,
      limited: 3,
      clientErrors: 2,
      serverErrors: 0,
      lastRequest: second,
      lastLimited: second,
    },
  ]);
});

test.each([
  ['/repos/{owner}/{repo}/contents/{+path}', '/repositories/:repository_id/contents/:path'],
  ['/repositories/{place_id}/contents/{+path}', '/repositories/:repository_id/contents/:path'],
  ['/networks/{owner}/{repo}/events', '/networks/:repository_id/events'],
  ['/orgs/{org}', '/organizations/:organization_id'],
  ['/organizations/{place_id}/events', '/organizations/:organization_id/events'],
  ['/users/{username}/events/orgs/{org}', '/user/:user_id/events/orgs/:org'],
  ['/user/repos', '/user/repos'],
])('%s is published as %s', (path, published) => {
  expect(routeTemplateOf(path, hostingProduct({}).resourceAliases)).toBe(published);
});

describe('writing', () => {
  const actor: ApiUsageActor = classic(1, 1);
  const fact = (route: string, limited = false) =>
    ({
      target: { kind: 'login', value: 'harbor-lab' },
      actor,
      method: 'GET',
      route,
      limited,
      status: limited ? 429 : 200,
    }) as const;
  const totals = async (since: string) =>
    (await keptSince(gateway.database, since)).map(({ route, total, limited }) => ({ route, total, limited }));

  test('retries a batch whose answer was lost without counting twice; new counts wait', async () => {
    const since = '2026-10-05T00:00:00Z';
    const lose = ['before', 'after', 'after', undefined, 'before', undefined, undefined];
    const written: number[] = [];
    const recorder = new UsageRecorder({
      async write(batch) {
        const how = lose.shift();
        if (how === 'before') throw new Error('the connection is away');
        written.push(batch.sequence);
        await writeUsage(gateway.database, batch);
        if (how === 'after') throw new Error('the answer was lost');
      },
      clock: () => new Date(since),
      processId: randomUUID(),
      log: quiet,
    });
    const failing = (work: Promise<void>): Promise<boolean> =>
      work.then(
        () => false,
        () => true,
      );
    for (let count = 0; count < 5; count++) recorder.record(fact('/a'));
    expect(await failing(recorder.flush())).toBe(true);
    recorder.record(fact('/a', true));
    expect(await failing(recorder.flush())).toBe(true);
    expect(await totals(since)).toEqual([{ route: '/a', total: 5, limited: 0 }]);
    expect(await failing(recorder.flush())).toBe(true);
    expect(await failing(recorder.flush())).toBe(false);
    expect(await totals(since)).toEqual([{ route: '/a', total: 5, limited: 0 }]);
    expect(await failing(recorder.flush())).toBe(true);
    await recorder.close();
    expect(await totals(since)).toEqual([{ route: '/a', total: 6, limited: 1 }]);
    expect(written).toEqual([1, 1, 1, 2]);
  });

  test('counts a batch once when it is sent twice concurrently', async () => {
    const minute = Date.parse('2026-10-06T00:00:00Z');
    const rows = ['/a', '/b'].map(route => ({
      ...fact(route),
      minute,
      total: 3,
      limited: 1,
      clientErrors: 0,
      serverErrors: 0,
      lastRequest: minute,
      lastLimited: minute,
    }));
    const batch = { process: randomUUID(), sequence: 1, writtenAt: new Date(), rows };
    await Promise.all(Array.from({ length: 4 }, () => writeUsage(gateway.database, batch)));
    expect(await totals('2026-10-06T00:00:00Z')).toEqual([
      { route: '/a', total: 3, limited: 1 },
      { route: '/b', total: 3, limited: 1 },
    ]);
  });

  test('adds up concurrent counts of several gateways', async () => {
    const minute = Date.parse('2026-10-07T00:00:00Z');
    const routes = Array.from({ length: 200 }, (_, index) => `/route-${index}`);
    const row = (route: string) => ({
      ...fact(route),
      minute,
      total: 1,
      limited: 0,
      clientErrors: 0,
      serverErrors: 0,
      lastRequest: minute,
      lastLimited: null,
    });
    await Promise.all(
      [routes, routes.toReversed(), routes].map(async (some, index) => {
        const process = randomUUID();
        for (let sequence = 1; sequence <= 5; sequence++) {
          await writeUsage(gateway.database, {
            process,
            sequence,
            writtenAt: new Date(minute + index),
            rows: some.map(row),
          });
        }
      }),
    );
    const kept = await totals('2026-10-07T00:00:00Z');
    expect(kept).toHaveLength(200);
    expect(new Set(kept.map(({ total }) => total))).toEqual(new Set([15]));
  });

  test('limits the number of pending rows, and logs dropped ones', async () => {
    const warnings: object[] = [];
    let away = true;
    let arrived = 0;
    const recorder = new UsageRecorder({
      async write({ rows }) {
        if (away) throw new Error('away');
        arrived += rows.length;
      },
      clock: () => new Date(start),
      processId: randomUUID(),
      log: { warn: facts => void warnings.push(facts) },
    });
    for (let route = 0; route < 60_000; route++) recorder.record(fact(`/${route}`));
    await until(
      async () => warnings.length,
      count => count === 1,
    );
    away = false;
    await until(
      async () => warnings.length,
      count => count === 2,
    );
    await recorder.close();
    expect(arrived).toBe(55_000);
    expect(warnings[1]).toEqual({ lost: 5_000 });
  });
});

test('is complete when a process stops; a killed one loses at most its last second', async () => {
  const total = async (since: string): Promise<number> =>
    (await keptSince(ofProgram, since)).reduce((sum, row) => sum + row.total, 0);
  const answeredBy = async (
    end: 'SIGTERM' | 'SIGKILL',
  ): Promise<{ answered: number[]; ended: number; kept: number }> => {
    const program = new Program({ DATABASE_URL: url, SECRET_KEY: testSecret });
    programs.push(program);
    const [, address] = await program.printed(/GraphQL\s+(http:\S+)\/graphql/, 120_000);
    const since = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
    const before = await total(since);
    const headers = {
      'user-agent': 'portico tests',
      authorization: `Bearer ${demo.users.wren.classic_token}`,
    };
    const answered: number[] = [];
    // Half a second of tolerance for a timer and a statement on a busy machine, beside the second.
    const isOld = (at: number): boolean => at < Date.now() - 1_500;
    while (answered.filter(isOld).length <= 10) {
      const answer = await fetch(`${address}/repos/harbor-lab/compass`, { headers });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
      answered.push(Date.now());
    }
    program.signal(end);
    const ended = Date.now();
    await program.ended();
    return { answered, ended, kept: (await total(since)) - before };
  };
  const stopped = await answeredBy('SIGTERM');
  expect(stopped.kept).toBe(stopped.answered.length);
  const killed = await answeredBy('SIGKILL');
  const old = killed.answered.filter(at => at < killed.ended - 1_500).length;
  expect(killed.kept).toBeGreaterThanOrEqual(old);
  expect(killed.kept).toBeLessThanOrEqual(killed.answered.length);
  expect(old).toBeGreaterThan(10);
}, 300_000);
