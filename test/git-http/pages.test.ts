import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const origin = 'https://page.example';

test.each([
  ['GET', 'info/refs?service=git-upload-pack'],
  ['POST', 'git-upload-pack'],
  ['POST', 'git-receive-pack'],
])('a page may send %s %s', async (method, target) => {
  const { status, headers } = await gateway.request(`/harbor-lab/compass.git/${target}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,git-protocol',
    },
  });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect(headers.get('access-control-allow-methods')).toContain(method);
  expect(headers.get('access-control-allow-headers')).toMatch(/^Authorization, Content-Type, Git-Protocol, /);
});

test('a page may read what git answers, a challenge included', async () => {
  for (const [path, status] of [
    ['/harbor-lab/compass.git', 200],
    ['/nobody/nothing.git', 401],
  ] as const) {
    const answer = await gateway.request(`${path}/info/refs?service=git-upload-pack`, { headers: { origin } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, '*']);
  }
});

test.each([
  ['/graphql', 'apollographql-client-name'],
  ['/graphql', 'apollographql-client-version'],
  ['/graphql', 'traceparent'],
  ['/api/v1/articles/', 'If-None-Match'],
  ['/api/v1/articles/', 'traceparent'],
  ['/user', 'traceparent'],
])('a page may send to %s the header %s', async (path, header) => {
  const { headers } = await gateway.request(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': header.toLowerCase() },
  });
  expect(headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual(
    expect.arrayContaining([header.toLowerCase(), '*']),
  );
});
