import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLogger } from '../../src/server/logger.ts';
import { BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ logLevel: 'info' });
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const secret = 's3cr3t-0f-somebody';
const mail = 'ada.lovelace@example.org';

/** The log lines of the request with this id, as soon as one exists. */
async function linesOf(id: string): Promise<Record<string, unknown>[]> {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const lines = gateway.lines.map(line => JSON.parse(line)).filter(line => line.id === id);
    if (lines.length > 0) return lines;
    if (Date.now() > deadline) throw new Error(`No line was logged for ${id}.`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

describe('X-Request-Id', () => {
  const entryPoints = [
    '/api/v1/articles/',
    '/api/v1/nothing',
    '/versions',
    '/nothing',
    '/livez',
    '/graphql',
    '/docs/',
    '/docs/x',
  ];

  test.each(entryPoints)('is sent by %s and taken from the request', async path => {
    const fresh = await gateway.request(path);
    expect(fresh.headers.get('x-request-id')).toMatch(uuid);
    const given = await gateway.request(path, { headers: { 'X-Request-Id': 'trace_1.a-B' } });
    expect(given.headers.get('x-request-id')).toBe('trace_1.a-B');
  });

  test.each([
    ['empty', ''],
    ['65 characters long', 'x'.repeat(65)],
    ['with a space', 'a b'],
    ['with a quote', '"a"'],
    ['with a percent-encoded line break', 'a%0d%0ab'],
    ['with non-ASCII letters', 'é'],
    ['with a comma, as joined from two headers', 'a,b'],
  ])('is a new one when the caller’s is %s', async (_, value) => {
    const { headers } = await gateway.request('/livez', { headers: { 'X-Request-Id': value } });
    expect(headers.get('x-request-id')).toMatch(uuid);
  });

  test('of 64 characters is taken from the request', async () => {
    const { headers } = await gateway.request('/livez', { headers: { 'X-Request-Id': 'x'.repeat(64) } });
    expect(headers.get('x-request-id')).toBe('x'.repeat(64));
  });
});

describe('the log', () => {
  test('has one line per request: id, method, path, status, milliseconds, and nothing else', async () => {
    await gateway.request('/api/v1/articles/?page_size=1', { headers: { 'X-Request-Id': 'one-line' } });
    const [line, ...others] = await linesOf('one-line');
    expect(others).toEqual([]);
    expect(line).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      id: 'one-line',
      method: 'GET',
      path: '/api/v1/articles/',
      status: 200,
      caller: expect.stringMatching(/^[\w-]{12}$/),
      ms: expect.any(Number),
    });
  });

  test('marks a request as aborted if the client disconnected', async () => {
    await sql`select 1`.execute(gateway.database.sql);
    const connection = await BareConnection.open(gateway.url);
    connection.send(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: hung-up\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    // The response to another request shows that the server has read the beginning of the first one.
    await gateway.request('/livez');
    connection.destroy();
    expect((await linesOf('hung-up'))[0]?.status).toBe('aborted');
  });

  test('truncates a long path', async () => {
    await gateway.request(`/${'x'.repeat(5_000)}`, { headers: { 'X-Request-Id': 'long-path' } });
    expect(String((await linesOf('long-path'))[0]?.path)).toHaveLength(300);
  });

  test('contains no query string, body, token, cookie or address, with any outcome', async () => {
    const authorization = { Authorization: `Bearer ${secret}` };
    const json = { 'Content-Type': 'application/json' };
    const query = `search=${secret}&email=${encodeURIComponent(mail)}`;
    await gateway.request(`/api/v1/articles/?${query}`);
    await gateway.request(`/api/v1/articles/?${query}`, { headers: { ...authorization, Cookie: `session=${secret}` } });
    await gateway.request(`/api/v1/articles/?source=${secret}`);
    await gateway.request(`/api/v1/articles/?search=%00${secret}`);
    await gateway.request(`/nothing?${query}`, { method: 'POST', headers: json, body: `{"token":"${secret}"}` });
    await gateway.request(`/docs/start.js?${query}`);
    await gateway.graphql(`{ articles(search: "${secret} ${mail}") { nodes { id } } }`);
    await gateway.graphql('query ($s: String) { articles(search: $s) { nodes { id } } }', { s: mail });
    await gateway.graphql(`{ ${secret.replaceAll('-', '_')} }`);
    await gateway.graphql('query ($x: Int!) { articles(first: $x) { nodes { id } } }', { x: secret });
    await gateway.request('/graphql', { method: 'POST', headers: json, body: `{"query": "${secret}` });
    await gateway.request('/graphql', {
      method: 'POST',
      headers: { ...json, ...authorization },
      body: '{"query":"{a}"}',
    });
    const connection = await BareConnection.open(gateway.url);
    connection.send(
      `GET http://${secret}:${secret}@localhost/versions?${secret} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    connection.send(`\r\n${secret}\r\n\r\n`);
    await connection.closed();
    const last = await gateway.request('/livez');
    await linesOf(last.headers.get('x-request-id') ?? '');
    const text = gateway.lines.join('').toLowerCase();
    expect(text).toContain('/api/v1/articles/');
    for (const word of [secret, secret.replaceAll('-', '_'), 'ada.lovelace', 'search', 'bearer', 'session']) {
      expect(text).not.toContain(word.toLowerCase());
    }
  });

  test('describes a defect with its stack and the request id, without values', async () => {
    await sql`alter table category rename to category_away`.execute(gateway.database.sql);
    try {
      const options = { headers: { 'X-Request-Id': 'defective' } };
      const rest = await gateway.request(`/api/v1/articles/?search=${secret}`, options);
      expect(rest.status).toBe(500);
      await gateway.graphql(`{ articles(search: "${secret}") { nodes { categories { name } } } }`);
    } finally {
      await sql`alter table category_away rename to category`.execute(gateway.database.sql);
    }
    const defects = gateway.defects.splice(0).map(line => JSON.parse(line));
    expect(defects.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(defects)).not.toContain(secret);
    const [first] = defects;
    expect(first.id).toBe('defective');
    expect(first.msg).toBe('a request failed');
    expect(first.err.message).toContain('category');
    expect(first.err.stack[0]).toMatch(/^at /);
    expect(first.err).not.toHaveProperty('detail');
    expect(first.err).not.toHaveProperty('query');
  });
});

test('an error is logged by its type, message, code, stack and cause, and by no other property', () => {
  const lines: string[] = [];
  const logger = createLogger('error', { write: (line: string) => void lines.push(line) });
  const cause = Object.assign(new TypeError('inner'), { parameters: [secret] });
  const error = Object.assign(new Error('outer', { cause }), {
    code: '23505',
    detail: `Key (email)=(${mail})`,
    query: secret,
  });
  logger.error({ err: error }, 'failed');
  logger.error({ err: secret }, 'failed');
  const [first, second] = lines.map(line => JSON.parse(line));
  const stack = expect.arrayContaining([expect.stringMatching(/^at /)]);
  expect(first.err).toEqual({
    type: 'Error',
    message: 'outer',
    code: '23505',
    stack,
    cause: { type: 'TypeError', message: 'inner', stack },
  });
  expect(second.err).toEqual({ type: 'string' });
});
