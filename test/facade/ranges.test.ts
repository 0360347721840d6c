import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { bytes } from 'operation-rest';
import { contentTypeForForm } from '../../rest-facade/hosting/media-types.ts';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const content = Buffer.from('0123456789');
let asked: unknown[] = [];
let etag: string | null = 'abc';
const graph = buildTestSchema(
  'type BlobRef { handle: String!, mediaType: String!, size: Int!, etag: String } type Query { blob: BlobRef, empty: BlobRef }',
  {
    Query: {
      blob: () => ({ handle: 'a', mediaType: 'text/plain', size: content.length, etag }),
      empty: () => ({ handle: 'none', mediaType: 'text/plain', size: 0 }),
    },
  },
);
const selection = '@body { handle mediaType size etag }';
const facade = await startTestFacade({
  graph,
  product: 'hosting-like',
  executor: 'own',
  operations: {
    'a/blob.graphql': `query Blob @rest(method: GET, path: "/blob") { blob ${selection} }`,
    'a/empty.graphql': `query Empty @rest(method: GET, path: "/empty") { empty ${selection} }`,
    'a/shown.graphql': `query Shown @rest(method: GET, path: "/shown", status: 203) { blob ${selection} }`,
  },
  overrides: {
    responders: {
      BlobRef: {
        send: bytes(
          (handle, _exchange, range) => {
            asked.push(range);
            if (handle === 'none') return Readable.from([]);
            return Readable.from([range ? content.subarray(range.start, range.end + 1) : content]);
          },
          contentTypeForForm('host', 'raw'),
        ),
        responses: {},
      },
    },
  },
});
const get = (headers: Record<string, string> = {}, path = '/blob', method = 'GET') =>
  facade.request(path, { method, headers });
beforeEach(() => {
  asked = [];
  etag = 'abc';
});

describe('a range of bytes', () => {
  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=5-99', '56789', 'bytes 5-9/10'],
    ['bytes=9-9', '9', 'bytes 9-9/10'],
  ])('%s is sent as 206', async (range, text, told) => {
    const answer = await get({ range });
    expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([206, text, told]);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
    expect(answer.headers.get('content-type')).toBe('application/vnd.host.raw; charset=utf-8');
    expect(answer.headers.get('etag')).toBe('"abc"');
  });

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s selects nothing and is 416', async range => {
    const { status, json, headers } = await get({ range });
    expect([status, json.message, headers.get('content-range'), headers.get('etag')]).toEqual([
      416,
      'Requested Range Not Satisfiable',
      'bytes */10',
      null,
    ]);
    expect(asked).toEqual([]);
  });

  test.each(['bytes=0-1,3-4', 'lines=0-1', 'bytes=3-1', 'bytes=-', 'bytes=a-b', ''])(
    '%s is passed over',
    async range => {
      const answer = await get({ range });
      expect([answer.status, answer.text, answer.headers.get('accept-ranges')]).toEqual([200, '0123456789', 'bytes']);
    },
  );

  test('needs a matching If-Range', async () => {
    expect((await get({ range: 'bytes=0-0', 'if-range': '"abc"' })).status).toBe(206);
    expect((await get({ range: 'bytes=0-0', 'if-range': '"old"' })).status).toBe(200);
    expect((await get({ range: 'bytes=0-0', 'if-range': 'Fri, 02 Jan 2026 03:04:05 GMT' })).status).toBe(200);
    etag = 'W/"abc"';
    expect((await get({ range: 'bytes=0-0', 'if-range': 'W/"abc"' })).status).toBe(200);
  });

  test('is ignored for empty bytes, for HEAD and for a status other than 200', async () => {
    expect((await get({ range: 'bytes=0-' }, '/empty')).status).toBe(416);
    const head = await get({ range: 'bytes=0-0' }, '/blob', 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
    expect((await get({ range: 'bytes=0-0' }, '/shown')).status).toBe(203);
  });
});

describe('bytes that the client has cached', () => {
  test('are 304 and not opened', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, text, headers } = await get({ 'if-none-match': 'W/"abc"', range: 'bytes=0-1' }, '/blob', method);
      expect([status, text, headers.get('etag'), headers.get('content-type')]).toEqual([304, '', '"abc"', null]);
    }
    expect(asked).toEqual([]);
    expect((await get({ 'if-none-match': '"old"' })).status).toBe(200);
  });
});
