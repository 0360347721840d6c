import { describe, expect, test } from '@jest/globals';
import { parseToken, tokenPrefixes } from '../../src/auth/hosting-token.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { basic, call, demoOf } from '../harness/hosting.ts';

// What requests may say in any brand, on the settings of a start.
const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const get = (path: string, headers: Record<string, string> = {}, authorization = `Bearer ${token}`): Promise<Answer> =>
  call(gateway, 'GET', path, authorization, undefined, headers);

describe.each(['host', 'github'])('the brand %s', word => {
  test.each([
    [`application/vnd.${word}.v3+json`, 'host.v3; format=json'],
    [`application/vnd.${word}+json`, 'host.v3; format=json'],
    [`application/vnd.${word}.v3.raw+json`, 'host.v3; param=raw; format=json'],
    [`application/vnd.${word}.mercy-preview+json, application/json`, 'host.v3; param=mercy-preview; format=json'],
  ])('%s is understood, and %s is sent', async (accept, served) => {
    const { status, headers } = await get('/api/v3/user', { accept });
    expect([status, headers.get('x-host-media-type')]).toEqual([200, served]);
    expect([...headers.keys()].filter(name => name.includes('github'))).toEqual([]);
  });

  test('forms of a file', async () => {
    const readme = (form: string) =>
      get('/repos/harbor-lab/compass/readme', { accept: `application/vnd.${word}.${form}` });
    const [raw, html, json] = await Promise.all([readme('raw'), readme('html'), readme('v3+json')]);
    expect(raw.headers.get('content-type')).toBe('application/vnd.host.raw; charset=utf-8');
    expect(raw.text).toMatch(/^# compass/);
    expect(html.headers.get('content-type')).toBe('application/vnd.host.html; charset=utf-8');
    expect(json.json.name).toBe('README.md');
    const sha = await get('/repos/harbor-lab/compass/commits/main', { accept: `application/vnd.${word}.sha` });
    expect(sha.text).toMatch(/^[0-9a-f]{40}$/);
  });

  test('the version', async () => {
    const name = word === 'host' ? 'X-Host-Api-Version' : 'X-GitHub-Api-Version';
    const { json, headers } = await get('/rate_limit', { [name]: '2026-03-10' });
    expect([json.rate, headers.get('x-host-api-version-selected')]).toEqual([undefined, '2026-03-10']);
    expect(headers.get('vary')).toContain(name);
    const wrong = await get('/rate_limit', { [name]: '1999-01-01' });
    expect([wrong.status, wrong.json.errors]).toEqual([400, expect.stringContaining(`"${name}" request header`)]);
  });

  test('headers of pages', async () => {
    const { headers } = await gateway.request('/user', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    });
    const name = word === 'host' ? 'Host' : 'GitHub';
    expect(headers.get('access-control-allow-headers')?.split(', ')).toEqual(
      expect.arrayContaining([`X-${name}-Api-Version`, `X-${name}-OTP`]),
    );
    expect(headers.get('access-control-expose-headers')).not.toContain('GitHub');
  });
});

test('a client of GitHub that accepts anything gets JSON, and any other one what the contract says', async () => {
  const formOf = async (headers: Record<string, string>) =>
    (await get('/repos/harbor-lab/compass/readme', { accept: '*/*', ...headers })).text.startsWith('{')
      ? 'json'
      : 'raw';
  expect(await formOf({})).toBe('raw');
  expect(await formOf({ 'x-host-api-version': '2022-11-28' })).toBe('raw');
  expect(await formOf({ 'x-github-api-version': '2022-11-28' })).toBe('json');
  expect(await formOf({ 'user-agent': 'PyGithub/Python' })).toBe('json');
});

describe('tokens', () => {
  const spelled = (text: string, prefix: string): string => `${prefix}_${text.slice(tokenPrefixes.classic.length + 1)}`;

  test('with a prefix of GitHub are those that were issued', async () => {
    const one = spelled(token, 'ghp');
    expect(parseToken(one)).toEqual({ kind: 'classic', text: token });
    expect((await get('/user', {}, `Bearer ${one}`)).json.login).toBe('wren');
    expect((await get('/user', {}, `token ${one}`)).json.login).toBe('wren');
    const asked = await call(gateway, 'POST', '/graphql', `Bearer ${one}`, { query: '{ viewer { login } }' });
    expect(asked.json.data).toEqual({ viewer: { login: 'wren' } });
    for (const prefix of ['gho', 'ghs', 'hosto', 'ghx']) expect(parseToken(spelled(token, prefix))).toBeUndefined();
    expect(parseToken(`${one.slice(0, -1)}${one.endsWith('a') ? 'b' : 'a'}`)).toBeUndefined();
  });

  test.each([
    ['the password of the login', basic('wren', token)],
    ['the password of any name', basic('x-access-token', token)],
    ['the user name', basic(token, 'x-oauth-basic')],
    ['the user name without a password', basic(token, '')],
    ['the password in the other brand', basic('wren', spelled(token, 'ghp'))],
  ])('are taken as %s', async (_name, authorization) => {
    for (let at = 0; at < 12; at++) {
      const { status, json } = await get('/user', {}, authorization);
      expect([status, json.login]).toEqual([200, 'wren']);
    }
    const asked = await call(gateway, 'POST', '/graphql', authorization, { query: '{ viewer { login } }' });
    expect(asked.json.data).toEqual({ viewer: { login: 'wren' } });
    // Nothing of it counted as a failed attempt.
    expect((await get('/user')).status).toBe(200);
  });

  test('of an app and its secret are none', async () => {
    const { client_id: id, client_secret: secret } = demo.oauth_app;
    const { status } = await call(gateway, 'POST', `/applications/${id}/token`, basic(id, secret), {
      access_token: demo.tokens.oauth,
    });
    expect(status).toBe(200);
  });
});
