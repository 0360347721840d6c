import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { bootError, startTestFacade, type TestResponse } from './test-facade.ts';

/** Existing repositories; private ones are visible with a token only. */
const repositories = [
  { id: 7, owner: 'Ada', repo: 'Engine', old: ['ada/motor'], isPrivate: false },
  { id: 8, owner: 'Ada', repo: 'Notes', old: ['ada/diary'], isPrivate: true },
];
interface Who {
  known: boolean;
}
let lookUps: unknown[] = [];
const graph = buildTestSchema(
  `type Info { page: Int!, last: Int! } type List { nodes: [String!]!, info: Info! }
  type Repository { name: String!, list(page: Int!): List! }
  type Query { repository(owner: String!, name: String!): Repository, contents(owner: String!, repo: String!, path: String!): String!, plain(org: String!): String!
    odd(owner: String!, repo: String!, number: Int): String!, missing(owner: String!, repo: String!): String }
  type Mutation { put(owner: String!, repo: String!, path: String, text: String!): String! }`,
  {
    Query: {
      repository: (_: unknown, { owner, name }: { owner: string; name: string }, { known }: Who) => {
        const found = repositories.find(
          one => one.owner.toLowerCase() === owner.toLowerCase() && one.repo.toLowerCase() === name.toLowerCase(),
        );
        return found && (known || !found.isPrivate) ? { name: `${found.owner}/${found.repo}` } : null;
      },
      contents: echo,
      plain: echo,
      odd: echo,
      missing: () => {
        throw new GraphQLError('Branch x not found', { extensions: { code: 'NO_BRANCH', http: { status: 404 } } });
      },
    },
    Repository: {
      list: (_: unknown, { page }: { page: number }) => ({ nodes: [String(page)], info: { page, last: 3 } }),
    },
    Mutation: { put: echo },
  },
);
const operations = {
  'a/get.graphql': `query Get($owner: String!, $repo: String!) @rest(method: GET, path: "/repos/{owner}/{repo}") { repository(owner: $owner, name: $repo) @body { name } }`,
  'a/list.graphql': `query List($owner: String!, $repo: String!, $page: Int = 1, $per_page: Int = 30) @rest(method: GET, path: "/repos/{owner}/{repo}/things") {
    repository(owner: $owner, name: $repo) { list(page: $page) { nodes @body info @page(style: LINK) { page last } } x: list(page: $per_page) { nodes } } }`,
  'a/contents.graphql': `query Contents($owner: String!, $repo: String!, $path: String!)
    @rest(method: GET, path: "/repos/{owner}/{repo}/contents/{+path}", slash: REDIRECT, otherPaths: ["/repos/{owner}/{repo}/contents", "/repos/{owner}/{repo}/contents/"]) {
    contents(owner: $owner, repo: $repo, path: $path) @body }`,
  'a/put.graphql': `mutation Put($owner: String!, $repo: String!, $path: String!, $text: String!)
    @rest(method: PUT, path: "/repos/{owner}/{repo}/contents/{+path}") { put(owner: $owner, repo: $repo, path: $path, text: $text) @body }`,
  'a/odd.graphql': `query Odd($owner: String!, $repo: String!, $number: Int) @rest(method: GET, path: "/repos/{owner}/{repo}/odd") { odd(owner: $owner, repo: $repo, number: $number) @body }`,
  'a/missing.graphql': `query Missing($owner: String!, $repo: String!) @rest(method: GET, path: "/repos/{owner}/{repo}/missing") { missing(owner: $owner, repo: $repo) @body }`,
  'a/org.graphql': `query Org($org: String!) @rest(method: GET, path: "/orgs/{org}") { plain(org: $org) @body }`,
};
const context = ({ headers }: IncomingMessage): Who => ({ known: headers.authorization !== undefined });
const facade = await startTestFacade({
  graph,
  operations,
  product: 'hosting-like',
  context,
  executor: 'own',
  server: {
    async findResource(who, kind, wish) {
      lookUps.push([kind, wish]);
      if (kind !== 'repository') return undefined;
      const asked = 'names' in wish ? `${wish.names.owner}/${wish.names.repo}`.toLowerCase() : '';
      const found = repositories.find(one =>
        'id' in wish ? one.id === wish.id : [`${one.owner}/${one.repo}`.toLowerCase(), ...one.old].includes(asked),
      );
      if (!found || (found.isPrivate && !(who as Who).known)) return undefined;
      const { id, owner, repo, old } = found;
      return { id, names: { owner, repo }, hasMoved: old.includes(asked) };
    },
  },
});
const base = 'https://api.example.org';
const token = { authorization: 'token x' };
const seen = ({ status, json }: TestResponse): unknown[] => [status, json?.message ?? json];
beforeEach(() => {
  lookUps = [];
});

describe('a path by id', () => {
  test('serves the same as the path by name, under every base path', async () => {
    expect((await facade.request('/repositories/7')).json).toEqual({ name: 'Ada/Engine' });
    expect((await facade.request('/api/v3/repositories/7')).json).toEqual({ name: 'Ada/Engine' });
    const asked = { owner: 'Ada', repo: 'Engine', path: 'a/b' };
    expect(JSON.parse((await facade.request('/repositories/7/contents/a/b')).json)).toEqual(asked);
    const put = await facade.send('PUT', '/repositories/7/contents/a%2Fb', { text: 'x' });
    expect(JSON.parse(put.json)).toEqual({ ...asked, text: 'x' });
  });

  test.each(['9', '0', '-7', '07', 'x', '7.0', '7%00', '9999999999999999', 'Ada'])('of %s is 404', async id => {
    expect(seen(await facade.request(`/repositories/${id}`))).toEqual([404, 'Not Found']);
  });

  test('hides what the path by name hides', async () => {
    expect((await facade.request('/repositories/8')).status).toBe(404);
    expect((await facade.request('/repositories/8', { headers: token })).status).toBe(200);
    expect((await facade.request('/organizations/7')).status).toBe(404);
  });

  test('does not exist for other methods', async () => {
    expect((await facade.request('/repositories/7', { method: 'DELETE' })).status).toBe(404);
  });

  test('is 404 without findResource, and names are passed on unchanged', async () => {
    const alone = await startTestFacade({ graph, operations, product: 'hosting-like', context });
    expect((await alone.request('/repositories/7')).status).toBe(404);
    expect((await alone.request('/repos/ada/engine')).status).toBe(200);
    expect((await alone.send('PUT', '/repos/no/body/contents/a', { text: 'x' })).status).toBe(200);
    expect((await alone.request('/repos/ada/engine/things')).headers.get('link')).toContain('/repos/ada/engine/things');
  });
});

describe('links between pages', () => {
  test('use the id, however the list was requested', async () => {
    const to = (path: string) => [
      `<${base}${path}/repositories/7/things?per_page=x&page=1>; rel="prev"`,
      `<${base}${path}/repositories/7/things?per_page=x&page=3>; rel="next"`,
      `<${base}${path}/repositories/7/things?per_page=x&page=3>; rel="last"`,
      `<${base}${path}/repositories/7/things?per_page=x&page=1>; rel="first"`,
    ];
    for (const path of ['', '/api/v3']) {
      const named = await facade.request(`${path}/repos/ada/engine/things?per_page=x&page=2`);
      expect(named.headers.get('link')?.split(', ')).toEqual(to(path));
      const byId = await facade.request(`${path}/repositories/7/things?per_page=x&page=2`);
      expect(byId.headers.get('link')).toBe(named.headers.get('link'));
    }
    // Once per request.
    expect(lookUps).toHaveLength(4);
  });
});

describe('a resource that has moved', () => {
  test.each([
    ['GET', '/repos/ada/motor', 301, '/repositories/7'],
    ['GET', '/repos/Ada/MOTOR/things?page=2', 301, '/repositories/7/things?page=2'],
    ['GET', '/repos/ada/motor/missing', 301, '/repositories/7/missing'],
    ['PUT', '/repos/ada/motor/contents/a', 307, '/repositories/7/contents/a'],
    ['PUT', '/api/v3/repos/ada/motor/contents/a%20b', 307, '/api/v3/repositories/7/contents/a%20b'],
  ])('%s %s is %d', async (method, path, status, location) => {
    const answer = await facade.request(path, { method, ...(method === 'PUT' ? { body: '[' } : {}) });
    expect([answer.status, answer.headers.get('location'), answer.json]).toEqual([
      status,
      `${base}${location}`,
      {
        message: 'Moved Permanently',
        url: `${base}${location}`,
        documentation_url: 'https://docs.example.org/v3/#http-redirects',
      },
    ]);
  });

  test('answers HEAD with the headers of GET', async () => {
    const { status, text, headers } = await facade.request('/repos/ada/motor', { method: 'HEAD' });
    expect([status, text, headers.get('location')]).toEqual([301, '', `${base}/repositories/7`]);
  });

  test('is hidden from callers who may not see it', async () => {
    expect((await facade.request('/repos/ada/diary')).status).toBe(404);
    expect((await facade.send('PUT', '/repos/ada/diary/contents/a', { text: 'x' })).status).toBe(404);
    expect((await facade.request('/repos/ada/diary', { headers: token })).status).toBe(301);
  });
});

describe('an absent resource', () => {
  test('is 404 before the body is read and parameters are coerced', async () => {
    expect(seen(await facade.request('/repos/no/body/contents/a', { method: 'PUT', body: '[' }))).toEqual([
      404,
      'Not Found',
    ]);
    expect(seen(await facade.request('/repos/no/body/odd?number=x'))).toEqual([404, 'Not Found']);
    expect((await facade.request('/repos/ada/engine/odd?number=x')).status).toBe(422);
    // Absence inside a visible resource keeps its own message; callers who may not see the resource do not get it.
    expect(seen(await facade.request('/repos/ada/engine/missing'))).toEqual([404, 'Branch x not found']);
    expect(seen(await facade.request('/repos/ada/notes/missing'))).toEqual([404, 'Not Found']);
  });

  test('costs a successful read no lookup', async () => {
    await facade.request('/repos/ada/engine');
    await facade.request('/repos/ada/engine/odd');
    expect(lookUps).toEqual([]);
  });

  test.each([
    '/repos/ada%2Fengine',
    '/repos/ada/../engine',
    '/repos//engine',
    '/repos/ada/engine%2F',
    '/repos/%2e%2e/engine',
  ])('%s is 404', async path => {
    expect((await facade.request(path)).status).toBe(404);
  });
});

describe('trailing slashes', () => {
  const pathOf = async (path: string): Promise<string> => JSON.parse((await facade.request(path)).json).path;

  test('are the empty name if the operation declares it', async () => {
    expect(await pathOf('/repos/ada/engine/contents')).toBe('');
    expect(await pathOf('/repos/ada/engine/contents/')).toBe('');
    expect(await pathOf('/repositories/7/contents/')).toBe('');
  });

  test('redirect a read to the URL without them, by id', async () => {
    for (const [path, query] of [
      ['/repos/ada/engine/contents/a%20b/c/', '?ref=x'],
      ['/repositories/7/contents/a%20b/c/', ''],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await facade.request(`${path}${query}`, { method });
        expect([status, text, headers.get('location'), headers.get('content-type')]).toEqual([
          302,
          '',
          `${base}/repositories/7/contents/a%20b/c${query}`,
          'text/html;charset=utf-8',
        ]);
      }
    }
    const two = await facade.request('/repos/ada/engine/contents/a//');
    expect(two.headers.get('location')).toBe(`${base}/repositories/7/contents/a/`);
    expect((await facade.request('/repos/no/body/contents/a/')).status).toBe(404);
  });

  test('are part of the name for a write', async () => {
    const put = await facade.send('PUT', '/repos/ada/engine/contents/a/', { text: 'x' });
    expect(JSON.parse(put.json).path).toBe('a/');
  });

  test('are 404 elsewhere', async () => {
    expect((await facade.request('/repos/ada/engine/')).status).toBe(404);
  });

  test('of a further path with an unknown parameter stop the boot', () => {
    const wrong = { 'a/org.graphql': operations['a/org.graphql'].replace('}")', '}", otherPaths: ["/o/{other}"])') };
    expect(bootError({ graph, operations: wrong, product: 'hosting-like' })).toContain(
      '/o/{other} has the parameter {other}, which /orgs/{org} lacks.',
    );
  });
});
