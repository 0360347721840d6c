import { request as httpRequest } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { sql } from 'kysely';
import { setPlanCommand } from '../../src/hosting/accounts/accounts.commands.ts';
import { CallerQuotas } from '../../src/limits/caller-quotas.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { appJwt, basic, call, demoOf } from '../harness/hosting.ts';

const settings = { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback', HOSTING_BRAND: 'github' };
const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', settings });
const off = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: 'off' } });
const demo = await demoOf(gateway);
const { juniper, wren, tomas } = demo.users;
const bearer = (token: string): string => `Bearer ${token}`;
const repo = '/repos/harbor-lab/compass';

/** Each anonymous caller has an IP address of its own. */
let addresses = 0;
const freshAddress = (): string => `198.51.100.${++addresses}`;
let address = freshAddress();
beforeEach(() => {
  address = freshAddress();
  // Rate limits of the previous test have expired.
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_600_000);
});

function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  const all = { 'user-agent': 'portico tests', 'x-forwarded-for': address, ...headers };
  return gateway.request(path, { method, headers: all, ...(body === undefined ? {} : { body }) });
}
const get = (path: string, headers?: Record<string, string>) => ask('GET', path, headers);
const as = (token: string) => ({ authorization: bearer(token) });
const windowOf = ({ headers }: Answer) =>
  ['limit', 'remaining', 'used', 'reset', 'resource'].map(name => headers.get(`x-ratelimit-${name}`));
const seconds = (): number => Math.ceil(gateway.clock.now.getTime() / 1000);
const none = [null, null, null, null, null];

describe('counted requests', () => {
  test('of anonymous callers: success, missing, wrong method, and 304', async () => {
    const reset = String(seconds() + 3600);
    const first = await get(repo);
    expect([first.status, ...windowOf(first)]).toEqual([200, '60', '59', '1', reset, 'core']);
    const etag = first.headers.get('etag') ?? '';
    const requests: [string, string, Record<string, string>, number][] = [
      ['GET', repo, { 'if-none-match': etag }, 304],
      ['HEAD', repo, {}, 200],
      ['GET', '/repos/nobody/nothing', {}, 404],
      ['GET', '/no/such/path', {}, 404],
      ['DELETE', '/versions', {}, 403],
    ];
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 1000);
    for (const [at, [method, path, headers, status]] of requests.entries()) {
      const answer = await ask(method, path, headers);
      const used = at + 2;
      expect([path, answer.status, ...windowOf(answer)]).toEqual([
        path,
        status,
        '60',
        String(60 - used),
        String(used),
        reset,
        'core',
      ]);
    }
    const unserved = await get('/user');
    expect([unserved.status, windowOf(unserved)[2]]).toEqual([403, String(requests.length + 1)]);
  });

  test('a 304 of an event feed is free for anonymous callers too', async () => {
    const first = await get('/events');
    const used = Number(windowOf(first)[2]);
    const tag = { 'if-none-match': first.headers.get('etag') ?? '' };
    // The second one comes from the cache of such answers.
    for (const at of [1, 2]) {
      const again = await ask('GET', '/events', tag);
      expect([at, again.status, Number(windowOf(again)[2])]).toEqual([at, 304, used]);
    }
    expect(Number(windowOf(await get('/events'))[2])).toBe(used + 1);
  });

  test('of users: all tokens together, and 304 is free', async () => {
    const first = await get(repo, as(juniper.classic_token));
    expect(windowOf(first).slice(0, 3)).toEqual(['5000', '4999', '1']);
    const fresh = { 'if-none-match': first.headers.get('etag') ?? '' };
    for (let at = 0; at < 3; at++) {
      const answer = await get(repo, { ...as(juniper.classic_token), ...fresh });
      expect([answer.status, ...windowOf(answer).slice(0, 3)]).toEqual([304, '5000', '4999', '1']);
    }
    const raw = { ...as(juniper.classic_token), accept: 'application/vnd.github.raw' };
    const file = await get(`${repo}/readme`, raw);
    expect([file.status, windowOf(file)[2]]).toEqual([200, '2']);
    const again = await get(`${repo}/readme`, { ...raw, 'if-none-match': file.headers.get('etag') ?? '' });
    expect([again.status, windowOf(again)[2]]).toEqual([304, '2']);
    expect(windowOf(await get('/user', as(juniper.fine_grained_token)))[2]).toBe('3');
    expect(windowOf(await get('/user', as(demo.tokens.oauth)))[2]).toBe('4');
    expect(windowOf(await get('/user', as(demo.tokens.user_to_server)))[2]).toBe('5');
    expect(windowOf(await get('/user', as(wren.classic_token)))[2]).toBe('1');
  });

  test('exclude preflights, apps as themselves, invalid credentials, and unknown paths with one', async () => {
    const preflight = await ask('OPTIONS', repo, {
      origin: 'https://a.example',
      'access-control-request-method': 'GET',
    });
    expect([preflight.status, ...windowOf(preflight)]).toEqual([204, ...none]);
    const app = await get('/app', { authorization: bearer(await appJwt(gateway, demo)) });
    expect([app.status, ...windowOf(app)]).toEqual([200, ...none]);
    const bad = await get(repo, as('nobodys'));
    expect([bad.status, ...windowOf(bad)]).toEqual([401, ...none]);
    const lost = await get('/no/such/path', as(juniper.classic_token));
    expect([lost.status, ...windowOf(lost)]).toEqual([404, ...none]);
    expect(windowOf(await get(repo))[2]).toBe('1');
    expect(windowOf(await get('/user', as(juniper.classic_token)))[2]).toBe('1');
  });

  test('of an unknown scheme count as anonymous, and /api/v3 as the root', async () => {
    expect(windowOf(await get(repo, { authorization: 'Digest x' }))[2]).toBe('1');
    expect(windowOf(await get(`/api/v3${repo}`))[2]).toBe('2');
  });
});

describe('GET /rate_limit', () => {
  const minute = ['search', 'dependency_snapshots', 'code_search', 'code_scanning_autofix'];

  test('returns all rate limits without counting, in the form of the version', async () => {
    await get(repo, as(tomas.classic_token));
    const reset = seconds() + 3600;
    const limits: Record<string, number> = {
      core: 5000,
      search: 30,
      graphql: 5000,
      integration_manifest: 5000,
      source_import: 100,
      code_scanning_autofix: 10,
      actions_runner_registration: 10_000,
      scim: 15_000,
      dependency_snapshots: 100,
      code_search: 10,
    };
    const used = (name: string): number => (name === 'core' ? 1 : 0);
    const resources = Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => [
        name,
        {
          limit,
          used: used(name),
          remaining: limit - used(name),
          reset: minute.includes(name) ? seconds() + 60 : reset,
        },
      ]),
    );
    for (let at = 0; at < 2; at++) {
      const answer = await get('/rate_limit', as(tomas.classic_token));
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ resources, rate: resources.core });
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(windowOf(answer)).toEqual(['5000', '4999', '1', String(reset), 'core']);
    }
    const newer = await get('/rate_limit', { ...as(tomas.classic_token), 'x-github-api-version': '2026-03-10' });
    expect(newer.json).toEqual({ resources });
  });

  test('is answered to an anonymous caller without remaining requests', async () => {
    for (let at = 0; at < 60; at++) await get('/versions');
    expect((await get('/versions')).status).toBe(403);
    const { status, json } = await get('/rate_limit');
    expect(status).toBe(200);
    expect(json.rate).toEqual({ limit: 60, used: 60, remaining: 0, reset: seconds() + 3600 });
    expect(json.resources.search.limit).toBe(10);
  });

  test('is not found when limits are disabled, and answers have no headers', async () => {
    const answer = await call(off, 'GET', '/rate_limit', bearer(juniper.classic_token));
    expect([answer.status, ...windowOf(answer)]).toEqual([404, ...none]);
    expect(answer.json).toEqual({
      message: 'Rate limiting is not enabled.',
      documentation_url: `${off.url}/docs/rest/rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user`,
      status: '404',
    });
  });
});

describe('too many requests', () => {
  test('of an anonymous caller are rejected until the hour ends', async () => {
    for (let at = 0; at < 60; at++) expect((await get('/versions')).status).toBe(200);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 600_000);
    for (const path of ['/versions', '/no/such/path']) {
      const answer = await get(path);
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual({
        message: `API rate limit exceeded for ${address}. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)`,
        documentation_url: `${gateway.url}/docs/rest/overview/resources-in-the-rest-api#rate-limiting`,
      });
      expect(windowOf(answer)).toEqual(['60', '0', '60', String(seconds() + 3000), 'core']);
      expect(answer.headers.get('retry-after')).toBe('3000');
    }
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_000_000);
    expect(windowOf(await get('/versions'))[2]).toBe('1');
  });

  test('with a token: first the points of a minute, then the hour, each in its published form', async () => {
    const workflow = as(demo.tokens.workflow);
    const times = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => get('/versions', workflow)));
        for (const { status } of answers) expect(status).toBe(200);
      }
    };
    const told: unknown[] = [];
    const tell =
      (kind: string) =>
      (retryAfter: number): boolean => {
        told.push([kind, retryAfter]);
        return false;
      };
    const client = new (Octokit.plugin(throttling))({
      baseUrl: gateway.url,
      userAgent: 'portico tests',
      auth: demo.tokens.workflow,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      throttle: { onRateLimit: tell('primary'), onSecondaryRateLimit: tell('secondary') },
    });
    await times(900);
    const secondary = await get('/versions', workflow);
    expect(secondary.status).toBe(403);
    expect(secondary.json).toEqual({
      message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      documentation_url: `${gateway.url}/docs/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits`,
      status: '403',
    });
    expect(windowOf(secondary).slice(0, 3)).toEqual(['1000', '100', '900']);
    expect(secondary.headers.get('retry-after')).toBe('60');
    await expect(client.request('GET /versions')).rejects.toMatchObject({ status: 403 });
    expect(told).toEqual([['secondary', 60]]);

    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    await times(100);
    const primary = await get('/versions', { ...workflow, 'x-request-id': '0123456789abcdef0123456789abcdef' });
    const [{ id } = { id: 0 }] = await gateway.database.read(
      sql<{ id: number }>`select id from repository where name = 'compass' order by id limit 1`,
    );
    const stamp = gateway.clock.now.toISOString().replace('T', ' ').slice(0, 19);
    expect(primary.json).toEqual({
      message: `API rate limit exceeded for repository ID ${id}. If you reach out to support for help, please include the request ID 0123:456789:ABCDEF0:1234567:89ABCDEF and timestamp ${stamp} UTC.`,
      documentation_url: `${gateway.url}/docs/rest/overview/resources-in-the-rest-api#rate-limiting`,
      status: '403',
    });
    expect(windowOf(primary)).toEqual(['1000', '0', '1000', String(seconds() + 3540), 'core']);
    told.length = 0;
    await expect(client.request('GET /versions')).rejects.toMatchObject({ status: 403 });
    expect(told).toEqual([['primary', expect.any(Number)]]);
  }, 180_000);

  test('that write: 80 created contents per minute, successful or not', async () => {
    const write = () => ask('PUT', '/repos/wren/nothing/contents/a', as(wren.classic_token), '{}');
    const answers = await Promise.all(Array.from({ length: 80 }, write));
    for (const { status } of answers) expect(status).toBe(404);
    const refused = await write();
    expect(refused.status).toBe(403);
    expect(refused.json.message).toBe(
      'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.',
    );
    expect(refused.headers.get('retry-after')).toBe('60');
    expect((await get('/user', as(wren.classic_token))).status).toBe(200);
  });

  test('concurrently: 100, and an aborted request frees its slot', async () => {
    const { client_id: id, client_secret: secret } = demo.oauth_app;
    const headers = { authorization: basic(id, secret), 'user-agent': 'portico tests' };
    const path = `/applications/${id}/token`;
    const hanging = Array.from({ length: 100 }, () => {
      const one = httpRequest(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-length': 9 },
      });
      one.on('error', () => {});
      one.flushHeaders();
      return one;
    });
    const refusedOrNot = async (): Promise<Answer> => ask('POST', path, headers, '{}');
    const until = async (status: number): Promise<Answer> => {
      for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
        const answer = await refusedOrNot();
        if (answer.status === status) return answer;
      }
      throw new Error(`Never answered ${status}.`);
    };
    const refused = await until(403);
    expect(refused.json.message).toMatch(/secondary rate limit/);
    expect(refused.headers.get('retry-after')).toBe('5');
    for (const one of hanging) one.destroy();
    await until(422);
  });
});

describe('the limit', () => {
  const allowances = () => new CallerQuotas(gateway.database.read, () => gateway.clock.now);
  const limitOf = async (authorization: string): Promise<string | undefined | null> =>
    windowOf(await get('/rate_limit', { authorization }))[0];
  const oauthApp = basic(demo.oauth_app.client_id, demo.oauth_app.client_secret);
  const all = [demo.tokens.installation, demo.tokens.workflow, demo.tokens.user_to_server, demo.tokens.oauth];
  const lines: string[] = [];
  const plan = (name: string) =>
    setPlanCommand(
      { login: 'Harbor-Lab', plan: name },
      { db: gateway.database.sql, now: gateway.clock.now, write: line => void lines.push(line) },
    );

  test('depends on the credential, and is higher for enterprise plans', async () => {
    const at = new Date('2026-10-01T08:20:00Z');
    gateway.clock.now = at;
    expect(await Promise.all([...all.map(bearer), oauthApp].map(limitOf))).toEqual([
      '5000',
      '1000',
      '5000',
      '5000',
      '5000',
    ]);
    await expect(plan('platinum')).rejects.toThrow('There is no plan platinum. There are free, enterprise.');
    await plan('enterprise');
    expect(lines).toEqual(['Harbor-Lab is on the plan enterprise. Limits follow within a minute.']);
    expect(await limitOf(bearer(demo.tokens.workflow))).toBe('1000');
    gateway.clock.now = new Date(at.getTime() + 60_000);
    expect(await Promise.all(all.slice(0, 3).map(bearer).map(limitOf))).toEqual(['15000', '15000', '15000']);
    // Requests that the user makes by other means do not count for an app.
    expect(await limitOf(bearer(juniper.classic_token))).toBe('5000');
    await plan('free');
  });

  test('of an installation grows with repositories and users', async () => {
    const installationId = demo.app.installation_id ?? 0;
    const { sql: db, read } = gateway.database;
    const [{ owner = 0, repositories = 0, people = 0 } = {}] = await read(sql<{
      owner: number;
      repositories: number;
      people: number;
    }>`select account_id as owner,
        (select count(*)::int from repository where owner_id = i.account_id) as repositories,
        (select count(*)::int from membership where organization_id = i.account_id) as people
      from installation i where id = ${installationId}`);
    await sql`insert into repository (owner_id, name, created_at, updated_at)
      select ${owner}, 'bulk-' || n, now(), now() from generate_series(1, ${25 - repositories}) n`.execute(db);
    await sql`with made as (insert into account (kind, login, created_at, updated_at)
        select 'user', 'bulk-' || n, now(), now() from generate_series(1, ${23 - people}) n returning id)
      insert into membership (organization_id, account_id, role, since)
      select ${owner}, id, 'member', now() from made`.execute(db);
    const actor = {
      kind: 'installation' as const,
      ip: '',
      installationId,
      appId: 1,
      accountId: owner,
      selection: 'all' as const,
      permissions: {},
      credential: { kind: 'installation' as const, id: 1, expiresAt: null },
    };
    await sql`update installation set repository_selection = 'all' where id = ${installationId}`.execute(db);
    expect(await allowances().of(actor)).toMatchObject({ perHour: 5000 + 5 * 50 + 3 * 50 });
    await sql`update installation set repository_selection = 'selected' where id = ${installationId}`.execute(db);
    expect(await allowances().of(actor)).toMatchObject({ perHour: 5000 + 3 * 50 });
  });
});
