import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { parseAuthorization } from '../../src/auth/authorization-header.ts';
import { requestCookie } from '../../src/server/oauth/request-cookie.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();

describe('an overlong header is refused before anything parses it', () => {
  test.each([
    ['Accept', '*/*,'.repeat(3_800)],
    ['Accept-Encoding', ','.repeat(15_500)],
    ['Authorization', `x a${' '.repeat(15_000)}b`],
    ['Cookie', `a=${';'.repeat(15_000)}`],
    ['If-None-Match', '"a",'.repeat(3_800)],
    ['Range', `bytes=0-${'9'.repeat(15_000)}`],
    ['X-Forwarded-For', '1,'.repeat(7_000)],
  ])('%s', async (name, value) => {
    const headers = { [name]: value };
    for (const [path, message] of [
      ['/api/v1/articles/', (json: Record<string, unknown>) => json.detail],
      ['/versions', (json: Record<string, unknown>) => json.message],
    ] as const) {
      const { status, json } = await gateway.request(path, { headers });
      expect([status, message(json)]).toEqual([431, expect.stringContaining(name.toLowerCase())]);
    }
    const { status, json } = await gateway.request('/graphql?query={__typename}', { headers });
    expect([status, json.errors[0].extensions.code]).toEqual([431, 'HEADERS_TOO_LARGE']);
    expect((await gateway.request('/wren/nowhere/info/refs?service=git-upload-pack', { headers })).status).toBe(431);
  });

  test('headers of usual length are not', async () => {
    const headers = {
      Accept: `${'text/x,'.repeat(100)}*/*`,
      'If-None-Match': '"a",'.repeat(1_000),
      Cookie: 'a=b;'.repeat(1_500),
    };
    expect((await gateway.request('/versions', { headers })).status).toBe(200);
  });
});

test('a WebSocket with an overlong credential is closed', async () => {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const Authorization = `x ${'a'.repeat(10_000)}`;
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization } })));
  expect(await new Promise(resolve => socket.once('close', resolve))).toBe(4403);
});

describe('Authorization', () => {
  const before = /^\s*([^\s]*)\s*(.*?)\s*$/s;

  test('is split as before', () => {
    const text = fc.array(fc.constantFrom('Bearer', 'x', ' ', '\t', '  ', '=', ','), { maxLength: 8 });
    fc.assert(
      fc.property(text, parts => {
        const header = parts.join('');
        const [, scheme = '', payload = ''] = before.exec(header) ?? [];
        expect(parseAuthorization(header)).toEqual({ scheme: scheme.toLowerCase(), payload });
      }),
    );
    expect(parseAuthorization(undefined)).toEqual({ scheme: '', payload: '' });
  });

  test('with many blanks', () => {
    const blanks = ' '.repeat(2_000_000);
    expect(parseAuthorization(`${blanks}X a${blanks}b${blanks}`).payload).toHaveLength(blanks.length + 2);
  });
});

test('a cookie is read as before', () => {
  const part = fc.constantFrom('a', 'b', '=', ';', ' ', 'a=1', 'a=-._', '!', 'xa=2');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), parts => {
      const cookie = `c=0;${parts.join('')}`;
      const [, before] = /(?:^|;\s*)a=([\w.-]+)/.exec(cookie) ?? [];
      expect(requestCookie({ headers: { cookie } } as IncomingMessage, 'a')).toBe(before);
    }),
    { numRuns: 2_000 },
  );
});
