import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { pageButtons } from '../../src/server/page-buttons.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const settings = { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' };
const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z', settings });
const demo = await demoOf(gateway);
const token = demo.users.juniper.classic_token;

let addresses = 0;
let address = '';
beforeEach(() => {
  address = `203.0.113.${++addresses}`;
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_600_000);
});

const from = (path: string, init: RequestInit = {}): Promise<Answer> =>
  gateway.request(path, {
    ...init,
    headers: { 'user-agent': 'portico tests', 'x-forwarded-for': address, ...(init.headers as object) },
  });
const query = (text: string, headers: Record<string, string> = {}): Promise<Answer> =>
  from('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: text }),
  });
const times = async (count: number, ask: (at: number) => Promise<Answer>): Promise<number[]> =>
  (await Promise.all(Array.from({ length: count }, (_, at) => ask(at)))).map(({ status }) => status);
const cheap = '{ articles(first: 1) { nodes { id } } }';
const wait = (seconds: number): void => {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + seconds * 1000);
};

describe('A rejected GraphQL request', () => {
  const conflicts = `{ article(databaseId: 1) { ${'a: id a: headline '.repeat(300)} } }`;

  test('is rejected before its body is read, with any body', async () => {
    expect(new Set(await times(60, () => query(cheap)))).toEqual(new Set([200]));
    const bodies = [conflicts, '{', '{ __typename }', `{ ${'__typename '.repeat(3_000)}}`];
    for (const text of bodies) {
      const { status, json, headers } = await query(text);
      expect([status, json.errors[0].extensions.code, headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '60']);
    }
    const broken = await from('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{]',
    });
    expect(broken.status).toBe(429);
    const large = await from('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: `#${'x'.repeat(3_000_000)}` }),
    });
    expect(large.status).toBe(429);
    expect((await from(`/graphql?query=%7B__typename%7D`)).status).toBe(429);
    wait(60);
    expect((await query('{ __typename }')).status).toBe(200);
  });

  test('includes one with an invalid credential, charged to its IP address', async () => {
    const bad = { authorization: 'Bearer nonsense' };
    expect(new Set(await times(60, () => query(conflicts, bad)))).toEqual(new Set([400]));
    expect((await query(conflicts, bad)).status).toBe(429);
    expect((await query('{ __typename }', { authorization: 'Bearer hostp_nobodys' })).status).toBe(429);
  });

  test('includes a document of hosting fields, while a page is still served', async () => {
    const hosting = '{ repository(owner: "harbor-lab", name: "compass") { name nonsense } }';
    expect(new Set(await times(60, () => query(hosting)))).toEqual(new Set([400]));
    expect((await query(hosting)).status).toBe(429);
    const page = await from('/graphql', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('is not admitted as a page', async () => {
    expect(new Set(await times(60, () => query(cheap)))).toEqual(new Set([200]));
    for (const accept of [
      'text/html;q=0.5, application/json',
      'text/html;q=0.5, application/graphql-response+json',
      '*/*',
    ]) {
      const answer = await from('/graphql?query=%7B__typename%7D', { headers: { accept } });
      expect([accept, answer.text.includes('"Query"')]).toEqual([accept, false]);
      expect(answer.status).toBe(429);
    }
    const page = await from('/graphql?query=%7B__typename%7D', {
      headers: { accept: 'multipart/mixed; deferSpec=20220824, text/html' },
    });
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).not.toContain('"Query"');
  });
});

describe('A GraphQL document that cannot be executed', () => {
  test.each([
    ['a syntax error', '{ viewer {'],
    ['a validation error', '{ nonsense }'],
    [
      'too expensive',
      '{ viewer { repositories(first: 100) { nodes { owner { repositories(first: 100) { nodes { owner { repositories(first: 100) { nodes { name } } } } } } } } } }',
    ],
  ])('keeps its point: %s', async (_, text) => {
    const before = (await query('{ viewer { login } }', { authorization: `Bearer ${token}` })).json.extensions.cost
      .used;
    const failed = await query(text, { authorization: `Bearer ${token}` });
    expect([failed.status, failed.json.extensions.cost.used > before]).toEqual([400, true]);
    const after = (await query('{ viewer { login } }', { authorization: `Bearer ${token}` })).json.extensions.cost.used;
    expect(after).toBeGreaterThanOrEqual(before + 2);
  });

  test('and an operation of hosting fields refunds its point in the minute of the health API', async () => {
    expect(new Set(await times(50, () => query('{ user(login: "juniper") { login } }')))).toEqual(new Set([200]));
    const { json } = await query('{ articles(first: 1) { nodes { id } } }');
    expect(json.extensions.cost).toMatchObject({ limit: 60, used: 1 });
  });
});

describe('The health API', () => {
  const login = () =>
    from('/api/v1/auth/login/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: `nobody-${address}@example.org`, password: 'guess' }),
    });
  const post = (path: string, body: object) =>
    from(`/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('lets an IP address log in, renew and register after it has used up its reads', async () => {
    expect((await times(61, () => from('/api/v1/articles/'))).filter(status => status === 429)).toHaveLength(1);
    expect((await from('/api/v1/articles/')).status).toBe(429);
    expect((await login()).status).toBe(401);
    expect((await post('/auth/token/refresh/', { refresh: 'x' })).status).toBe(401);
    for (const path of ['/auth/register/', '/auth/activate/', '/auth/password/reset/confirm/']) {
      expect([path, (await post(path, {})).status]).toEqual([path, 400]);
    }
  });

  test('lets an IP address read after too many logins', async () => {
    const statuses = await times(61, () => post('/auth/token/refresh/', { refresh: 'x' }));
    expect(statuses.filter(status => status === 429)).toHaveLength(1);
    expect((await from('/api/v1/articles/')).status).toBe(200);
  });

  test('charges invalid credentials and unknown paths to the IP address, separately from its reads', async () => {
    const bad = { headers: { authorization: 'Bearer nonsense' } };
    const statuses = await times(62, () => from('/api/v1/articles/', bad));
    expect([
      statuses.filter(status => status === 401).length,
      statuses.filter(status => status === 429).length,
    ]).toEqual([60, 2]);
    expect((await from('/api/v1/articles/')).status).toBe(200);
    expect((await times(60, () => from('/api/v1/nothing/'))).filter(status => status === 429)).toHaveLength(1);
    wait(60);
    // Unknown paths do not reveal whether the credential is valid, and share the counter of invalid ones.
    expect((await times(61, () => from('/api/v1/nothing/', bad))).filter(status => status === 429)).toHaveLength(1);
  });
});

test('Unknown paths of the code hosting API are charged to the IP address, with any credential', async () => {
  const headers = { authorization: `Bearer ${token}` };
  for (let at = 0; at < 900; at += 100) {
    expect(new Set(await times(100, () => from('/no/such/path', { headers })))).toEqual(new Set([404]));
  }
  expect((await from('/no/such/path', { headers })).status).toBe(403);
  expect((await from('/user', { headers })).status).toBe(200);
}, 60_000);

describe('Downloads', () => {
  const raw = '/raw/harbor-lab/compass/main/README.md';
  const archive = '/codeload/harbor-lab/compass/legacy.zip/main';
  const windowOf = ({ headers }: Answer) => [headers.get('x-ratelimit-used'), headers.get('x-ratelimit-resource')];

  test('are charged to the hour of the IP address and rejected when it is used up', async () => {
    const first = await from(raw);
    expect([first.status, ...windowOf(first)]).toEqual([200, '1', 'core']);
    const again = await from(raw, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect([again.status, ...windowOf(again)]).toEqual([304, '2', 'core']);
    expect(windowOf(await from('/raw/harbor-lab/compass/main/nothing'))).toEqual(['3', 'core']);
    expect(windowOf(await from(archive, { method: 'HEAD' }))).toEqual(['4', 'core']);
    for (let at = 4; at < 60; at++) await from('/versions');
    for (const path of [
      raw,
      archive,
      `${archive}?token=x`,
      `${raw}?token=x`,
      '/codeload/harbor-lab/compass/nothing/main',
    ]) {
      const refused = await from(path);
      expect([path, refused.status]).toEqual([path, 403]);
      expect(refused.json.message).toContain(`API rate limit exceeded for ${address}.`);
      expect(refused.headers.get('retry-after')).toBe('3600');
    }
    expect((await from(raw, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  });

  test('with a credential are not charged for a 304', async () => {
    const headers = { authorization: `Bearer ${demo.users.wren.classic_token}` };
    const first = await from(raw, { headers });
    const tag = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect(windowOf(await from(raw, { headers: { ...headers, ...tag } }))).toEqual(windowOf(first));
    const zip = await from(archive, { method: 'HEAD', headers });
    const fresh = await from(archive, { headers: { ...headers, 'if-none-match': zip.headers.get('etag') ?? '' } });
    expect([fresh.status, ...windowOf(fresh)]).toEqual([304, '2', 'core']);
  });

  test('of one caller: at most two archives and ten files concurrently', async () => {
    const lock = await gateway.database.sql.connection().execute(async connection => {
      await sql`begin`.execute(connection);
      await sql`lock table git_object, repository, account in access exclusive mode`.execute(connection);
      const archives = times(5, () => from(archive));
      const files = times(14, () => from(raw));
      // The rejected requests get a response while the others wait for the lock.
      const refused = await Promise.all([
        from(archive).then(({ status, json }) => [status, json.message]),
        from(raw).then(({ status }) => status),
      ]);
      await sql`rollback`.execute(connection);
      return { refused, archives: await archives, files: await files };
    });
    expect(lock.refused).toEqual([[403, expect.stringContaining('secondary rate limit')], 403]);
    expect(lock.archives.filter(status => status === 200)).toHaveLength(2);
    expect(lock.files.filter(status => status === 200)).toHaveLength(10);
    expect((await from(archive)).status).toBe(200);
  });
});

/** A request of each path whose handler charges its requests itself, by the path of its step. */
const ownRequests: ReadonlyMap<string, [path: string, init?: RequestInit]> = new Map<string, [string, RequestInit?]>([
  ['/raw', ['/raw/harbor-lab/compass/main/README.md']],
  ['/codeload', ['/codeload/harbor-lab/compass/legacy.zip/main']],
  ['/login', ['/login']],
  ...pageButtons.map(({ path }): [string, [string, RequestInit]] => [path, [path, { method: 'POST' }]]),
]);

/** Git, and the contracts and pages, which the table of steps does not list by path. */
const otherRequests = [
  '/',
  '/versions',
  '/repos/harbor-lab/compass',
  '/no/such/path',
  '/api/v1/articles/',
  '/harbor-lab/compass.git/info/refs?service=git-upload-pack',
  '/harbor-lab/compass.git/HEAD',
];

test('Every entry point has a limit: nothing but probes is answered to an address that has used up its windows', async () => {
  const html = { headers: { accept: 'text/html' } };
  for (let at = 0; at < 600; at += 50) await times(50, () => from('/avatars/7.svg'));
  await times(61, () => from('/versions'));
  await times(61, () => from('/api/v1/articles/'));
  await times(61, () => query(cheap));
  const answers = new Map<string, number>();
  for (const { path, limit } of gateway.routes) {
    const [sample, init] = ownRequests.get(path) ?? [path, path.startsWith('/graphql') ? html : {}];
    const { status } = await from(sample, init);
    const isRefused = status === 429 || (limit === 'own' && status === 403);
    if (limit === 'none' ? isRefused : !isRefused) answers.set(path, status);
  }
  for (const path of otherRequests) {
    const { status } = await from(path);
    // git may have a credential that it has not sent.
    const refusals = path.includes('/info/refs') ? [401] : [403, 429];
    if (!refusals.includes(status)) answers.set(path, status);
  }
  for (const path of ['/', '/harbor-lab/compass', '/graphiql/']) {
    const { status } = await from(path, html);
    if (status !== 429) answers.set(`${path} in a browser`, status);
  }
  expect(Object.fromEntries(answers)).toEqual({});
}, 60_000);

describe('Pages, pictures and documents', () => {
  const paths = [
    '/avatars/7.svg',
    '/pictures/sleep.svg',
    '/graphiql/',
    '/graphql/health/schema.graphql',
    '/favicon.ico',
    '/media/00000000-0000-4000-8000-000000000000',
    '/docs/',
    '/openapi/health.json',
    '/openapi/hosting.json',
    '/orgs/harbor-lab/sso',
    '/api/v3/orgs/harbor-lab/sso',
    '/settings/emails/verify',
    '/api/v1/auth/activate/',
    '/api/v1/auth/password/reset/confirm/',
  ];

  test('have one window per IP address and the error format of their API; probes have none', async () => {
    for (let at = 0; at < 600; at += 50) expect(await times(50, () => from('/avatars/7.svg'))).not.toContain(429);
    for (const path of paths) {
      const refused = await from(path);
      expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 429, '60']);
      const isHealth = path.startsWith('/api/v1');
      expect(refused.json).toMatchObject(
        isHealth ? { code: 'throttled' } : { message: expect.stringContaining('rate limit') },
      );
    }
    const sandbox = await from('/graphql', { headers: { accept: 'text/html' } });
    expect([sandbox.status, sandbox.headers.get('retry-after')]).toEqual([429, '60']);
    expect(sandbox.json.errors[0].extensions.code).toBe('RATE_LIMITED');
    for (const path of ['/livez', '/readyz']) expect((await from(path)).status).toBe(200);
    expect((await from('/versions')).status).toBe(200);
    expect((await from('/api/v1/articles/')).status).toBe(200);
    wait(60);
    for (const path of paths.filter(entry => !entry.startsWith('/media')))
      expect([path, (await from(path)).status]).toEqual([path, 200]);
  });
});
