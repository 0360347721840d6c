import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildTestSchema } from './build-test-schema.ts';
import { rawConnection, rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const coded = (code: string, status: unknown, message: string, facts: object = {}) =>
  new GraphQLError(message, { extensions: { ...facts, code, http: { status } as object } });
const failures: Record<string, unknown> = {
  absent: coded('NOT_FOUND', 404, 'Not found.'),
  taken: coded('CONFLICT', 409, 'The name is taken.', { reason: 'name_taken' }),
  forbidden: coded('FORBIDDEN', 403, 'You may not.'),
  anonymous: coded('UNAUTHENTICATED', 401, 'Authentication credentials were not provided.'),
  token: coded('BAD_CREDENTIAL', 401, 'Token is invalid', { reason: 'token_not_valid', messages: [{ message: 'x' }] }),
  input: coded('BAD_USER_INPUT', 400, 'The input is not valid.', {
    problems: [{ path: ['text'], code: 'INVALID', message: 'Too long.' }],
  }),
  away: coded('SERVICE_UNAVAILABLE', 503, 'Away.'),
  type: new TypeError('secret /etc/passwd'),
  text: 'a secret text',
  nothing: undefined,
  object: { message: 'secret', code: 'X' },
  uncoded: new GraphQLError('secret'),
  statusless: new GraphQLError('secret', { extensions: { code: 'CODE' } }),
  codeless: new GraphQLError('secret', { extensions: { http: { status: 400 } } }),
  success: coded('OK', 200, 'secret'),
  known: Object.assign(new Error('secret connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
};
const fail = (_: unknown, { how }: { how: string }) => {
  if (how === 'fine') return 'fine';
  throw failures[how];
};
const graph = buildTestSchema(
  `type Query { fail(how: String!): String, other(how: String!): String, big: String, odd: Odd } scalar Odd`,
  {
    Query: {
      fail,
      other: async (_: unknown, args: { how: string }) => fail(_, args),
      big: () => new Promise(resolve => held.push(resolve)),
      odd: () => 1,
    },
    // Has no JSON.
    Odd: { serialize: () => 10n },
  },
);
const held: ((value: string) => void)[] = [];
const operations = {
  'a/fail.graphql': `query Fail($how: String!) @rest(method: GET, path: "/fail/{how}/") { fail(how: $how) @body }`,
  'a/both.graphql': `query Both($how: String!, $other: String!) @rest(method: GET, path: "/both/{how}/{other}/") {
    fail(how: $how) @body other(how: $other) x: fail(how: $how) }`,
  'a/odd.graphql': `query Odd @rest(method: GET, path: "/odd/") { odd @body }`,
  'a/wait.graphql': `query Wait @rest(method: GET, path: "/wait/") { big @body }`,
};
const explain = (error: unknown) =>
  (error as { code?: unknown } | undefined)?.code === 'ECONNREFUSED'
    ? coded('SERVICE_UNAVAILABLE', 503, 'The database is away.')
    : undefined;
const context = async ({ headers }: { headers: Record<string, unknown> }) => {
  const how = headers['x-fail'];
  if (typeof how === 'string') throw failures[how];
  return {};
};
const health = await startTestFacade({ graph, operations, explain, context });
const hosting = await startTestFacade({ graph, operations, explain, context, product: 'hosting-like' });
const docs = { documentation_url: 'https://docs.example.org/rest' };

const published: [string, number, unknown, number, unknown][] = [
  ['absent', 404, { detail: 'Not found.', code: 'not_found' }, 404, { message: 'Not Found', ...docs, status: '404' }],
  [
    'taken',
    409,
    { detail: 'The name is taken.', code: 'name_taken' },
    409,
    { message: 'The name is taken.', ...docs, status: '409' },
  ],
  [
    'forbidden',
    403,
    { detail: 'You may not.', code: 'forbidden' },
    403,
    { message: 'You may not.', ...docs, status: '403' },
  ],
  [
    'anonymous',
    401,
    { detail: 'Authentication credentials were not provided.', code: 'not_authenticated' },
    403,
    { message: 'Requires authentication', ...docs, status: '403' },
  ],
  [
    'token',
    401,
    { detail: 'Token is invalid', code: 'token_not_valid', messages: [{ message: 'x' }] },
    401,
    { message: 'Bad credentials', ...docs, status: '401' },
  ],
  [
    'input',
    400,
    { text: ['Too long.'] },
    422,
    {
      message: 'Validation Failed',
      errors: [{ field: 'text', code: 'custom', message: 'Too long.' }],
      ...docs,
      status: '422',
    },
  ],
  [
    'away',
    503,
    { detail: 'Away.', code: 'service_unavailable' },
    503,
    { code: 'unavailable', message: 'Away.', ...docs, status: '503' },
  ],
  [
    'known',
    503,
    { detail: 'The database is away.', code: 'service_unavailable' },
    503,
    { code: 'unavailable', message: 'The database is away.', ...docs, status: '503' },
  ],
];
const defects = ['type', 'text', 'nothing', 'object', 'uncoded', 'statusless', 'codeless', 'success'];

describe('errors with a code and a status', () => {
  test.each(published)(
    '%s has the words of each product, from a resolver and from the context',
    async (how, status, body, otherStatus, other) => {
      for (const [path, init] of [
        [`/fail/${how}/`, {}],
        ['/fail/fine/', { headers: { 'x-fail': how } }],
      ] as const) {
        const first = await health.request(`/api/v1${path}`, init);
        expect([first.status, first.json]).toEqual([status, body]);
        const second = await hosting.request(path, init);
        expect([second.status, second.json]).toEqual([otherStatus, other]);
        expect(second.headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    },
  );

  test('have their headers', async () => {
    expect((await health.request('/api/v1/fail/anonymous/')).headers.get('www-authenticate')).toBe(
      'Bearer realm="api"',
    );
    expect((await health.request('/api/v1/fail/away/')).headers.get('retry-after')).toBe('5');
  });
});

describe('defects', () => {
  test.each(defects)('%s is 500 without detail, from a resolver and from the context, and reported once', async how => {
    for (const [path, init] of [
      [`/fail/${how}/`, {}],
      ['/fail/fine/', { headers: { 'x-fail': how } }],
    ] as const) {
      const first = await health.request(`/api/v1${path}`, init);
      expect([first.status, first.json]).toEqual([500, { detail: 'A server error occurred.', code: 'error' }]);
      const second = await hosting.request(path, init);
      expect([second.status, second.json]).toEqual([500, { message: 'Server Error', ...docs, status: '500' }]);
      expect(JSON.stringify([...first.headers, ...second.headers])).not.toContain('secret');
      const told = health.takeDefects();
      expect(told).toHaveLength(1);
      // graphql-js converts falsy exceptions to errors.
      if (init.headers || failures[how] instanceof Error) expect(told[0]).toBe(failures[how]);
      expect(hosting.takeDefects()).toHaveLength(1);
    }
  });

  test('in several fields are reported once', async () => {
    expect((await health.request('/api/v1/both/type/text/')).status).toBe(500);
    expect(health.takeDefects()).toHaveLength(1);
  });

  test('beside a coded error are reported, and the coded error is answered', async () => {
    expect((await health.request('/api/v1/both/type/taken/')).status).toBe(409);
    expect(health.takeDefects()).toEqual([failures.type]);
    expect((await health.request('/api/v1/both/taken/type/')).status).toBe(409);
    expect(health.takeDefects()).toEqual([failures.type]);
  });

  test('include values without JSON', async () => {
    expect((await health.request('/api/v1/odd/')).status).toBe(500);
    expect(health.takeDefects()).toEqual([expect.any(TypeError)]);
  });
});

describe('several errors with codes', () => {
  test('are answered by the lowest status, independent of the order of fields', async () => {
    for (const path of ['/both/absent/forbidden/', '/both/forbidden/absent/', '/both/away/forbidden/']) {
      expect((await health.request(`/api/v1${path}`)).status).toBe(403);
    }
  });
});

describe('the order of checks', () => {
  test('is path, media type, credential, method, input', async () => {
    const status = async (path: string, init: RequestInit): Promise<number> =>
      (await health.request(`/api/v1${path}`, init)).status;
    const bad = { accept: 'text/html', 'x-fail': 'token' };
    expect(await status('/nowhere/', { headers: bad })).toBe(404);
    expect(await status('/fail/x%00/', { headers: bad })).toBe(406);
    expect(await status('/fail/x%00/', { headers: { 'x-fail': 'token' }, method: 'DELETE' })).toBe(401);
    expect(await status('/fail/x%00/', { method: 'DELETE' })).toBe(405);
    expect(await status('/fail/x%00/', {})).toBe(404);
  });

  test.each([
    ['text/html', 406],
    ['application/xml, text/*', 406],
    ['application/json;q=0', 406],
    ['*/*', 200],
    ['text/html, */*;q=0.1', 200],
    ['application/*', 200],
    ['APPLICATION/JSON', 200],
  ])('Accept: %s is %d', async (accept, status) => {
    expect((await health.request('/api/v1/fail/fine/', { headers: { accept } })).status).toBe(status);
  });
});

describe('a product that throws', () => {
  test('fails its request only', async () => {
    const broken = await startTestFacade({
      graph,
      operations,
      overrides: {
        formatProblem: () => {
          throw new RangeError('no words');
        },
        responseHeaders: request => {
          if (request.headers['x-headers'] === undefined) return {};
          throw new RangeError('no headers');
        },
      },
    });
    expect(await sendRaw(broken.url, rawRequest('GET', '/api/v1/nowhere/'))).toBe('');
    expect(await sendRaw(broken.url, rawRequest('GET', '/api/v1/fail/fine/', { 'X-Headers': '1' }))).toBe('');
    expect(broken.takeDefects()).toEqual([
      new RangeError('no words'),
      new RangeError('no headers'),
      new RangeError('no words'),
    ]);
    expect((await broken.request('/api/v1/fail/fine/')).json).toBe('fine');
  });
});

describe('a client that disconnects during execution', () => {
  test('is no defect', async () => {
    const connection = rawConnection(health.url);
    const closed = new Promise(resolve => health.server.once('connection', socket => socket.once('close', resolve)));
    connection.socket.write(rawRequest('GET', '/api/v1/wait/', { Connection: 'keep-alive' }));
    await new Promise(resolve => health.server.once('request', resolve));
    connection.socket.resetAndDestroy();
    await closed;
    for (const answer of held.splice(0)) answer('too late');
    expect((await health.request('/api/v1/fail/fine/')).json).toBe('fine');
    expect(health.takeDefects()).toEqual([]);
  });
});
