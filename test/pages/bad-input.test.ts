import { describe, expect, test } from '@jest/globals';
import { Browser } from '../harness/browser.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { requestToHost } from '../harness/request-to-host.ts';

const gateway = await testGateway({ data: 'demo', settings: { RATE_LIMIT_FACTOR: '100000', SOURCE_IMPORTS: 'on' } });
const { users } = await demoOf(gateway);
const owner = new Browser(gateway);
await owner.signIn(users.wren.classic_token);

const hostile = [
  ...['%00', '%0a', '%ff', '%', '%25', '%E2%80%AE', '..', '%2e%2e', '-1', '0', '99999999999999999999', 'HEAD@{1}'],
  ...['%3Cscript%3Ealert(1)%3C/script%3E', "'%22%3E%3Csvg%20onload=alert(1)%3E", 'a'.repeat(5_000)],
];
const addresses = [
  ...['/x', '/x/compass', '/harbor-lab/x', '/harbor-lab?after=x', '/apps/x', '/apps/x/dashboards/deliveries'],
  ...['tree/x', 'tree/main/x', 'blob/main/x', 'commits/x', 'commits?after=x', 'commit/x', 'compare/main...x'].map(
    path => `/harbor-lab/compass/${path}`,
  ),
  ...['branches?after=x', 'tags?after=x', 'rules/x', 'rules/suites?after=x'].map(path => `/harbor-lab/compass/${path}`),
  ...['api-usage?days=x', 'api-usage?format=csv&table=x', 'rule-suites?days=x', 'deliveries?after=x'].map(
    path => `/orgs/harbor-lab/dashboards/${path}`,
  ),
  ...['/orgs/x/invitation', '/orgs/x/dashboards/api-usage', '/settings/installations/x', '/health/vitals?days=x'],
  ...['/settings/connections/applications/x', '/login/oauth/authorize?client_id=x', '/login/code?return_to=x'],
  ...['/login?return_to=x', '/login/device?user_code=x', '/graphiql/x', '/docs/x', '/raw/x', '/media/x'],
];

describe('an address with hostile parts is a page that says what to do', () => {
  test.each(addresses)('%s', async address => {
    for (const browser of [owner, new Browser(gateway)]) {
      for (const part of hostile) {
        const url = address.replace(/x(?=$|\/)|(?<=\/)x/, () => part);
        const { status, text, headers } = await browser.open(url);
        expect([url, status < 500]).toEqual([url, true]);
        expect([url, /<svg onload|<script>alert/.test(text)]).toEqual([url, false]);
        if (status < 400) continue;
        expect([url, headers.get('content-type')]).toEqual([url, 'text/html; charset=utf-8']);
        expect([url, /<main>.*<a href=/s.test(text)]).toEqual([url, true]);
        expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      }
    }
  });
});

describe('a form that cannot be read is answered by a page', () => {
  const forms = ['/login', '/login/code', '/login/health', '/login/device', '/user/memberships/answer'];
  test.each([
    ['application/x-www-form-urlencoded', 'action=sign-in&action=sign-in', 400],
    ['application/x-www-form-urlencoded', 'action=%00', 400],
    ['application/x-www-form-urlencoded', `action=${'x'.repeat(20_000)}`, 413],
    ['application/json', '{', 400],
    ['application/json', '{"action":1}', 400],
    ['application/json', '["action"]', 401],
    ['text/plain', 'action=sign-in', 401],
    ['multipart/form-data', 'action=sign-in', 401],
  ])('%s %.30s: %d', async (type, body, expected) => {
    for (const path of forms) {
      const headers = { accept: 'text/html', origin: gateway.url, 'content-type': type };
      const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
      expect([path, response.status]).toEqual([path, expected]);
      expect(await response.text()).toMatch(/<main>.*<a href=/s);
    }
  });
});

test('a script gets the errors of the API', async () => {
  const headers = { accept: 'application/json', 'user-agent': 'a script', 'content-type': 'application/json' };
  const response = await fetch(`${gateway.url}/login`, { method: 'POST', headers, body: '{' });
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    400,
    'The request cannot be served as it is.',
  ]);
});

test('paths of a contract have its errors, whatever a client asks for', async () => {
  const ask = async (path: string, method: string): Promise<unknown> => {
    const { status, headers } = await requestToHost(gateway, 'b.example', path, {
      method,
      headers: { accept: 'text/html' },
    });
    return [status, headers['content-type']];
  };
  for (const method of ['GET', 'POST']) {
    expect(await ask('/rate_limit', method)).toEqual([421, 'application/json; charset=utf-8']);
    expect(await ask('/rate_limit/x', method)).toEqual([421, 'text/html; charset=utf-8']);
  }
});
