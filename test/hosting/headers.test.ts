import { describe, expect, test } from '@jest/globals';
import { answersIn, BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:34:56Z' });
const branded = await testGateway({
  data: 'empty',
  settings: { HOSTING_BRAND: 'github', BASE_URL: 'https://code.example' },
});

/** A raw request: a client would add a User-Agent. */
async function bare(path: string, headers = '') {
  const connection = await BareConnection.open(gateway.url);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
  const received = await connection.closed();
  connection.destroy();
  const [answer] = answersIn(received);
  return { received, status: answer?.status, body: answer?.body, headers: answer?.headers };
}

describe('User-Agent', () => {
  test.each(['/versions', '/', '/api/v3/versions', '/nowhere'])('is required for %s', async path => {
    const { status, headers, body } = await bare(path);
    expect([status, headers?.['content-type']]).toEqual([403, 'application/json; charset=utf-8']);
    expect(JSON.parse(body ?? '')).toEqual({
      message: expect.stringMatching(
        /^Request forbidden by administrative rules. Please make sure your request has a User-Agent header \(/,
      ),
      documentation_url: expect.stringMatching(/\/docs\/rest$/),
      status: '403',
    });
    expect((await bare(path, 'User-Agent: \r\n')).status).toBe(403);
    expect((await bare(path, 'User-Agent: x\r\n')).status).not.toBe(403);
  });

  test.each(['/docs/', '/livez', '/readyz', '/openapi/hosting.json', '/api/v1/articles/'])(
    'is not required for %s',
    async path => {
      expect((await bare(path)).status).toBe(200);
    },
  );

  test('is not required for GraphQL', async () => {
    const answer = await bare('/graphql?query=%7B__typename%7D', 'Apollo-Require-Preflight: 1\r\n');
    expect(answer.status).toBe(200);
  });
});

describe('every answer', () => {
  test.each([
    ['/versions', 200],
    ['/nowhere', 404],
  ])('%s has the published headers', async (path, status) => {
    const { headers, status: got } = await gateway.request(path);
    expect(got).toBe(status);
    const published = {
      'access-control-allow-origin': '*',
      'strict-transport-security': 'max-age=31536000; includeSubdomains; preload',
      'x-frame-options': 'deny',
      'x-content-type-options': 'nosniff',
      'x-xss-protection': '0',
      'referrer-policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
      'content-security-policy': "default-src 'none'",
      'content-type': 'application/json; charset=utf-8',
      'cache-control': status === 200 ? 'public, max-age=60, s-maxage=60' : 'no-store',
      'x-host-media-type': 'unknown, host.v3',
      date: 'Sun, 01 Nov 2026 12:34:56 GMT',
    };
    expect(Object.fromEntries(Object.keys(published).map(name => [name, headers.get(name)]))).toEqual(published);
    expect(headers.get('access-control-expose-headers')).toMatch(
      /^ETag, Link, Location, Retry-After, X-Host-OTP, X-RateLimit-Limit, .*, X-Host-Request-Id, Deprecation, Sunset/,
    );
    expect(headers.get('server')).not.toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  });

  test('has an id in five groups that is also in the log', async () => {
    const { headers } = await gateway.request('/versions');
    const id = headers.get('x-host-request-id') ?? '';
    expect(id).toMatch(/^[0-9A-F]{4}:[0-9A-F]{6}:[0-9A-F]{7}:[0-9A-F]{7}:[0-9A-F]{8}$/);
    expect(id.replaceAll(':', '').toLowerCase()).toBe(headers.get('x-request-id')?.replaceAll('-', ''));
    const own = await gateway.request('/versions', { headers: { 'X-Request-Id': 'trace-1' } });
    expect(own.headers.get('x-request-id')).toBe('trace-1');
    expect(own.headers.get('x-host-request-id')).toMatch(/^[0-9A-F]{4}(:[0-9A-F]{6,8}){4}$/);
  });

  test('has two Vary lines', async () => {
    const { received } = await bare('/versions', 'User-Agent: x\r\n');
    expect(received.match(/^Vary: .*$/gm)).toEqual([
      'Vary: Accept, Authorization, Cookie, X-Host-OTP, X-Host-Api-Version',
      'Vary: Accept-Encoding, Accept, X-Requested-With',
    ]);
  });

  test('to an invalid credential has no API version and is not cached', async () => {
    const { status, json, headers } = await gateway.request('/versions', {
      headers: { Authorization: 'Bearer nonsense' },
    });
    expect([status, json]).toEqual([
      401,
      { message: 'Bad credentials', documentation_url: `${gateway.url}/docs/rest`, status: '401' },
    ]);
    expect([headers.get('x-host-api-version-selected'), headers.get('cache-control')]).toEqual([null, 'no-store']);
    expect(headers.get('vary')).toBe(
      'Accept, Authorization, Cookie, X-Host-OTP, X-Host-Api-Version, Accept-Encoding, Accept, X-Requested-With',
    );
  });
});

describe('ETags', () => {
  test('save the body of a repeated read', async () => {
    const first = await gateway.request('/versions');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    const second = await gateway.request('/versions', { headers: { 'If-None-Match': `W/${etag}` } });
    expect([second.status, second.text, second.headers.get('etag')]).toEqual([304, '', etag]);
  });

  test('HEAD has the headers of GET', async () => {
    const kept = ({ headers }: { headers: Headers }): unknown[] =>
      ['etag', 'content-length', 'content-type', 'cache-control', 'vary'].map(name => headers.get(name));
    const head = await gateway.request('/versions', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(kept(head)).toEqual(kept(await gateway.request('/versions')));
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10);
  });
});

describe('methods', () => {
  test('that do not exist are 404, and 403 for anonymous writes', async () => {
    const { status, json, headers } = await gateway.request('/versions', { method: 'POST' });
    expect([status, json.message, headers.get('allow')]).toEqual([403, 'Requires authentication', null]);
    expect((await gateway.request('/nowhere', { method: 'POST' })).status).toBe(404);
  });

  test('are listed for browsers on every path', async () => {
    for (const path of ['/versions', '/nowhere']) {
      const { status, headers } = await gateway.request(path, {
        method: 'OPTIONS',
        headers: { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' },
      });
      expect([status, headers.get('access-control-allow-methods'), headers.get('access-control-max-age')]).toEqual([
        204,
        'GET, POST, PATCH, PUT, DELETE',
        '86400',
      ]);
      expect(headers.get('access-control-allow-headers')).toMatch(
        /^Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, X-Host-OTP, X-Requested-With, Accept-Encoding, User-Agent, X-Host-Api-Version, X-GitHub-OTP, X-GitHub-Api-Version, /,
      );
    }
  });

  test('a trailing slash is a different path', async () => {
    expect((await gateway.request('/versions/')).status).toBe(404);
    expect((await gateway.request('/api/v3/versions/')).status).toBe(404);
  });
});

describe('the brand', () => {
  test('is in header names and media types', async () => {
    const { status, headers } = await branded.request('/versions', {
      headers: { Accept: 'application/vnd.github.v3+json', 'X-GitHub-Api-Version': '2026-03-10' },
    });
    expect([status, headers.get('x-github-media-type'), headers.get('x-github-api-version-selected')]).toEqual([
      200,
      'github.v3; format=json',
      '2026-03-10',
    ]);
    expect(headers.get('x-github-request-id')).not.toBeNull();
    expect([...headers.keys()].filter(name => name.startsWith('x-host'))).toEqual([]);
    expect(headers.get('access-control-expose-headers')).not.toContain('Host');
  });

  test('is spelled as its owner does, also in the documentation', async () => {
    const connection = await BareConnection.open(branded.url);
    connection.send('GET /versions HTTP/1.1\r\nHost: code.example\r\nUser-Agent: t\r\n\r\n');
    await connection.answer();
    expect(connection.received.match(/^X-git.*?:/gim)).toEqual(
      expect.arrayContaining(['X-GitHub-Media-Type:', 'X-GitHub-Request-Id:', 'X-GitHub-Api-Version-Selected:']),
    );
    connection.destroy();
    const { text, json } = await branded.request('/openapi/hosting.json');
    expect(json.paths['/versions'].get.description).toContain('`X-GitHub-Api-Version` selects one');
    expect(text).not.toContain('X-Host-');
  });

  test('of requests may be that of the contract', async () => {
    const { status, headers } = await branded.request('/versions', {
      headers: { Accept: 'application/vnd.host+json', 'X-Host-Api-Version': '2026-03-10' },
    });
    expect([status, headers.get('x-github-media-type'), headers.get('x-github-api-version-selected')]).toEqual([
      200,
      'github.v3; format=json',
      '2026-03-10',
    ]);
    const other = await branded.request('/versions', { headers: { Accept: 'application/vnd.example+json' } });
    expect([other.status, other.json.documentation_url]).toEqual([415, 'https://code.example/docs/v3/media']);
    const wrong = await branded.request('/versions', { headers: { 'X-GitHub-Api-Version': '1999-01-01' } });
    expect(wrong.json.errors).toContain('"X-GitHub-Api-Version" request header, "1999-01-01"');
  });
});
