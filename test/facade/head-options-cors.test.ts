import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { testOfConnection } from './adapters.ts';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { rawConnection, rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `type Query { get(id: Int): String!, fail: String } type Mutation { put(id: Int): String! }`,
  {
    Query: {
      get: echo,
      fail: () => {
        throw new TypeError('secret');
      },
    },
    Mutation: { put: echo },
  },
);
const operations = {
  'a/get.graphql': `
    """
    Get a thing

    What it is.
    """
    query Get($id: Int!) @rest(method: GET, path: "/things/{id}/") { get(id: $id) @body }`,
  'a/put.graphql': `mutation Put($id: Int!) @rest(method: PUT, path: "/things/{id}/") { put(id: $id) @body }`,
  'a/post.graphql': `mutation Post @rest(method: POST, path: "/things/") { put @body }`,
  'a/mine.graphql': `query Mine @rest(method: GET, path: "/things/mine/") { get @body }`,
  'a/fail.graphql': `query Fail @rest(method: GET, path: "/fail/") { fail @body }`,
};
const context = ({ headers }: IncomingMessage) => {
  if (headers.authorization === 'Bearer bad') {
    throw new GraphQLError('Bad.', {
      extensions: { code: 'BAD_CREDENTIAL', http: { status: 401 }, reason: 'token_not_valid' },
    });
  }
  return {};
};
const health = await startTestFacade({ graph, operations, context });
const hosting = await startTestFacade({ graph, operations, context, product: 'hosting-like' });
const choosy = await startTestFacade({
  graph,
  operations,
  overrides: {
    cors: {
      origins: ['https://a.example', 'https://b.example'],
      allowHeaders: ['Authorization'],
      exposeHeaders: ['Link'],
      maxAgeSeconds: 60,
    },
  },
});
const bad = { headers: { authorization: 'Bearer bad' } };

describe('HEAD', () => {
  test('has the status and the headers of GET, and no body', async () => {
    const get = await health.request('/api/v1/things/1/');
    const head = await health.request('/api/v1/things/1/', { method: 'HEAD' });
    const without = (headers: Headers) =>
      [...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
    expect([head.status, head.text]).toEqual([200, '']);
    expect(without(head.headers)).toEqual(without(get.headers));
    expect(head.headers.get('content-length')).toBe(String(get.text.length));
  });

  test('on errors sends no body either, and the connection stays usable', async () => {
    const connection = rawConnection(health.url);
    for (const path of ['/nowhere/', '/things/x/', '/things/', '/fail/']) {
      connection.socket.write(rawRequest('HEAD', `/api/v1${path}`, { Connection: 'keep-alive' }));
    }
    connection.socket.write(rawRequest('GET', '/api/v1/things/1/'));
    const all = await connection.closed();
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 404',
      'HTTP/1.1 404',
      'HTTP/1.1 405',
      'HTTP/1.1 500',
      'HTTP/1.1 200',
    ]);
    expect(all.match(/Content-Length: [1-9]/g)).toHaveLength(5);
    expect(all).not.toContain('detail');
    expect(all).toMatch(/"\{\\"id\\":1\}"$/);
    expect(health.takeDefects()).toHaveLength(1);
  });

  test('is not served where GET is not', async () => {
    expect((await health.request('/api/v1/things/', { method: 'HEAD' })).status).toBe(405);
  });
});

describe('a method that is not served', () => {
  test('is 405 with Allow in the health contract', async () => {
    const { status, json, headers } = await health.request('/api/v1/things/1/', { method: 'DELETE' });
    expect([status, json]).toEqual([405, { detail: 'Method "DELETE" not allowed.', code: 'method_not_allowed' }]);
    expect(headers.get('allow')).toBe('GET, PUT, HEAD, OPTIONS');
  });

  test('is 404 with Allow in the hosting contract', async () => {
    const { status, json, headers } = await hosting.request('/things/1/', { method: 'DELETE' });
    expect([status, json.message, headers.get('allow')]).toEqual([404, 'Not Found', 'GET, PUT, HEAD, OPTIONS']);
  });

  test('is checked after the credential, an unknown path before it', async () => {
    expect((await health.request('/api/v1/things/1/', { method: 'DELETE', ...bad })).status).toBe(401);
    expect((await health.request('/api/v1/nowhere/', { method: 'DELETE', ...bad })).status).toBe(404);
  });

  testOfConnection('may be unknown', async () => {
    expect(await sendRaw(health.url, rawRequest('PROPFIND', '/api/v1/things/1/'))).toMatch(/^HTTP\/1\.1 405 /);
    expect(await sendRaw(health.url, rawRequest('get', '/api/v1/things/1/'))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await sendRaw(health.url, rawRequest('TRACE', '/api/v1/things/1/'))).toMatch(/^HTTP\/1\.1 405 /);
  });

  test('is looked up in both of two matching routes', async () => {
    expect((await health.request('/api/v1/things/mine/')).json).toBe('{}');
    const { headers, status } = await health.request('/api/v1/things/mine/', { method: 'PATCH' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, PUT, HEAD, OPTIONS']);
    // `mine` is not a number.
    expect((await health.request('/api/v1/things/mine/', { method: 'PUT' })).status).toBe(404);
  });
});

describe('OPTIONS without preflight headers', () => {
  test('describes the endpoint, or has only Allow', async () => {
    const { status, json, headers } = await health.request('/api/v1/things/1/', { method: 'OPTIONS' });
    expect([status, headers.get('allow')]).toEqual([200, 'GET, PUT, HEAD, OPTIONS']);
    expect(json).toEqual({
      name: 'Get a thing',
      description: 'What it is.',
      renders: ['application/json'],
      parses: ['application/json'],
    });
    const other = await hosting.request('/things/1/', { method: 'OPTIONS' });
    expect([other.status, other.text, other.headers.get('allow')]).toEqual([204, '', 'GET, PUT, HEAD, OPTIONS']);
  });

  test('needs no credential and ignores an invalid one', async () => {
    expect((await health.request('/api/v1/things/1/', { method: 'OPTIONS', ...bad })).status).toBe(200);
    expect((await hosting.request('/things/1/', { method: 'OPTIONS', ...bad })).status).toBe(204);
  });

  test('on an unknown path is 404', async () => {
    expect((await health.request('/api/v1/nowhere/', { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('a preflight', () => {
  // fetch forbids these headers; a raw connection does not.
  const ask = (url: string, path: string, headers: Record<string, string>): Promise<string> =>
    sendRaw(url, rawRequest('OPTIONS', path, { 'Access-Control-Request-Method': 'PUT', ...headers }));

  test('is answered without a credential', async () => {
    const answer = await ask(health.url, '/api/v1/things/1/', {
      Origin: 'https://a.example',
      Authorization: 'Bearer bad',
    });
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer).toContain('\r\nAccess-Control-Allow-Origin: *\r\n');
    expect(answer).toContain('\r\nAccess-Control-Allow-Methods: GET, PUT, HEAD, OPTIONS\r\n');
    expect(answer).toContain(
      '\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, If-Match, X-Refresh-Token, X-Request-Id, Accept, ',
    );
    expect(answer).toContain('\r\nAccess-Control-Max-Age: 86400\r\n');
    expect(answer).not.toMatch(/\r\nContent-(Type|Length)/);
  });

  test('has the same response on every path if the contract lists methods', async () => {
    for (const path of ['/things/1/', '/nowhere']) {
      const answer = await ask(hosting.url, path, { Origin: 'https://a.example', Authorization: 'Bearer bad' });
      expect(answer).toMatch(/^HTTP\/1\.1 204 /);
      expect(answer).toContain('\r\nAccess-Control-Allow-Methods: GET, POST, PATCH, PUT, DELETE\r\n');
      expect(answer).toContain(
        '\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, X-Host-OTP, X-Requested-With, Accept-Encoding, User-Agent, X-Host-Api-Version, ',
      );
    }
    const plain = await hosting.request('/things/1/', { method: 'OPTIONS' });
    expect(plain.headers.get('access-control-allow-methods')).toBe('GET, POST, PATCH, PUT, DELETE');
  });

  test('is answered without the trailing slash too, and not on an unknown path', async () => {
    expect(await ask(health.url, '/api/v1/things/1', { Origin: 'https://a.example' })).toMatch(/^HTTP\/1\.1 204 /);
    expect(await ask(health.url, '/api/v1/nowhere/', { Origin: 'https://a.example' })).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('of an origin that is not allowed has no CORS headers', async () => {
    const wanted = await ask(choosy.url, '/api/v1/things/1/', { Origin: 'https://b.example' });
    expect(wanted).toContain('\r\nAccess-Control-Allow-Origin: https://b.example\r\n');
    const other = await ask(choosy.url, '/api/v1/things/1/', { Origin: 'https://a.example.evil.example' });
    expect(other).not.toContain('Access-Control-Allow-Origin');
  });
});

describe('responses to pages of other origins', () => {
  const allowedFor = async (
    facade: typeof choosy,
    origin: string | undefined,
    path = '/things/1/',
  ): Promise<(string | null)[]> => {
    const { headers } = await facade.request(
      `${facade === hosting ? '' : '/api/v1'}${path}`,
      origin === undefined ? {} : { headers: { origin } },
    );
    return ['access-control-allow-origin', 'access-control-expose-headers'].map(name => headers.get(name));
  };

  test('may be read by every page if all origins are allowed', async () => {
    const { exposeHeaders } = hosting.product.cors;
    expect(await allowedFor(hosting, undefined)).toEqual(['*', exposeHeaders.join(', ')]);
    expect(await allowedFor(health, 'https://a.example')).toEqual(['*', 'Retry-After, X-Request-Id']);
  });

  test('may be read by allowed origins only', async () => {
    expect(await allowedFor(choosy, 'https://a.example')).toEqual(['https://a.example', 'Link']);
    for (const origin of [undefined, 'null', 'https://c.example', 'http://a.example', 'https://A.example', '*']) {
      expect(await allowedFor(choosy, origin)).toEqual([null, null]);
    }
  });

  test('may be read if they are errors too', async () => {
    for (const path of ['/nowhere/', '/things/x/', '/things/1']) {
      expect(await allowedFor(choosy, 'https://a.example', path)).toEqual(['https://a.example', 'Link']);
    }
    expect((await health.request('/api/v1/things/1/', bad)).headers.get('access-control-allow-origin')).toBe('*');
  });
});
