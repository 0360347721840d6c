import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const [wren, juniper, linh] = [users.wren.classic_token, users.juniper.classic_token, users.linh.classic_token];
const { ask, status } = callsWithTokens(gateway);
const logins = async (path: string, token?: string) =>
  (await ask('GET', path, token)).json.map((one: { login: string }) => one.login);

test('members see all members, others the public ones', async () => {
  expect(await logins('/orgs/harbor-lab/members', juniper)).toEqual(['juniper', 'tomas', 'wren']);
  expect(await logins('/orgs/harbor-lab/members?role=admin', juniper)).toEqual(['wren']);
  expect(await logins('/orgs/harbor-lab/members?role=all', juniper)).toHaveLength(3);
  expect(await logins('/orgs/harbor-lab/members')).toEqual(await logins('/orgs/harbor-lab/public_members'));
  expect(await status('GET', '/orgs/nobody-at-all/members')).toBe(404);
});

test('a membership is published and hidden by its user alone', async () => {
  const path = '/orgs/harbor-lab/public_members/juniper';
  expect(await status('PUT', path, juniper)).toBe(204);
  expect(await status('GET', path)).toBe(204);
  expect(await status('GET', '/orgs/harbor-lab/members/juniper')).toBe(204);
  expect(await status('DELETE', path, juniper)).toBe(204);
  expect(await status('GET', path)).toBe(404);
  expect(await status('GET', '/orgs/harbor-lab/members/juniper')).toBe(404);
  expect(await status('GET', '/orgs/harbor-lab/members/juniper', wren)).toBe(204);
  expect(await status('PUT', path, wren)).toBe(403);
  expect(await status('PUT', '/orgs/harbor-lab/public_members/linh', linh)).toBe(404);
});

test('a user is invited, accepts, and is removed', async () => {
  const path = '/orgs/harbor-lab/memberships/linh';
  expect(await status('PUT', path, juniper, {})).toBe(403);
  const invited = await ask('PUT', path, wren, { role: 'member' });
  expect(invited.json).toMatchObject({
    url: `${gateway.url}${path}`,
    state: 'pending',
    role: 'member',
    organization_url: `${gateway.url}/orgs/harbor-lab`,
    organization: { login: 'harbor-lab' },
    user: { login: 'linh' },
  });
  expect((await ask('GET', '/user/memberships/orgs?state=pending', linh)).json).toHaveLength(1);
  const own = '/user/memberships/orgs/harbor-lab';
  expect((await ask('GET', own, linh)).json.state).toBe('pending');
  expect(await status('PATCH', own, linh, { state: 'pending' })).toBe(422);
  for (let time = 0; time < 2; time++) {
    expect((await ask('PATCH', own, linh, { state: 'active' })).json.state).toBe('active');
  }
  expect((await ask('GET', path, wren)).json).toMatchObject({ state: 'active', role: 'member' });
  expect(await status('DELETE', path, wren)).toBe(204);
  expect(await status('GET', path, wren)).toBe(404);
  expect(await status('GET', own, linh)).toBe(404);
  expect(await status('PATCH', own, linh, { state: 'active' })).toBe(404);
});

test('the last administrator stays', async () => {
  expect(await status('PUT', '/orgs/harbor-lab/memberships/wren', wren, { role: 'member' })).toBe(422);
  expect(await status('DELETE', '/orgs/harbor-lab/members/wren', wren)).toBe(422);
});
