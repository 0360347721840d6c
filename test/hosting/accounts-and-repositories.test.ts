import { describe, expect, test } from '@jest/globals';
import { PublishedSchema } from '../contract/published-schema.ts';
import { BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';
import { basic, call, demoOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const schema = new PublishedSchema((await gateway.request('/openapi/hosting.json')).json);
const get = (path: string, token?: string) => call(gateway, 'GET', path, token && `Bearer ${token}`);
const { wren, juniper, tomas, linh, okello } = demo.users;

function conforms(method: string, template: string, status: number, body: unknown): void {
  expect(schema.problems(method, template, status, body)).toEqual([]);
}

test('a user, case-insensitive, with public properties', async () => {
  const { status, json } = await get('/users/WREN');
  expect(status).toBe(200);
  conforms('GET', '/users/{username}', 200, json);
  expect(json).toMatchObject({
    login: 'wren',
    type: 'User',
    site_admin: true,
    gravatar_id: '',
    url: `${gateway.url}/users/wren`,
    html_url: `${gateway.url}/wren`,
    following_url: `${gateway.url}/users/wren/following{/other_user}`,
    name: 'Wren Achterberg',
    email: null,
    public_repos: 1,
    followers: 1,
    following: 0,
    created_at: '2026-10-01T08:00:00Z',
  });
  expect(json).not.toHaveProperty('owned_private_repos');
});

test('an organization at both of its addresses; a user at neither', async () => {
  const org = await get('/orgs/Harbor-Lab');
  conforms('GET', '/orgs/{org}', 200, org.json);
  expect(org.json).toMatchObject({
    login: 'harbor-lab',
    type: 'Organization',
    public_repos: 2,
    url: `${gateway.url}/orgs/harbor-lab`,
  });
  expect((await get('/users/harbor-lab')).json).toMatchObject({
    type: 'Organization',
    url: `${gateway.url}/users/harbor-lab`,
  });
  expect((await get('/orgs/wren')).status).toBe(404);
});

test('the authenticated user, with private properties', async () => {
  for (const token of [
    juniper.classic_token,
    juniper.fine_grained_token,
    demo.tokens.oauth,
    demo.tokens.user_to_server,
  ]) {
    const { status, json } = await get('/user', token);
    expect(status).toBe(200);
    conforms('GET', '/user', 200, json);
    expect(json).toMatchObject({ login: 'juniper', owned_private_repos: 1, public_repos: 0 });
  }
  expect((await get('/user')).json).toMatchObject({ message: 'Requires authentication', status: '403' });
  for (const token of [demo.tokens.installation, demo.tokens.workflow]) {
    expect(await get('/user', token)).toMatchObject({
      status: 403,
      json: { message: 'Resource not accessible by integration', status: '403' },
    });
  }
});

test('a repository with its owner, its organization and its parent', async () => {
  const { status, json } = await get('/repos/Harbor-Lab/COMPASS', linh.classic_token);
  expect(status).toBe(200);
  conforms('GET', '/repos/{owner}/{repo}', 200, json);
  expect(json).toMatchObject({
    full_name: 'harbor-lab/compass',
    private: false,
    visibility: 'public',
    fork: false,
    owner: { login: 'harbor-lab', type: 'Organization' },
    organization: { login: 'harbor-lab' },
    stargazers_count: 3,
    subscribers_count: 1,
    forks: 1,
    network_count: 1,
    default_branch: 'main',
    topics: ['maps', 'library'],
    clone_url: `${gateway.url}/harbor-lab/compass.git`,
    contents_url: `${gateway.url}/repos/harbor-lab/compass/contents/{+path}`,
    permissions: { admin: false, maintain: false, push: false, triage: false, pull: true },
  });
  expect(json).not.toHaveProperty('parent');
  const fork = (await get('/repos/tomas/compass')).json;
  conforms('GET', '/repos/{owner}/{repo}', 200, fork);
  expect(fork).toMatchObject({
    fork: true,
    parent: { full_name: 'harbor-lab/compass' },
    source: { full_name: 'harbor-lab/compass' },
  });
  expect(fork).not.toHaveProperty('permissions');
});

test.each([
  [
    'an administrator',
    'harbor-lab/compass',
    wren.classic_token,
    { admin: true, maintain: true, push: true, triage: true, pull: true },
  ],
  [
    'a maintainer who was let in, by a token for public ones',
    'harbor-lab/tides',
    linh.classic_token,
    { admin: false, maintain: true, push: true, triage: true, pull: true },
  ],
  [
    'a member, by the base permission',
    'harbor-lab/ledger',
    juniper.classic_token,
    { admin: false, maintain: false, push: false, triage: false, pull: true },
  ],
  [
    'an app with contents: write',
    'harbor-lab/ledger',
    demo.tokens.installation,
    { admin: false, maintain: true, push: true, triage: true, pull: true },
  ],
  [
    'the owner of an archived one',
    'linh/attic',
    linh.fine_grained_token,
    { admin: false, maintain: true, push: true, triage: true, pull: true },
  ],
])('permissions of %s', async (_who, path, token, permissions) => {
  expect((await get(`/repos/${path}`, token)).json.permissions).toEqual(permissions);
});

describe('a private repository is only visible to those with access', () => {
  test.each([
    ['harbor-lab/ledger', 'nobody', undefined, 404],
    ['harbor-lab/ledger', 'an administrator', wren.classic_token, 200],
    ['harbor-lab/ledger', 'a member', juniper.classic_token, 200],
    ['harbor-lab/ledger', 'a member, fine-grained', juniper.fine_grained_token, 200],
    ['harbor-lab/ledger', 'somebody who was let in, with a token for public ones', linh.classic_token, 404],
    ['harbor-lab/ledger', 'a stranger', okello.classic_token, 404],
    ['harbor-lab/ledger', 'the app', demo.tokens.installation, 200],
    ['harbor-lab/ledger', 'the workflow of another one', demo.tokens.workflow, 404],
    ['harbor-lab/ledger', 'the app for a member', demo.tokens.user_to_server, 200],
    ['juniper/notebook', 'its owner', juniper.classic_token, 200],
    ['juniper/notebook', 'its owner, by a token for another account', juniper.fine_grained_token, 404],
    ['juniper/notebook', 'its owner, by an app that is not installed there', demo.tokens.user_to_server, 404],
    ['juniper/notebook', 'the app', demo.tokens.installation, 404],
    ['juniper/notebook', 'an administrator of everything else', wren.classic_token, 404],
    ['northgate/vault', 'an administrator, authorized', wren.classic_token, 200],
    ['northgate/vault', 'a member, not authorized', tomas.classic_token, 403],
    ['northgate/vault', 'a member, by a token for another account', tomas.fine_grained_token, 404],
  ])('%s for %s', async (path, _who, token, status) => {
    const answer = await get(`/repos/${path}`, token);
    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.json).toMatchObject({ message: 'Not Found', status: '404' });
    expect(answer.headers.get('x-accepted-host-permissions')).toBe('metadata=read');
  });
});

test('client credentials read what is public', async () => {
  const pair = basic(demo.oauth_app.client_id, demo.oauth_app.client_secret);
  expect((await call(gateway, 'GET', '/repos/harbor-lab/compass', pair)).status).toBe(200);
  expect((await call(gateway, 'GET', '/repos/harbor-lab/ledger', pair)).status).toBe(404);
  expect((await call(gateway, 'GET', '/user', pair)).status).toBe(403);
});

test.each([
  ['the Kelvin sign for a k', '/users/o%E2%84%AAello'],
  ['a long s', '/users/junip%C5%BFr'],
  ['a dotless i', '/users/jun%C4%B1per'],
  ['letters of full width', '/users/%EF%BD%97ren'],
  ['a combining mark', '/users/wren%CC%81'],
  ['a zero-width space', '/users/wren%E2%80%8B'],
  ['a slash that is encoded', '/users/wren%2F'],
  ['a slash in an owner', '/repos/harbor-lab%2Fcompass/x'],
  ['a NUL', '/users/wren%00'],
  ['a line break', '/users/wren%0D%0AX-Evil:%201'],
  ['half of UTF-8', '/users/%C3'],
  ['a percent sign', '/users/%25'],
  ['a space around it', '/users/%20wren%20'],
  ['a hyphen at its end', '/users/wren-'],
  ['a very long one', `/users/${'a'.repeat(3000)}`],
  ['the name of the git protocol', '/repos/harbor-lab/compass.git'],
  ['a wildcard', '/repos/harbor-lab/%25'],
])('%s is not found', async (_what, path) => {
  for (const base of ['', '/api/v3']) {
    const answer = await get(`${base}${path}`, wren.classic_token);
    expect({ path, status: answer.status }).toEqual({ path, status: 404 });
    expect(answer.headers.get('x-evil')).toBeNull();
  }
});

test('API URLs keep the requested base path, page URLs do not', async () => {
  for (const base of ['', '/api/v3']) {
    const at = `${gateway.url}${base}`;
    expect((await get(`${base}/users/wren`, wren.classic_token)).json).toMatchObject({
      url: `${at}/users/wren`,
      html_url: `${gateway.url}/wren`,
    });
    const { json } = await get(`${base}/repos/harbor-lab/compass`, wren.classic_token);
    expect(json).toMatchObject({ url: `${at}/repos/harbor-lab/compass`, owner: { url: `${at}/users/harbor-lab` } });
  }
});

// Clients resolve dot segments before sending, so these requests are raw.
test.each([
  '/repos/harbor-lab/%2E%2E',
  '/repos/harbor-lab/%2e',
  '/repos/%2E%2E/compass',
  '/repos/harbor-lab/..',
  '/repos/harbor-lab/%2E%2E%2Fcompass',
  '/users/%2E%2E',
  '/users/..',
  '/orgs/%2e%2E',
])('dot segments %s are not found', async path => {
  const connection = await BareConnection.open(gateway.url);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: portico tests\r\nConnection: close\r\n\r\n`);
  expect((await connection.answer()).status).toBe(404);
  connection.destroy();
});

test('the list of own repositories omits those withheld by single sign-on, and says so', async () => {
  const names = async (token: string) =>
    (await get('/user/repos?per_page=100', token)).json.map((one: { full_name: string }) => one.full_name);
  const answer = await get('/user/repos', tomas.classic_token);
  conforms('GET', '/user/repos', 200, answer.json);
  expect(answer.json.map((one: { full_name: string }) => one.full_name)).toEqual([
    'harbor-lab/compass',
    'harbor-lab/ledger',
    'harbor-lab/tides',
    'northgate/handbook',
    'tomas/compass',
  ]);
  const { id } = (await get('/orgs/northgate')).json;
  expect(answer.headers.get('x-host-sso')).toBe(`partial-results; organizations=${id}`);
  const whole = await get('/user/repos', wren.classic_token);
  expect(whole.headers.get('x-host-sso')).toBeNull();
  expect(await names(wren.classic_token)).toContain('northgate/vault');
  expect(await names(okello.classic_token)).toEqual([]);
});

test('pages of that list, with links', async () => {
  const answer = await get('/user/repos?per_page=2&page=2', wren.classic_token);
  expect(answer.json).toHaveLength(2);
  expect(answer.headers.get('link')).toContain('rel="next"');
});

test('number of statements per answer, with a cached token', async () => {
  const count = async (path: string, token?: string) => {
    await get(path, token);
    return (await gateway.statements(() => get(path, token))).length;
  };
  expect(await count('/users/wren')).toBe(1);
  expect(await count('/user', wren.classic_token)).toBe(1);
  expect(await count('/orgs/harbor-lab')).toBe(1);
  // The repository, and its owner twice, by one loader each.
  expect(await count('/repos/harbor-lab/compass', wren.classic_token)).toBeLessThanOrEqual(3);
  // The page, its owners, its total, and the withheld organizations.
  expect(await count('/user/repos', wren.classic_token)).toBeLessThanOrEqual(4);
});

test('an account has an avatar', async () => {
  const { json } = await get('/users/wren');
  const picture = await gateway.request(new URL(json.avatar_url).pathname);
  expect(picture.status).toBe(200);
  expect(picture.headers.get('content-type')).toContain('image/svg+xml');
  expect((await gateway.request('/avatars/1.png')).status).toBe(404);
});

test('times have second precision in REST and full precision in the graph', async () => {
  const before = gateway.clock.now;
  gateway.clock.now = new Date('2026-10-01T08:10:01.345Z');
  const made =
    'mutation { createRepository(input: { name: "moment", visibility: PUBLIC }) { repository { createdAt } } }';
  const { data } = await graphql(gateway, made, tomas.classic_token);
  gateway.clock.now = before;
  expect(data.createRepository.repository.createdAt).toBe('2026-10-01T08:10:01.345000Z');
  expect((await get('/repos/tomas/moment')).json.created_at).toBe('2026-10-01T08:10:01Z');
});
