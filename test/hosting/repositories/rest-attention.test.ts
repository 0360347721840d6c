import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const { ask, status } = callsWithTokens(gateway);
const [wren, tomas, linh] = [users.wren.classic_token, users.tomas.classic_token, users.linh.classic_token];
const logins = async (path: string, token?: string) =>
  (await ask('GET', path, token)).json.map((one: { login: string }) => one.login);
const names = async (path: string, token?: string) =>
  (await ask('GET', path, token)).json.map((one: { full_name: string }) => one.full_name);

test('stars: put, check, list, delete; both writes can be repeated', async () => {
  const path = '/user/starred/harbor-lab/ledger';
  expect(await status('GET', path, tomas)).toBe(404);
  for (let time = 0; time < 2; time++) expect(await status('PUT', path, tomas)).toBe(204);
  expect(await status('GET', path, tomas)).toBe(204);
  expect(await status('PUT', '/user/starred/harbor-lab/tides', tomas)).toBe(204);
  expect(await names('/user/starred?direction=asc&sort=created', tomas)).toHaveLength(2);
  expect(await names('/users/tomas/starred')).toEqual(['harbor-lab/tides']);
  expect(await names('/user/starred?sort=updated&per_page=1&page=2', tomas)).toHaveLength(1);
  expect(await logins('/repos/harbor-lab/ledger/stargazers', wren)).toEqual(['tomas']);
  for (let time = 0; time < 2; time++) expect(await status('DELETE', path, tomas)).toBe(204);
  expect(await status('GET', path, tomas)).toBe(404);
});

test('what the caller cannot see can neither be starred nor watched', async () => {
  for (const path of ['/user/starred/juniper/notebook', '/repos/juniper/notebook/subscription']) {
    expect(await status('GET', path, tomas)).toBe(404);
    expect(await status('PUT', path, tomas, {})).toBe(404);
    expect(await status('DELETE', path, tomas)).toBe(404);
    expect(await status('PUT', path)).toBe(403);
  }
});

test('subscriptions', async () => {
  const path = '/repos/harbor-lab/compass/subscription';
  expect(await status('GET', path, tomas)).toBe(404);
  const made = await ask('PUT', path, tomas, { subscribed: true });
  expect(made.json).toEqual({
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: '2026-10-01T08:10:00Z',
    url: `${gateway.url}${path}`,
    repository_url: `${gateway.url}/repos/harbor-lab/compass`,
  });
  expect((await ask('GET', path, tomas)).json).toEqual(made.json);
  expect(await logins('/repos/harbor-lab/compass/subscribers')).toContain('tomas');
  expect(await names('/user/subscriptions', tomas)).toContain('harbor-lab/compass');
  expect(await names('/users/tomas/subscriptions')).toContain('harbor-lab/compass');
  expect((await ask('PUT', path, tomas, { ignored: true })).json.errors[0].field).toBe('ignored');
  expect((await ask('PUT', path, tomas, { subscribed: false })).json.subscribed).toBe(false);
  expect(await status('PUT', path, tomas, {})).toBe(200);
  expect(await status('DELETE', path, tomas)).toBe(204);
  expect(await status('GET', path, tomas)).toBe(404);
});

test('follows', async () => {
  const path = '/user/following/wren';
  expect(await status('GET', path, linh)).toBe(404);
  for (let time = 0; time < 2; time++) expect(await status('PUT', path, linh)).toBe(204);
  expect(await status('GET', path, linh)).toBe(204);
  expect(await status('GET', '/users/linh/following/WREN')).toBe(204);
  expect(await status('GET', '/users/wren/following/linh')).toBe(404);
  expect(await logins('/users/wren/followers')).toContain('linh');
  expect(await logins('/user/followers', wren)).toContain('linh');
  expect(await logins('/user/following', linh)).toContain('wren');
  expect(await logins('/users/linh/following')).toContain('wren');
  expect(await status('DELETE', path, linh)).toBe(204);
  expect(await status('GET', path, linh)).toBe(404);
  expect(await status('PUT', '/user/following/linh', linh)).toBe(422);
  expect(await status('PUT', '/user/following/nobody-at-all', linh)).toBe(404);
  expect(await status('GET', '/users/nobody-at-all/followers')).toBe(404);
});

test('organizations and addresses of a user', async () => {
  expect(await logins('/user/orgs', wren)).toEqual(['harbor-lab', 'northgate']);
  expect(await status('GET', '/users/wren/orgs')).toBe(200);
  const { json } = await ask('GET', '/user/emails', wren);
  expect(json).toEqual([{ email: expect.any(String), primary: true, verified: true, visibility: 'private' }]);
  expect(await status('GET', '/user/emails', users.juniper.fine_grained_token)).toBe(404);
});
