import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { answersIn, BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ settings: { ALLOWED_HOSTS: 'a.example, api.example' } });
const hasty = await testGateway({ settings: { REQUEST_TIMEOUT_MS: '1000' } });

/**
 * Sends `bytes` on a new connection and returns the first response, as soon as `until` matches or the connection closes.
 */
async function answerTo(bytes: string, until = /\r\n\r\n.*[\]}]$/s) {
  const connection = await BareConnection.open(gateway.url);
  connection.send(bytes);
  const [answer] = answersIn(await connection.until(until));
  connection.destroy();
  return answer;
}

describe('an unreadable request', () => {
  const unreadable: [name: string, bytes: string, status: number][] = [
    ['noise', 'NOISE\r\n\r\n', 400],
    ['an unknown method', 'FETCH /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['an unknown HTTP version', 'GET /versions HTTP/7.0\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['a space in the target', 'GET /versi ons HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['an asterisk target without OPTIONS', 'GET * HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['a fragment', 'GET /versions#2022 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['an invalid absolute URL', 'GET http://[/x HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['an absolute URL without a host', 'GET http:/// HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['another scheme with a host', 'GET ftp://a/versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['another scheme', 'GET foo:bar HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n', 400],
    ['NUL in a header', 'GET /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nX: \0\r\n\r\n', 400],
    [
      'a header folded over two lines',
      'GET /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nX: 1\r\n 2\r\n\r\n',
      400,
    ],
    ['a space before the colon of a header', 'GET /versions HTTP/1.1\r\nHost : a\r\n\r\n', 400],
    [
      'two different lengths',
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
      400,
    ],
    [
      'Content-Length with Transfer-Encoding (request smuggling)',
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc',
      400,
    ],
    ['a target of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n`, 431],
    [
      'a header of 20 KB',
      `GET /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['no Host header', 'GET /versions HTTP/1.1\r\n\r\n', 400],
    ['two Host headers', 'GET /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nHost: b\r\n\r\n', 400],
  ];

  test.each(unreadable)('%s is rejected in JSON', async (_name, bytes, status) => {
    const answer = await answerTo(bytes);
    expect(answer?.status).toBe(status);
    expect(answer?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      message: expect.any(String),
      documentation_url: expect.stringMatching(/^http:\/\/(localhost|b|127\.0\.0\.1:\d+)\/docs\/rest$/),
      status: String(status),
    });
  });

  test('a malformed chunked body is rejected in the error format of its API, and the connection closed', async () => {
    const connection = await BareConnection.open(gateway.url);
    connection.send(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    );
    const [answer] = answersIn(await connection.closed());
    expect(answer?.status).toBe(400);
    expect(answer?.headers.connection).toBe('close');
    expect(JSON.parse(answer?.body ?? '').errors[0].extensions.code).toBe('BAD_REQUEST');
  });

  test('a client that disconnects in the middle of a request causes no error', async () => {
    for (const bytes of [
      'GE',
      'GET /versions HTTP/1.1\r\nHo',
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nContent-Length: 9\r\n\r\nab',
    ]) {
      const connection = await BareConnection.open(gateway.url);
      connection.send(bytes);
      connection.destroy();
    }
    expect((await gateway.request('/livez')).status).toBe(200);
  });
});

describe('unusual valid requests', () => {
  test('a target in absolute form is served by its path, and its host replaces the Host header', async () => {
    const answer = await answerTo(
      'GET http://api.example:81/api/v1/articles/?page_size=1 HTTP/1.1\r\nHost: other\r\n\r\n',
    );
    expect(answer?.status).toBe(200);
    expect(JSON.parse(answer?.body ?? '').next).toMatch(
      /^http:\/\/api\.example:81\/api\/v1\/articles\/\?page_size=1&page=2&as_of=[\d.]+$/,
    );
  });

  test('a target in absolute form reaches every entry point', async () => {
    for (const path of ['/versions', '/livez', '/graphql?query=%7B__typename%7D', '/openapi/health.json']) {
      const answer = await answerTo(
        `GET http://name:secret@a.example${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nApollo-Require-Preflight: 1\r\n\r\n`,
        /\r\n\r\n.+/s,
      );
      expect({ path, status: answer?.status }).toEqual({ path, status: 200 });
    }
  });

  test('OPTIONS * is 404 in JSON: there is no such resource', async () => {
    const answer = await answerTo('OPTIONS * HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n');
    expect(answer?.status).toBe(404);
    expect(JSON.parse(answer?.body ?? '').status).toBe('404');
  });

  test('HTTP/1.0 needs no Host; the connection is closed after the response', async () => {
    const connection = await BareConnection.open(gateway.url);
    connection.send('GET /versions HTTP/1.0\r\nUser-Agent: t\r\n\r\n');
    const [answer] = answersIn(await connection.closed());
    expect(answer?.status).toBe(200);
    expect(answer?.headers.connection).toBe('close');
  });

  test('pipelined requests are answered in order, with unread bodies in between', async () => {
    const connection = await BareConnection.open(gateway.url);
    const host = 'HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t';
    connection.send(
      [
        `GET /api/v1/articles/?page_size=1 ${host}\r\n\r\n`,
        `POST /no/such/place ${host}\r\nContent-Length: 30\r\n\r\n${'GET /livez HTTP/1.1'.padEnd(30)}`,
        `GET /versions ${host}\r\nContent-Length: 3\r\n\r\n{}}`,
        `GET /livez ${host}\r\n\r\n`,
      ].join(''),
    );
    const answers = answersIn(await connection.until(/\{"status":"ok"\}$/));
    connection.destroy();
    expect(answers.map(response => response.status)).toEqual([200, 404, 200, 200]);
    expect(JSON.parse(answers[0]?.body ?? '').count).toBe(60);
    expect(JSON.parse(answers[2]?.body ?? '')).toContain('2022-11-28');
  });

  test('Expect: 100-continue gets 100 and then the response', async () => {
    const connection = await BareConnection.open(gateway.url);
    const body = JSON.stringify({ query: '{ __typename }' });
    connection.send(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    expect(answersIn(await connection.until(/\r\n\r\n/)).map(response => response.status)).toEqual([100]);
    connection.send(body);
    const answers = answersIn(await connection.until(/Query"\}\}/));
    connection.destroy();
    expect(answers.map(response => response.status)).toEqual([100, 200]);
  });

  test('an unknown expectation is ignored', async () => {
    const answer = await answerTo(
      'GET /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nExpect: the-unexpected\r\n\r\n',
    );
    expect(answer?.status).toBe(200);
  });
});

describe('timeouts', () => {
  test('incomplete headers are 408 in JSON', async () => {
    const connection = await BareConnection.open(hasty.url);
    connection.send('GET /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nX-Slow: ');
    const [answer] = answersIn(await connection.closed());
    expect(answer?.status).toBe(408);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({
      status: '408',
      documentation_url: `${hasty.url}/docs/rest`,
    });
  });

  test('single bytes at intervals do not extend the timeout', async () => {
    const connection = await BareConnection.open(hasty.url);
    connection.send('GET /versions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nX-Slow: ');
    const drip = setInterval(() => connection.send('x'), 100);
    try {
      expect(answersIn(await connection.closed())[0]?.status).toBe(408);
    } finally {
      clearInterval(drip);
    }
  });

  test('an incomplete body is 408 in the error format of its API', async () => {
    const connection = await BareConnection.open(hasty.url);
    connection.send(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"qu',
    );
    const [answer] = answersIn(await connection.closed());
    expect(answer?.status).toBe(408);
    expect(JSON.parse(answer?.body ?? '').errors[0].extensions.code).toBe('REQUEST_TIMEOUT');
  });

  test.each([
    ['408 of a body', 'POST /repos/a/b/issues', 'Content-Length: 99\r\n\r\n{', 408],
    ['413', 'PUT /repos/wren/nowhere/contents/a', 'Content-Length: 999999999\r\n\r\n', 413],
    ['431', `GET /events?q=${'x'.repeat(20_000)}`, '\r\n', 431],
  ])('%s names the documentation with the origin of the request', async (_what, line, rest) => {
    const connection = await BareConnection.open(hasty.url);
    connection.send(`${line} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n${rest}`);
    const { status, body } = await connection.answer();
    connection.destroy();
    expect([status, JSON.parse(body).documentation_url]).toEqual([
      status,
      expect.stringMatching(/^http:\/\/(localhost|127\.0\.0\.1:\d+)\/docs\//),
    ]);
  });

  test('a response that takes too long is 503 in the error format of its API', async () => {
    const locker = new pg.Client(hasty.databaseUrl);
    await locker.connect();
    try {
      await locker.query('begin; lock table article in access exclusive mode');
      const [health, graphql] = await Promise.all([
        hasty.request('/api/v1/articles/'),
        hasty.graphql('{ articles { nodes { id } } }'),
      ]);
      expect(health.status).toBe(503);
      expect(health.json).toEqual({ detail: expect.any(String), code: 'service_unavailable' });
      expect(graphql.status).toBe(503);
      expect(graphql.json.errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE');
    } finally {
      await locker.end();
    }
  });

  test('a client that stops reading is disconnected', async () => {
    const connection = await BareConnection.open(hasty.url);
    connection.pause();
    // 30 MB: more than the buffers of the two sockets hold.
    connection.send('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n'.repeat(20));
    const cut = /portico_http_requests_total\{api="other",method="GET",status="aborted"\} \d+/;
    const deadline = Date.now() + 10_000;
    while (!cut.test((await hasty.metrics()).text)) {
      if (Date.now() > deadline) throw new Error('The client was not disconnected.');
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    connection.destroy();
  });

  test('an idle connection is kept for the next request', async () => {
    const connection = await BareConnection.open(gateway.url);
    connection.send('GET /livez HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n');
    const first = await connection.until(/"ok"\}$/);
    expect(answersIn(first)[0]?.headers['keep-alive']).toBe('timeout=65');
    connection.send('GET /livez HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n\r\n');
    expect(answersIn(await connection.until(/"ok"\}.+"ok"\}$/s))).toHaveLength(2);
    connection.destroy();
  });
});

describe('headers of every entry point', () => {
  const entryPoints = ['/api/v1/articles/', '/api/v1/nothing', '/livez', '/metrics', '/openapi/health.json'];

  test.each(entryPoints)('%s may not be framed, sniffed or run', async path => {
    const { headers } = await gateway.request(path);
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('strict-transport-security')).toMatch(/max-age=\d{7,}/);
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  });

  test('a response to a credential is not cached', async () => {
    const { status, headers } = await gateway.request('/api/v1/articles/', { headers: { Authorization: 'Bearer x' } });
    expect(status).toBe(401);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toMatch(/Authorization/);
  });

  test.each([['GET', '/livez/']])('%s %s is served', async (method, path) => {
    expect((await gateway.request(path, { method })).status).toBe(200);
  });

  test.each([
    ['GET', '/livez/deeper'],
    ['GET', '/LIVEZ'],
    ['DELETE', '/metrics'],
    ['GET', '/metrics/deeper'],
    ['GET', '/graphql/deeper'],
    ['POST', '/graphqls'],
    ['GET', '/openapi/health.json/deeper'],
    ['GET', '/openapi/nothing.json'],
    ['GET', '/docs/nothing.js'],
    ['GET', '/docs/index.html'],
    ['GET', '/docs/package.json'],
    ['GET', '/docs/%2e%2e/package.json'],
    ['GET', '/docs/..%2fpackage.json'],
    ['GET', '/docs/%zz'],
    ['GET', '/docs/%00'],
    ['GET', '/API/V1/articles/'],
    ['GET', '/api/v1x'],
    ['GET', '//'],
    ['GET', '//versions'],
    ['GET', '/versions/'],
  ])('%s %s is nothing, and says so in JSON', async (method, path) => {
    // Over a raw connection, because an HTTP client would normalize the path.
    const answer = await answerTo(
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(answer?.status).toBe(404);
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      message: 'Not Found',
      documentation_url: expect.stringMatching(/^(http:\/\/[\w.:]+)?\/docs\/rest$/),
      status: '404',
    });
    expect(answer?.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});
