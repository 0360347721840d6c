import { Script } from 'node:vm';
import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();

test.each([
  ['/api/v1/auth/activate/?token=x', 'email'],
  ['/api/v1/auth/password/reset/confirm/', 'new_password'],
  ['/orgs/harbor-lab/sso?authorization_request=x', 'credential'],
  ['/api/v3/orgs/nobody/sso', 'credential'],
])('%s is a page whose script compiles and whose policy names its nonce', async (path, field) => {
  const response = await fetch(`${gateway.url}${path}`);
  const text = await response.text();
  const [, nonce, script = ''] = /<script nonce="([^"]+)">([\s\S]*)<\/script>/.exec(text) ?? [];
  expect(response.status).toBe(200);
  expect(text).toMatch(new RegExp(`name="${field}" type="(password|email)"`));
  expect(response.headers.get('content-security-policy')).toContain(`script-src 'nonce-${nonce}'`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(() => new Script(script)).not.toThrow();
});

test.each(['POST', 'PUT'])('%s of such a path is a request of the API', async method => {
  const response = await fetch(`${gateway.url}/api/v1/auth/activate/`, { method });
  expect(response.headers.get('content-type')).toMatch(/json/);
});
