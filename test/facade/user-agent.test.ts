import { expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema('type Query { get: Int! }', { Query: { get: () => 1 } });
const operations = { 'a/get.graphql': `query Get @rest(method: GET, path: "/things") { get @body }` };
const hosting = await startTestFacade({ graph, operations, product: 'hosting-like' });
const health = await startTestFacade({ graph, operations });
/** Node's client always sends a User-Agent, so the request is written as bytes. */
const nameless = (url: string, path: string, headers = ''): Promise<string> =>
  sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n${headers}\r\n`);

test('a contract may require User-Agent before anything else is checked', async () => {
  for (const [path, headers] of [
    ['/things', ''],
    ['/nowhere', ''],
    ['/things', 'User-Agent:  \r\n'],
    ['/things', 'Accept: text/html\r\nAuthorization: Bearer bad\r\n'],
  ] as const) {
    const answer = await nameless(hosting.url, path, headers);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain('\r\nContent-Type: application/json; charset=utf-8\r\n');
    expect(answer).toContain('\r\nAccess-Control-Allow-Origin: *\r\n');
    expect(answer).toContain(
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header',
    );
  }
  expect(await sendRaw(hosting.url, rawRequest('GET', '/things', { 'User-Agent': 'x' }))).toMatch(/^HTTP\/1\.1 200 /);
});

test('other contracts do not require it', async () => {
  expect(await nameless(health.url, '/api/v1/things')).toMatch(/^HTTP\/1\.1 200 /);
});
