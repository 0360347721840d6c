import { describe, expect, test } from '@jest/globals';
import { contracts } from '../contract/contracts.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { person } from '../harness/people.ts';

const metricsToken = 'metrics-token-6f7a8b9c';
const mails = await mailbox();
const gateway = await testGateway({
  settings: { METRICS_TOKEN: metricsToken, SMTP_URL: mails.url },
  workers: true,
});
const demo = await demoOf(gateway);
const reader = await person(gateway, mails);

/** Headers with which a path outside of the contracts is known. */
const headersOf = (path: string): Record<string, string> => ({
  'user-agent': 'portico tests',
  ...(path.startsWith('/metrics') ? { authorization: `Bearer ${metricsToken}` } : {}),
});

/** Paths of steps whose methods are not those of the step, with the methods that they have. */
const belowSteps: readonly [path: string, allow: string][] = [
  ['/docs/', 'GET, HEAD, OPTIONS'],
  ['/docs/start.js', 'GET, HEAD, OPTIONS'],
  ['/graphiql/', 'GET, HEAD, OPTIONS'],
  ['/avatars/7.svg', 'GET, HEAD, OPTIONS'],
  ['/pictures/sleep.svg', 'GET, HEAD, OPTIONS'],
  ['/raw/harbor-lab/compass/main/README.md', 'GET, HEAD, OPTIONS'],
  ['/codeload/harbor-lab/compass/legacy.zip/main', 'GET, HEAD, OPTIONS'],
  ['/dashboards/service', 'GET, HEAD, OPTIONS'],
  ['/login/device', 'GET, HEAD, POST, OPTIONS'],
  ['/login/oauth/authorize', 'GET, HEAD, POST, OPTIONS'],
  ['/settings/connections/applications/some-app', 'GET, HEAD, POST, OPTIONS'],
];

describe('A method that a path outside of the contracts lacks', () => {
  const steps = [...new Set(gateway.routes.map(({ path }) => path))];

  test.each([...steps, ...belowSteps.map(([path]) => path)])('is 405 with Allow at %s', async path => {
    for (const method of ['DELETE', 'PATCH', 'PURGE']) {
      const { status, headers } = await gateway.request(path, { method, headers: headersOf(path) });
      const allowed = headers.get('allow')?.split(', ') ?? [];
      expect([method, status, allowed.includes(method), allowed.length > 0]).toEqual([method, 405, false, true]);
    }
  });

  test.each(belowSteps)('is told with those of %s', async (path, allow) => {
    const refused = await gateway.request(path, { method: 'PUT', headers: headersOf(path) });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow]);
    const { status, headers, text } = await gateway.request(path, { method: 'OPTIONS', headers: headersOf(path) });
    expect([status, headers.get('allow'), text]).toEqual([204, allow, '']);
  });

  test('is 405 at an endpoint that only takes forms', async () => {
    const { status, headers } = await gateway.request('/login/oauth/access_token', { headers: headersOf('') });
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  test('leaves the reads of every such path as they are', async () => {
    for (const path of ['/livez', '/readyz', '/docs/', '/openapi/health.json', '/schema.graphql', '/favicon.ico']) {
      for (const method of ['GET', 'HEAD'])
        expect([path, (await gateway.request(path, { method })).status]).toEqual([path, 200]);
    }
  });

  test('does not reveal the metrics to others', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await gateway.request('/metrics', { method, headers: { 'user-agent': 'tests' } });
      expect([status, headers.get('allow')]).toEqual([404, null]);
    }
  });

  test('may be asked for by a page of another origin', async () => {
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const { status, headers } = await gateway.request('/openapi/health.json', {
      method: 'OPTIONS',
      headers: preflight,
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(headers.get('access-control-allow-methods')).toContain('GET');
  });
});

describe.each(contracts)('$product.name: a method that no operation has', ({ product, endpoints }) => {
  const [base = ''] = product.basePaths;
  const authorization = `Bearer ${product.name === 'health' ? reader.access : demo.users.wren.classic_token}`;

  test('is 405 with the methods of the path, at every path that the caller may use', async () => {
    const answers = new Map<number, number>();
    for (const path of new Set(endpoints.map(({ operation }) => operation.path))) {
      const asked = `${base}${path.replaceAll(/\{\+?\w+\}/g, '1')}`;
      const { status, headers } = await call(gateway, 'PURGE', asked, authorization);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 405) expect([path, headers.get('allow')]).toEqual([path, expect.stringMatching(/, OPTIONS$/)]);
    }
    const { 405: refused = 0, 401: unauthenticated = 0, 403: forbidden = 0, ...others } = Object.fromEntries(answers);
    expect(others).toEqual({});
    expect(refused).toBeGreaterThan(5 * (unauthenticated + forbidden));
  });
});

test('A published method that a hosting path lacks is absent, and Allow says what it has', async () => {
  const authorization = `Bearer ${demo.users.wren.classic_token}`;
  const { status, headers } = await call(gateway, 'DELETE', '/repos/harbor-lab/compass/readme', authorization);
  expect([status, headers.get('allow')]).toEqual([404, 'GET, HEAD, OPTIONS']);
});

describe('A redirect keeps the query', () => {
  test.each([
    ['/docs?urls.primaryName=Code', 'docs/?urls.primaryName=Code'],
    ['/docs/rest/repos?lang=en', '../?lang=en&page=%2Frest%2Frepos'],
    ['/harbor-lab/compass.git?tab=code', '/harbor-lab/compass?tab=code'],
    ['/harbor-lab/compass/compare/a...b.diff?w=1', '/harbor-lab/compass/diff/a...b?w=1'],
    ['/api/v1/articles?page=2&search=sleep', `${gateway.url}/api/v1/articles/?page=2&search=sleep`],
  ])('%s', async (path, location) => {
    const answer = await call(gateway, 'GET', path);
    expect([Math.floor(answer.status / 100), answer.headers.get('location')]).toEqual([3, location]);
  });
});
