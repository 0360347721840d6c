import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { origin, startTestFacade } from './test-facade.ts';

const coded = (code: string, status: number) => new GraphQLError(code, { extensions: { code, http: { status } } });
const graph = buildTestSchema(
  `type Info { page: Int!, last: Int! } type List { nodes: [Int!]!, info: Info! }
  type Query { get(version: String): String!, list(page: Int!): List!, self: Info! } type Mutation { put(text: String!): String! }`,
  {
    Query: {
      get: echo,
      list: (_: unknown, { page }: { page: number }) => ({ nodes: [page], info: { page, last: 2 } }),
      self: () => ({ page: 1, last: 2 }),
    },
    Mutation: { put: echo },
  },
);
const facade = await startTestFacade({
  graph,
  product: 'hosting-like',
  operations: {
    'a/get.graphql': `query Get($version: String! @negotiated(on: VERSION)) @rest(method: GET, path: "/things") { get(version: $version) @body }`,
    'a/changing.graphql': `query Changing @rest(method: GET, path: "/changing", changedIn: "2026-03-10") { get @body }`,
    'a/shrinking.graphql': `query Shrinking @rest(method: GET, path: "/shrinking") {
      self @body { page last @removedIn(version: "2026-03-10") fixed: __typename @const(value: "/x") @url @removedIn(version: "2026-03-10") } }`,
    'a/list.graphql': `query List($page: Int = 1) @rest(method: GET, path: "/list", changedIn: "2026-03-10") {
      list(page: $page) { nodes @body info @page(style: LINK) { page last } } }`,
    'a/put.graphql': `mutation Put($text: String!) @rest(method: PUT, path: "/things", docs: "/rest/things#put") { put(text: $text) @body }`,
  },
  context: ({ headers }: IncomingMessage) => {
    if (headers.authorization === 'Bearer bad') throw coded('BAD_CREDENTIAL', 401);
    return { isKnown: headers.authorization !== undefined };
  },
  server: {
    callerHeaders: (context, { operation, status }) => ({
      'X-OAuth-Scopes': (context as { isKnown: boolean }).isKnown ? 'repo' : '',
      'X-Asked': `${operation?.name} ${status}`,
    }),
    authorize(context, request) {
      if (request.method === 'PUT' && !(context as { isKnown: boolean }).isKnown) throw coded('UNAUTHENTICATED', 401);
    },
  },
});
const asked = (version?: string): RequestInit =>
  version === undefined ? {} : { headers: { 'X-Host-Api-Version': version } };
const selected = ({ headers }: { headers: Headers }): string | null => headers.get('x-host-api-version-selected');

describe('the version', () => {
  test.each([
    [undefined, '2022-11-28'],
    ['2022-11-28', '2022-11-28'],
    ['2026-03-10', '2026-03-10'],
  ])('%s selects %s, in the header and in the variable', async (version, served) => {
    const answer = await facade.request('/things', asked(version));
    expect([answer.status, selected(answer), JSON.parse(answer.json)]).toEqual([200, served, { version: served }]);
  });

  test.each(['2020-01-01', 'x', '2022-11-28 , 2026-03-10', '2026-03-1'])(
    '%s is refused with its name',
    async version => {
      const { status, json } = await facade.request('/things', asked(version));
      expect([status, json]).toEqual([
        400,
        {
          message: 'Bad Request',
          errors: `The version you specified in the "X-Host-Api-Version" request header, "${version}", is not a supported version. The following versions are currently supported: "2026-03-10" (most recent) and "2022-11-28".`,
          documentation_url: 'https://docs.example.org/rest',
          status: '400',
        },
      ]);
    },
  );
});

describe('@removedIn', () => {
  test('omits keys from that version on', async () => {
    const all = { page: 1, last: 2, fixed: `${origin}/x` };
    expect((await facade.request('/shrinking', asked())).json).toEqual(all);
    expect((await facade.request('/shrinking', asked('2022-11-28'))).json).toEqual(all);
    expect((await facade.request('/shrinking', asked('2026-03-10'))).json).toEqual({ page: 1 });
  });

  test('makes the key optional and keeps its type', () => {
    const { paths } = facade.document() as {
      paths: Record<string, { get: { responses: Record<string, { content: Record<string, { schema: object }> }> } }>;
    };
    const [content] = Object.values(paths['/shrinking']?.get.responses[200]?.content ?? {});
    expect(content?.schema).toMatchObject({
      properties: { last: { type: 'integer' }, fixed: { type: 'string' } },
      required: ['page'],
    });
  });
});

describe('the order of checks', () => {
  const seen = async (path: string, init: RequestInit): Promise<unknown[]> => {
    const answer = await facade.request(path, init);
    return [answer.status, answer.json?.message, selected(answer)];
  };
  const put = (authorization: string | undefined, version: string, body = '[') => ({
    method: 'PUT',
    body,
    headers: { 'X-Host-Api-Version': version, ...(authorization === undefined ? {} : { authorization }) },
  });

  test('is path, invalid credential, version, missing credential, body, parameters', async () => {
    expect(await seen('/nowhere', put('Bearer bad', 'x'))).toEqual([404, 'Not Found', null]);
    expect(await seen('/things', put('Bearer bad', 'x'))).toEqual([401, 'Bad credentials', null]);
    expect(await seen('/things', put(undefined, 'x'))).toEqual([400, 'Bad Request', null]);
    const good = '2026-03-10';
    expect(await seen('/things', put(undefined, good))).toEqual([403, 'Requires authentication', good]);
    expect(await seen('/things', put('Bearer good', good))).toEqual([400, 'Problems parsing JSON', good]);
    expect(await seen('/things', put('Bearer good', good, '[]'))).toEqual([400, 'Body should be a JSON object', good]);
    const shape = `Invalid request.\n\n"text" wasn't supplied.`;
    expect(await seen('/things', put('Bearer good', good, '{}'))).toEqual([422, shape, good]);
    // The response to an invalid credential has no version header.
    expect(await seen('/things', put('Bearer bad', good))).toEqual([401, 'Bad credentials', null]);
  });

  test('links each error to the page of its operation, and earlier ones to the start page', async () => {
    const page = async (init: RequestInit): Promise<string> =>
      (await facade.request('/things', init)).json.documentation_url;
    const own = 'https://docs.example.org/rest/things#put';
    expect(await page(put('Bearer good', '2026-03-10'))).toBe(own);
    expect(await page(put('Bearer good', '2026-03-10', '{}'))).toBe(own);
    const whole = 'https://docs.example.org/rest';
    for (const init of [put('Bearer bad', ''), put(undefined, ''), put('Bearer good', 'x')]) {
      expect(await page(init)).toBe(whole);
    }
  });
});

test('caller headers are on every response after authentication, errors too', async () => {
  const said = async (path: string, init: RequestInit): Promise<(string | null)[]> => {
    const { headers } = await facade.request(path, init);
    return ['x-oauth-scopes', 'x-asked'].map(name => headers.get(name));
  };
  expect(await said('/things', {})).toEqual(['', 'Get 200']);
  expect(await said('/things', { headers: { authorization: 'Bearer good' } })).toEqual(['repo', 'Get 200']);
  expect(await said('/things', { method: 'PUT', body: '[', headers: { authorization: 'Bearer good' } })).toEqual([
    'repo',
    'Put 400',
  ]);
  expect(await said('/things', { method: 'PUT' })).toEqual(['', 'Put 403']);
  expect(await said('/things', { headers: { authorization: 'Bearer bad' } })).toEqual([null, null]);
  expect(await said('/nowhere', { headers: { authorization: 'Bearer good' } })).toEqual([null, null]);
});

describe('an operation whose schema changes', () => {
  const link = '<https://docs.example.org/rest/about-the-rest-api/api-versions>; rel="deprecation"; type="text/html"';

  test('announces the end of the older version to its callers', async () => {
    const { headers } = await facade.request('/changing');
    expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([
      'Tue, 10 Mar 2026 00:00:00 GMT',
      'Fri, 10 Mar 2028 00:00:00 GMT',
      link,
    ]);
    const list = await facade.request('/list');
    expect(list.headers.get('link')).toMatch(/rel="next", <.*>; rel="last", <.*>; rel="deprecation"/);
  });

  test('announces nothing to others, nor do unchanged operations', async () => {
    for (const [path, version] of [
      ['/changing', '2026-03-10'],
      ['/things', '2022-11-28'],
    ] as const) {
      const { headers } = await facade.request(path, asked(version));
      expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([null, null, null]);
    }
  });
});
