import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { type BytesReference, bytes, redirect } from 'operation-rest';
import { buildTestSchema } from './build-test-schema.ts';
import { rawConnection, rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

/** Bytes by handle. */
const sources: Record<string, () => Readable | Promise<Readable>> = {};
const opened: Readable[] = [];
const open = async (handle: string): Promise<Readable> => {
  const source = await (sources[handle] ?? (() => Readable.from([])))();
  opened.push(source);
  return source;
};

let reference: Partial<BytesReference> & { extra?: string } = {};
let redirection: Record<string, unknown> = {};
const graph = buildTestSchema(
  `
  scalar SafeInt
  type BlobRef { handle: String!, mediaType: String!, size: SafeInt!, etag: String, filename: String, extra: String }
  type Redirect { url: String!, permanent: Boolean, status: Int }
  type Found { id: Int! }
  union Result = BlobRef | Redirect | Found
  type Query { blob: BlobRef, blobs: [BlobRef], result(how: String!): Result, go: Redirect }
  type Mutation { move: Redirect, replace: Result }`,
  {
    SafeInt: GraphQLSafeInt.toConfig(),
    Query: {
      blob: () => ({ mediaType: 'text/plain', ...reference }),
      blobs: () => [],
      result: (_: unknown, { how }: { how: string }) => ({
        __typename: how,
        id: 1,
        mediaType: 'text/plain',
        ...reference,
        ...redirection,
      }),
      go: () => redirection,
    },
    Mutation: { move: () => redirection, replace: () => ({ __typename: 'Redirect', ...redirection }) },
  },
);
const operations = {
  'a/blob.graphql': `query Blob @rest(method: GET, path: "/blob/") { blob @body { handle mediaType size etag filename extra @header(name: "X-Extra") } }`,
  'a/blobs.graphql': `query Blobs @rest(method: GET, path: "/blobs/") { blobs @body { handle } }`,
  'a/result.graphql': `query Result($how: String!) @rest(method: GET, path: "/result/{how}/") {
    result(how: $how) @body { ... on BlobRef @status(code: 203) { handle mediaType size } ... on Redirect @status(code: 303) { url } ... on Found { id } } }`,
  'a/go.graphql': `query Go @rest(method: GET, path: "/go/") { go @body { url permanent status } }`,
  'a/move.graphql': `mutation Move @rest(method: POST, path: "/go/") { move @body { url permanent status } }`,
  'a/replace.graphql': `mutation Replace @rest(method: PUT, path: "/go/") { replace @body { ... on Redirect { url permanent } } }`,
};
const responders = {
  BlobRef: { send: bytes(open), responses: { 200: { description: 'The bytes.' } } },
  Redirect: { send: redirect(), responses: { 302: { description: 'Elsewhere.' } } },
};
const facade = await startTestFacade({ graph, operations, overrides: { responders } });
const get = (path: string, init?: RequestInit) => facade.request(`/api/v1${path}`, init);
const raw = (method: string, path: string): Promise<string> =>
  sendRaw(facade.url, rawRequest(method, `/api/v1${path}`));

describe('bytes', () => {
  test('are sent unchanged, with the headers of the reference', async () => {
    const content = Buffer.from([0, 255, 13, 10, 128]);
    sources.some = () => Readable.from([content.subarray(0, 2), content.subarray(2)]);
    reference = {
      handle: 'some',
      mediaType: 'application/octet-stream',
      size: 5,
      etag: 'abc',
      filename: 'a.bin',
      extra: 'x',
    };
    const response = await fetch(`${facade.url}/api/v1/blob/`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
    expect(
      Object.fromEntries(
        ['content-type', 'content-length', 'etag', 'content-disposition', 'x-extra', 'vary'].map(name => [
          name,
          response.headers.get(name),
        ]),
      ),
    ).toEqual({
      'content-type': 'application/octet-stream',
      'content-length': '5',
      etag: '"abc"',
      'content-disposition': 'attachment; filename="a.bin"',
      'x-extra': 'x',
      vary: 'Authorization, Origin',
    });
  });

  test('may be empty', async () => {
    reference = { handle: 'empty', size: 0 };
    const { status, text, headers } = await get('/blob/');
    expect([
      status,
      text,
      headers.get('content-length'),
      headers.get('etag'),
      headers.get('content-disposition'),
    ]).toEqual([200, '', '0', null, null]);
  });

  test('are not opened for HEAD', async () => {
    sources.never = () => Promise.reject(new Error('opened'));
    reference = { handle: 'never', size: 2 ** 40, etag: 'W/"abc"' };
    const { status, headers } = await get('/blob/', { method: 'HEAD' });
    expect([status, headers.get('content-length'), headers.get('etag')]).toEqual([200, '1099511627776', 'W/"abc"']);
  });

  test.each([
    ['plain.txt', 'attachment; filename="plain.txt"'],
    ['a "b"\\c.txt', `attachment; filename="a _b__c.txt"; filename*=UTF-8''a%20%22b%22%5Cc.txt`],
    ["ž'(🐎).txt", `attachment; filename="_'(__).txt"; filename*=UTF-8''%C5%BE%27%28%F0%9F%90%8E%29.txt`],
    ['a\r\nSet-Cookie: b', `attachment; filename="a__Set-Cookie: b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
    ['100%.txt', `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
  ])('named %j are a download with that name', async (filename, disposition) => {
    reference = { handle: 'empty', size: 0, filename };
    expect((await get('/blob/')).headers.get('content-disposition')).toBe(disposition);
  });

  test('are sent with backpressure, and closed when the client disconnects', async () => {
    let made = 0;
    const block = Buffer.alloc(65_536, 'x');
    sources.endless = () =>
      new Readable({
        highWaterMark: 65_536,
        read() {
          made += block.length;
          this.push(block);
        },
      });
    reference = { handle: 'endless', size: 2 ** 40 };
    opened.length = 0;
    const connection = rawConnection(facade.url);
    connection.socket.write(rawRequest('GET', '/api/v1/blob/'));
    await connection.until('xxxx');
    connection.socket.pause();
    // Until the source is idle for ten event loop turns: all buffers between are full.
    for (let rests = 0, before = -1; rests < 10; rests = made === before ? rests + 1 : 0) {
      before = made;
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    expect(made).toBeLessThan(64 * 1024 * 1024);
    const [source] = opened;
    const closed = new Promise(resolve => source?.once('close', resolve));
    connection.socket.resetAndDestroy();
    await closed;
    expect(facade.takeDefects()).toEqual([]);
  });

  test('are closed when the client disconnects before the first chunk', async () => {
    sources.silent = () => new Readable({ read() {} });
    reference = { handle: 'silent', size: 1 };
    opened.length = 0;
    const connection = rawConnection(facade.url);
    connection.socket.write(rawRequest('GET', '/api/v1/blob/'));
    while (opened.length === 0) await new Promise(resolve => setImmediate(resolve));
    const closed = new Promise(resolve => opened[0]?.once('close', resolve));
    connection.socket.resetAndDestroy();
    await closed;
    expect(facade.takeDefects()).toEqual([]);
  });

  test('are closed when the client disconnected before they were opened', async () => {
    let give: (source: Readable) => void = () => {};
    sources.late = () =>
      new Promise(resolve => {
        give = resolve;
      });
    const source = new Readable({ read() {} });
    const gone = new Promise(resolve => facade.server.once('connection', socket => socket.once('close', resolve)));
    reference = { handle: 'late', size: 1 };
    const connection = rawConnection(facade.url);
    const asked = new Promise(resolve => facade.server.once('request', resolve));
    connection.socket.write(rawRequest('GET', '/api/v1/blob/'));
    await asked;
    await new Promise(resolve => setImmediate(resolve));
    connection.socket.resetAndDestroy();
    await gone;
    const closed = new Promise(resolve => source.once('close', resolve));
    give(source);
    await closed;
    expect(facade.takeDefects()).toEqual([]);
  });
});

describe('bytes that fail', () => {
  const failing = (before: Buffer[], error: Error) =>
    async function* () {
      yield* before;
      throw error;
    };

  test('before the first chunk are answered as an error, without the headers of the bytes', async () => {
    const failures: [string, () => Readable | Promise<Readable>, number][] = [
      ['open', () => Promise.reject(new Error('open')), 500],
      ['first', () => Readable.from(failing([], new Error('first'))()), 500],
      [
        'gone',
        () => {
          throw new GraphQLError('Not found.', { extensions: { code: 'NOT_FOUND', http: { status: 404 } } });
        },
        404,
      ],
    ];
    for (const [handle, source, status] of failures) {
      sources[handle] = source;
      reference = { handle, size: 10, etag: 'abc', filename: 'a', extra: 'x' };
      const answer = await get('/blob/');
      expect([handle, answer.status, answer.headers.get('content-type')]).toEqual([handle, status, 'application/json']);
      for (const name of ['etag', 'content-disposition', 'x-extra']) expect(answer.headers.get(name)).toBeNull();
      expect(facade.takeDefects()).toHaveLength(status === 500 ? 1 : 0);
    }
  });

  test.each([
    ['midway', () => Readable.from(failing([Buffer.from('abc')], new Error('midway'))()), 'midway'],
    ['by being too few', () => Readable.from([Buffer.from('abc')]), 'short does not have the announced 10 bytes.'],
    [
      'by being too many',
      () => Readable.from([Buffer.from('abc'), Buffer.from('defghijklm')]),
      'short does not have the announced 10 bytes.',
    ],
  ])('%s close the connection, so that the response is not taken for complete', async (_, source, message) => {
    sources.short = source;
    reference = { handle: 'short', size: 10 };
    const answer = await raw('GET', '/blob/');
    // Unsent bytes are lost with the connection.
    expect(answer === '' || (answer.includes('Content-Length: 10') && answer.endsWith('\r\n\r\nabc'))).toBe(true);
    expect(facade.takeDefects()).toEqual([expect.objectContaining({ message })]);
    await expect(fetch(`${facade.url}/api/v1/blob/`).then(response => response.text())).rejects.toThrow();
    expect(facade.takeDefects()).toHaveLength(1);
  });
});

describe('redirects', () => {
  test.each([
    [{}, 302, 307],
    [{ permanent: false }, 302, 307],
    [{ permanent: true }, 301, 308],
    [{ permanent: true, status: 307 }, 307, 307],
    [{ status: 303 }, 303, 303],
    [{ status: 200 }, 302, 307],
  ])('%j are %d for reads and %d for writes', async (said, read, write) => {
    redirection = { url: 'https://example.org/x?a=b#c', ...said };
    for (const [method, status] of [
      ['GET', read],
      ['HEAD', read],
      ['POST', write],
    ] as const) {
      const { text, status: got, headers } = await get('/go/', { method });
      expect([got, text, headers.get('location'), headers.get('content-length')]).toEqual([
        status,
        '',
        'https://example.org/x?a=b#c',
        '0',
      ]);
    }
    const putStatus = (said as { permanent?: boolean }).permanent ? 308 : 307;
    expect((await get('/go/', { method: 'PUT' })).status).toBe(putStatus);
  });

  test('to a path lead to this server', async () => {
    redirection = { url: '/api/v1/blob/?a=1' };
    expect((await get('/go/')).headers.get('location')).toBe('https://api.example.org/api/v1/blob/?a=1');
  });

  test('contain neither line breaks nor non-ASCII characters', async () => {
    redirection = { url: 'https://example.org/a\r\nSet-Cookie: b=c/ž 🐎' };
    const answer = await raw('GET', '/go/');
    expect(answer).toContain('\r\nLocation: https://example.org/aSet-Cookie:%20b=c/%C5%BE%20%F0%9F%90%8E\r\n');
    expect(answer).not.toContain('\r\nSet-Cookie');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'http://'])('to %s are defects', async url => {
    redirection = { url };
    const { status, headers } = await get('/go/');
    expect([status, headers.get('location')]).toEqual([500, null]);
    expect(facade.takeDefects()).toHaveLength(1);
  });

  test('may carry the JSON of a contract', async () => {
    const send = redirect({ type: 'application/json', body: (url, status) => ({ message: 'Moved', url, status }) });
    const talkative = await startTestFacade({
      graph,
      operations,
      overrides: { responders: { Redirect: { send, responses: {} } } },
    });
    redirection = { url: 'https://example.org/', permanent: true };
    const { status, json } = await talkative.request('/api/v1/go/');
    expect([status, json]).toEqual([301, { message: 'Moved', url: 'https://example.org/', status: 301 }]);
    const head = await talkative.request('/api/v1/go/', { method: 'HEAD' });
    expect([head.text, Number(head.headers.get('content-length')) > 10]).toEqual(['', true]);
  });
});

describe('an outcome', () => {
  test('is sent by the responder of its type, with its status, or as JSON', async () => {
    sources.some = () => Readable.from([Buffer.from('hello')]);
    reference = { handle: 'some', size: 5 };
    redirection = { url: 'https://example.org/' };
    const blob = await get('/result/BlobRef/');
    expect([blob.status, blob.text]).toEqual([203, 'hello']);
    expect((await get('/result/Redirect/')).status).toBe(303);
    expect((await get('/result/Found/')).json).toEqual({ id: 1 });
  });

  test('that is null or a list has no responder', async () => {
    expect((await get('/blobs/')).json).toEqual([]);
  });
});
