import { describe, expect, test } from '@jest/globals';
import { GraphQLJSON } from 'graphql-scalars';
import { testOfConnection } from './adapters.ts';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { rawConnection, rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  scalar JSON
  input Node { text: String, node: Node }
  type Query { get(text: String): String! }
  type Mutation { put(text: String, json: JSON, node: Node): String!, remove(text: String): String! }`,
  { JSON: GraphQLJSON.toConfig(), Query: { get: echo }, Mutation: { put: echo, remove: echo } },
);

const operations = {
  'a/get.graphql': `query Get($text: String) @rest(method: GET, path: "/things/") { get(text: $text) @body }`,
  'a/put.graphql': `mutation Put($text: String, $json: JSON, $node: Node) @rest(method: POST, path: "/things/") {
    put(text: $text, json: $json, node: $node) @body }`,
  'a/small.graphql': `mutation Small($text: String) @rest(method: PUT, path: "/things/", maxBodyBytes: 100) { put(text: $text) @body }`,
  'a/remove.graphql': `mutation Remove($text: String) @rest(method: DELETE, path: "/things/") { remove(text: $text) @body }`,
};
const health = await startTestFacade({ graph, operations });
const hosting = await startTestFacade({ graph, operations, product: 'hosting-like' });
/** For raw connections: the first of the two servers is the compiled one. */
const path = '/api/v1/things/';
const post = (body: string | Buffer, type: string | undefined = 'application/json') =>
  health.request(path, {
    method: 'POST',
    body: body as string,
    headers: type === undefined ? {} : { 'content-type': type },
  });
const postHosting = (body: string, type: string) =>
  hosting.request('/things/', { method: 'POST', body, headers: { 'content-type': type } });

describe('JSON', () => {
  test('is read as an object, spaces and a byte order mark around it included', async () => {
    expect((await post(' {"text": "a"}\n')).json).toBe('{"text":"a"}');
    expect((await post('\uFEFF{"text": "a"}')).json).toBe('{"text":"a"}');
    expect((await post('{"text": "\\u017e\\ud83d\\udc0e ž🐎"}')).json).toBe('{"text":"ž🐎 ž🐎"}');
  });

  test('a repeated key is refused', async () => {
    for (const body of [
      '{"text": "a", "text": "b"}',
      '{"text": "a", "t\\u0065xt": null}',
      '{"unknown": 1, "unknown": 1}',
      '{"json": [{"a": {"b": 1, "c": 2, "b": 3}}]}',
      '{"json": {"__proto__": 1, "__proto__": 2}}',
      `{${Array(15_500).fill('"text": ""')}}`,
    ]) {
      const { status, json } = await post(body);
      expect([status, json]).toEqual([
        400,
        { detail: 'JSON parse error - An object has a key twice.', code: 'parse_error' },
      ]);
      const other = await postHosting(body, 'application/json');
      expect([other.status, other.json.message]).toEqual([400, 'Problems parsing JSON']);
    }
    const same = '{"json": [{"a": 1}, {"a": ":,{\\"a\\":"}], "text": "{\\"a\\":1,\\"a\\":2}"}';
    expect((await post(same)).status).toBe(200);
  });

  test.each([
    '{',
    '{"text": }',
    "{'text': 'a'}",
    '{"text": NaN}',
    '{"text": Infinity}',
    '{"text": 01}',
    '{"text": "a",}',
    '{"text": "\u0001"}',
    '{} {}',
    'text=a',
    '{"text": "\\x41"}',
    '\0',
  ])('%j is none', async body => {
    const { status, json } = await post(body);
    expect(status).toBe(400);
    expect(json).toEqual({ detail: expect.stringMatching(/^JSON parse error - /), code: 'parse_error' });
    const other = await postHosting(body, 'application/json');
    expect([other.status, other.json.message]).toEqual([400, 'Problems parsing JSON']);
  });

  test.each([
    ['[]', 'list'],
    ['[{"text": "a"}]', 'list'],
    ['"text"', 'str'],
    ['5', 'int'],
    ['true', 'bool'],
  ])('%s is no object', async (body, type) => {
    const { status, json } = await post(body);
    expect(status).toBe(400);
    expect(json).toEqual({ non_field_errors: [`Invalid data. Expected a dictionary, but got ${type}.`] });
    const other = await postHosting(body, 'application/json');
    expect([other.status, other.json.message]).toEqual([400, 'Body should be a JSON object']);
  });

  test('null is an absent body', async () => {
    expect((await post('null')).json).toEqual((await post('')).json);
    const [none, absent] = [await postHosting('null', 'application/json'), await postHosting('', 'application/json')];
    expect([none.status, none.json]).toEqual([absent.status, absent.json]);
  });

  test.each(['ff', 'c0af', 'eda080', '7b22746578740022', '22f0'])('bytes %s are no UTF-8 or no JSON', async hex => {
    const { status, json } = await post(
      Buffer.concat([Buffer.from('{"text": "'), Buffer.from(hex, 'hex'), Buffer.from('"}')]),
    );
    expect([status, json.code]).toEqual([400, 'parse_error']);
  });

  test('has a hundred levels at most, however it ends', async () => {
    const deep = (levels: number): string => `{"json": ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await post(deep(100))).status).toBe(200);
    const { status, json } = await post(deep(101));
    expect([status, json.detail]).toEqual([400, 'JSON parse error - The body is nested more than 100 levels deep.']);
    expect((await post(`{"text": "${'[{'.repeat(500)}", "json": "\\\\"}`)).status).toBe(200);
    for (const bomb of [
      deep(100_000),
      '['.repeat(100_000),
      `{"node": ${'{"node": '.repeat(50_000)}{}${'}'.repeat(50_000)}}`,
      `{"text": ${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ]) {
      expect((await post(bomb)).status).toBe(400);
      expect((await postHosting(bomb, 'application/json')).status).toBe(400);
    }
  });
});

describe('the media type', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ;x=y',
    'application/vnd.host+json',
  ])('%s is JSON', async type => {
    expect((await post('{"text": "a"}', type)).json).toBe('{"text":"a"}');
  });

  test.each([
    'text/plain',
    'multipart/form-data',
    'multipart/mixed; boundary=x',
    'application/jsonp',
    'text/json',
    'application/json,text/plain',
    'application/xml',
    'garbage',
  ])('%s is not, and is refused where the product looks at it', async type => {
    const { status, json } = await post('{"text": "a"}', type);
    expect([status, json]).toEqual([
      415,
      { detail: `Unsupported media type "${type}" in request.`, code: 'unsupported_media_type' },
    ]);
    expect((await postHosting('{"text": "a"}', type)).json).toBe('{"text":"a"}');
  });

  test('missing is as wrong, and of no interest without a body', async () => {
    const request = (body: string): string => rawRequest('POST', path, { 'Content-Length': String(body.length) }, body);
    expect(await sendRaw(health.url, request('{"text": "a"}'))).toMatch(/^HTTP\/1\.1 415 /);
    expect(await sendRaw(health.url, request(''))).toMatch(/^HTTP\/1\.1 200 /);
    expect((await post('', 'text/plain')).json).toBe('{}');
  });
});

describe('bodies where nobody expects them', () => {
  test('DELETE reads one', async () => {
    expect((await health.send('DELETE', path, { text: 'a' })).json).toBe('{"text":"a"}');
    expect((await health.request(path, { method: 'DELETE' })).json).toBe('{}');
  });

  test('GET and HEAD do not look at theirs, and the next request of the connection is not confused', async () => {
    const connection = rawConnection(health.url);
    const body = '{"text": "from the body"}';
    const headers = {
      Connection: 'keep-alive',
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    };
    connection.socket.write(rawRequest('GET', path, headers, body));
    await connection.until('\r\n\r\n"{}"');
    connection.socket.write(rawRequest('HEAD', path, headers, body) + rawRequest('GET', `${path}?text=next`));
    const all = await connection.closed();
    expect(all).not.toContain('from the body');
    expect(all.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    expect(all).toMatch(/"\{\\"text\\":\\"next\\"\}"$/);
  });

  test('an unknown path, a wrong method and a preflight drop a small one', async () => {
    const connection = rawConnection(health.url);
    const body = '{"text": "GET / HTTP/1.1"}';
    const headers = { Connection: 'keep-alive', 'Content-Length': String(body.length) };
    for (const [method, target] of [
      ['POST', '/api/v1/nowhere/'],
      ['PATCH', path],
    ] as const) {
      connection.socket.write(rawRequest(method, target, headers, body));
    }
    const preflight = { ...headers, Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' };
    connection.socket.write(rawRequest('OPTIONS', path, preflight, body) + rawRequest('GET', path));
    expect((await connection.closed()).match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 404',
      'HTTP/1.1 405',
      'HTTP/1.1 204',
      'HTTP/1.1 200',
    ]);
  });
});

describe('chunked bodies', () => {
  test('are read like others', async () => {
    const body = '4\r\n{"te\r\n3\r\nxt"\r\n6;a=b\r\n: "ž"}\r\n0\r\nTrailer: x\r\n\r\n';
    const request = rawRequest('POST', path, { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' });
    const bytes = body.replace('6;a', '7;a');
    expect(await sendRaw(health.url, Buffer.from(request + bytes, 'utf8'))).toContain(
      Buffer.from('"{\\"text\\":\\"ž\\"}"').toString('latin1'),
    );
    expect(await sendRaw(health.url, `${request}0\r\n\r\n`)).toMatch(/"\{\}"$/);
  });

  test('may arrive byte by byte', async () => {
    const connection = rawConnection(health.url);
    const body = '{"text": "slow"}';
    connection.socket.setNoDelay(true);
    connection.socket.write(
      rawRequest('POST', path, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
    );
    for (const byte of body) await new Promise(resolve => connection.socket.write(byte, resolve));
    expect(await connection.closed()).toMatch(/"\{\\"text\\":\\"slow\\"\}"$/);
  });
});

describe('too large a body', () => {
  const limit = 1024 * 1024;
  const said = (most: number): string => `{"detail":"The body is larger than ${most} bytes.","code":"too_large"}`;

  test('up to the limit is read, and one byte more is not', async () => {
    const body = (size: number): string => `{"text":"${'x'.repeat(size - 11)}"}`;
    expect((await post(body(limit))).status).toBe(200);
    const { status, text } = await post(body(limit + 1));
    expect([status, text]).toEqual([413, said(limit)]);
    const other = await hosting.send('POST', '/things/', { text: 'x'.repeat(limit) });
    expect([other.status, other.json]).toEqual([
      413,
      {
        message: `The body is larger than ${limit} bytes.`,
        documentation_url: 'https://docs.example.org/rest',
        status: '413',
      },
    ]);
  });

  test('has a limit of its own where the operation says so', async () => {
    const put = (size: number) => health.send('PUT', path, { text: 'x'.repeat(size) });
    expect((await put(89)).status).toBe(200);
    const { status, text } = await put(90);
    expect([status, text]).toEqual([413, said(100)]);
  });

  testOfConnection('is refused by its announcement, before a byte of it is there', async () => {
    const connection = rawConnection(health.url);
    connection.socket.write(rawRequest('POST', path, { Connection: 'keep-alive', 'Content-Length': '10485760' }));
    const answer = await connection.until(said(limit));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('\r\nConnection: close\r\n');
    connection.socket.destroy();
  });

  testOfConnection.each([
    ['announced', (size: number) => ({ head: { 'Content-Length': String(size) }, chunk: (text: string) => text })],
    [
      'chunked',
      () => ({
        head: { 'Transfer-Encoding': 'chunked' },
        chunk: (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`,
      }),
    ],
  ])('%s, is answered while it is being sent, and is not read to its end', async (_, shape) => {
    const size = 64 * 1024 * 1024;
    const { head, chunk } = shape(size);
    const connection = rawConnection(health.url);
    connection.socket.write(
      rawRequest('POST', path, { Connection: 'keep-alive', 'Content-Type': 'application/json', ...head }),
    );
    const block = Buffer.from(chunk('x'.repeat(65_536)));
    for (let sent = 0; sent < size && !connection.socket.destroyed; sent += 65_536) {
      // The server stops reading, so there is no `drain` to wait for.
      if (!connection.socket.write(block)) {
        const drained = new Promise<void>(resolve => connection.socket.once('drain', resolve));
        await Promise.race([drained, connection.until(said(limit))]);
        if (connection.received() !== '' && connection.socket.writableNeedDrain) break;
      }
    }
    const answer = await connection.until(said(limit));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    // Socket buffers of both sides add to what was read.
    expect(connection.socket.bytesWritten).toBeLessThan(size / 2);
    expect(await connection.closed()).toBe(answer);
  });

  test('sent to its end by a client that does not listen meanwhile is answered all the same', async () => {
    const body = 'x'.repeat(limit + 500_000);
    const answer = await sendRaw(health.url, rawRequest('POST', path, { 'Content-Length': String(body.length) }, body));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain(said(limit));
  });

  testOfConnection('on an unknown path closes the connection instead of being read', async () => {
    const connection = rawConnection(health.url);
    connection.socket.write(
      rawRequest('POST', '/api/v1/nowhere/', { Connection: 'keep-alive', 'Content-Length': '99999999999' }),
    );
    const answer = await connection.until('not_found');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('\r\nConnection: close\r\n');
    connection.socket.destroy();
  });

  test('leaves a server that answers others', async () => {
    await Promise.all(Array.from({ length: 10 }, () => post('x'.repeat(2 * limit)).catch(() => undefined)));
    expect((await post('{"text": "a"}')).json).toBe('{"text":"a"}');
  });
});

describe('a client that leaves', () => {
  test('before its body is whole is no defect', async () => {
    for (const head of [{ 'Content-Length': '100' }, { 'Transfer-Encoding': 'chunked' }]) {
      const connection = rawConnection(health.url);
      const closed = new Promise(resolve => health.server.once('connection', socket => socket.once('close', resolve)));
      connection.socket.write(rawRequest('POST', path, { 'Content-Type': 'application/json', ...head }, '5\r\n{"tex'));
      await new Promise(resolve => health.server.once('request', resolve));
      connection.socket.resetAndDestroy();
      await closed;
    }
    expect((await post('{"text": "a"}')).json).toBe('{"text":"a"}');
    expect(health.takeDefects()).toEqual([]);
  });
});
