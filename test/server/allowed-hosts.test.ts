import { describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { BareConnection } from '../harness/bare-connection.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { requestToHost } from '../harness/request-to-host.ts';

const plain = await testGateway();
const named = await testGateway({ beside: plain, settings: { BASE_URL: 'https://api.example.org' } });
const listed = await testGateway({
  beside: plain,
  settings: { ALLOWED_HOSTS: 'a.example, b.example:8443, .c.example, *.d.example, 192.0.2.1, [2001:db8::1]' },
});
const proxied = await testGateway({
  beside: plain,
  settings: { TRUST_PROXY: 'loopback', ALLOWED_HOSTS: 'api.example' },
});
const open = await testGateway({ beside: plain, settings: { ALLOWED_HOSTS: '*' } });

const statusOf = async (gateway: TestGateway, host: string, headers: Record<string, string> = {}): Promise<number> =>
  (await requestToHost(gateway, host, '/versions', { headers })).status;

/** Status of the response to these lines, sent unchanged. */
async function statusOfLines(gateway: TestGateway, ...lines: string[]): Promise<number> {
  const connection = await BareConnection.open(gateway.url);
  connection.send([...lines, 'User-Agent: t', '', ''].join('\r\n'));
  const { status } = await connection.answer();
  connection.destroy();
  return status;
}

describe('a host that is not allowed', () => {
  test.each([
    ['/api/v1/articles/', 'GET', { detail: expect.any(String), code: 'misdirected_request' }],
    ['/api/v1/auth/password/reset/', 'POST', { detail: expect.any(String), code: 'misdirected_request' }],
    ['/versions', 'GET', { message: expect.any(String), documentation_url: expect.any(String), status: '421' }],
    ['/api/v3/user', 'GET', { message: expect.any(String), documentation_url: expect.any(String), status: '421' }],
    ['/graphql', 'POST', { errors: [{ message: expect.any(String), extensions: { code: 'MISDIRECTED_REQUEST' } }] }],
    ['/docs/', 'GET', { message: expect.any(String), documentation_url: expect.any(String), status: '421' }],
    ['/openapi/health.json', 'GET', expect.objectContaining({ status: '421' })],
    ['/media/x.webp', 'GET', expect.objectContaining({ status: '421' })],
    ['/avatars/1.svg', 'GET', expect.objectContaining({ status: '421' })],
    ['/raw/harbor-lab/compass/main/README.md', 'GET', expect.objectContaining({ status: '421' })],
    ['/codeload/harbor-lab/compass/legacy.zip/main', 'GET', expect.objectContaining({ status: '421' })],
    ['/api/v1/auth/activate/?token=x', 'GET', { detail: expect.any(String), code: 'misdirected_request' }],
    ['/orgs/harbor-lab/sso', 'GET', expect.objectContaining({ status: '421' })],
    ['/nothing', 'OPTIONS', expect.objectContaining({ status: '421' })],
  ])('is 421 at %s for %s, in the words of the product and before any statement', async (path, method, json) => {
    let answer: Awaited<ReturnType<typeof requestToHost>> | undefined;
    const statements = await plain.statements(async () => {
      answer = await requestToHost(plain, 'evil.example', path, { method, ...(method === 'POST' ? { body: {} } : {}) });
    });
    expect(answer).toMatchObject({ status: 421, json });
    expect(JSON.stringify(answer)).not.toContain('evil.example');
    expect(statements).toEqual([]);
  });

  test.each([
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:80',
    'localhost@evil.example',
    'evil.example#localhost',
    'evil.example/localhost',
    'evil.example\\localhost',
    '127.0.0.1:4000@evil.example',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '128.0.0.1',
    '0.0.0.0',
    '192.168.1.1',
    '[::]',
    '[::2]',
    '[::ffff:192.0.2.1]',
    'localhost:',
    'localhost:x',
    'localhost:65536',
    '.localhost',
    'localhost..',
    'a b',
    'é.example',
    '[::1',
    '',
  ])('is not served under «%s»', async host => {
    expect(await statusOfLines(plain, 'GET /versions HTTP/1.1', `Host: ${host}`)).toBe(421);
  });

  test('can be the host of an absolute URL in the request line, regardless of the Host header', async () => {
    expect(await statusOfLines(plain, 'GET http://evil.example/versions HTTP/1.1', 'Host: localhost')).toBe(421);
    expect(await statusOfLines(plain, 'GET http://localhost@evil.example/versions HTTP/1.1', 'Host: localhost')).toBe(
      421,
    );
    expect(await statusOfLines(plain, 'GET http://localhost/versions HTTP/1.1', 'Host: evil.example')).toBe(200);
  });

  test('is rejected for HTTP/1.0 as well, which needs no Host', async () => {
    expect(await statusOfLines(plain, 'GET /versions HTTP/1.0', 'Host: evil.example')).toBe(421);
    expect(await statusOfLines(plain, 'GET /versions HTTP/1.0')).toBe(200);
  });

  test('in addition to an allowed one gets no WebSocket, in either order', async () => {
    const upgradeHeaders = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    for (const hosts of [
      ['Host: localhost', 'Host: evil.example'],
      ['Host: evil.example', 'Host: localhost'],
      ['Host: localhost', 'Host: localhost'],
    ]) {
      expect(await statusOfLines(plain, 'GET /graphql HTTP/1.1', ...hosts, ...upgradeHeaders, key)).toBe(400);
    }
  });

  test('gets no WebSocket', async () => {
    const opened = (gateway: TestGateway, host: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const url = `${gateway.url.replace('http', 'ws')}/graphql`;
        const socket = new WebSocket(url, 'graphql-transport-ws', { headers: { Host: host } });
        socket.once('open', () => {
          socket.terminate();
          resolve('open');
        });
        socket.once('error', reject);
      });
    await expect(opened(plain, 'evil.example')).rejects.toThrow('421');
    await expect(opened(named, 'evil.example')).rejects.toThrow('421');
    expect(await opened(plain, 'localhost:1')).toBe('open');
    expect(await opened(named, 'api.example.org')).toBe('open');
    expect(await opened(listed, 'a.example')).toBe('open');
  });

  test('does not block probes, which use container addresses', async () => {
    for (const path of ['/livez', '/readyz']) {
      for (const method of ['GET', 'HEAD']) {
        expect((await requestToHost(named, '10.1.2.3:4000', path, { method })).status).toBe(200);
      }
      expect((await requestToHost(named, '10.1.2.3:4000', path, { method: 'POST' })).status).toBe(421);
    }
    expect((await requestToHost(named, '10.1.2.3:4000', '/livez/x')).status).toBe(421);
  });
});

describe('the allowed hosts', () => {
  test.each(['localhost', 'LocalHost.', 'localhost:1', '127.0.0.1', '127.200.0.1:9999', '[::1]', '[0:0::0:1]:80'])(
    'are loopback names with any port: «%s»',
    async host => {
      expect(await statusOf(plain, host)).toBe(200);
      expect(await statusOf(named, host)).toBe(200);
    },
  );

  test('include that of BASE_URL with any port', async () => {
    for (const host of ['api.example.org', 'API.Example.org', 'api.example.org.', 'api.example.org:8080']) {
      expect(await statusOf(named, host)).toBe(200);
    }
    for (const host of ['x.api.example.org', 'example.org', 'api.example.org.evil.example']) {
      expect(await statusOf(named, host)).toBe(421);
    }
    expect(await statusOf(plain, 'api.example.org')).toBe(421);
  });

  test.each([
    ['a.example', 200],
    ['A.EXAMPLE.:9000', 200],
    ['x.a.example', 421],
    ['b.example:8443', 200],
    ['b.example', 421],
    ['b.example:8444', 421],
    ['c.example', 200],
    ['x.y.c.example:1', 200],
    ['xc.example', 421],
    ['x.d.example', 200],
    ['d.example', 421],
    ['192.0.2.1:80', 200],
    ['[2001:DB8:0::1]', 200],
    ['[2001:db8::2]', 421],
  ])('are those of ALLOWED_HOSTS: «%s» is %i', async (host, status) => {
    expect(await statusOf(listed, host)).toBe(status);
  });

  test('are all valid hosts if ALLOWED_HOSTS is *', async () => {
    expect(await statusOf(open, 'anything.example:81')).toBe(200);
    expect(await statusOf(open, 'name@anything.example')).toBe(421);
  });

  test('include X-Forwarded-Host of a trusted proxy only', async () => {
    expect(await statusOf(proxied, 'inner', { 'x-forwarded-host': 'api.example' })).toBe(200);
    expect(await statusOf(proxied, 'api.example', { 'x-forwarded-host': 'evil.example' })).toBe(421);
    expect(await statusOf(proxied, 'api.example', { 'x-forwarded-host': 'evil.example, api.example' })).toBe(421);
    expect(await statusOf(proxied, 'inner')).toBe(421);
    expect(await statusOf(plain, 'inner', { 'x-forwarded-host': 'localhost' })).toBe(421);
    expect(await statusOf(plain, 'localhost', { 'x-forwarded-host': 'evil.example' })).toBe(200);
  });
});

test.each(['https://a.example', 'a.example/x', 'a b', '*.', 'a.example:x', '.'])(
  'ALLOWED_HOSTS=%s stops the start',
  text => {
    expect(() => readConfig({ ALLOWED_HOSTS: text })).toThrow(ConfigError);
  },
);
