import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const [wren, juniper, linh] = [users.wren.classic_token, users.juniper.classic_token, users.linh.classic_token];
const { ask, status } = callsWithTokens(gateway);
const tides = '/repos/harbor-lab/tides/collaborators';

test('the list, by permission and affiliation, for callers who can push', async () => {
  const outside = await ask('GET', `${tides}?affiliation=outside`, wren);
  expect(outside.json).toMatchObject([
    { login: 'linh', role_name: 'maintain', permissions: { maintain: true, admin: false } },
  ]);
  expect((await ask('GET', `${tides}?permission=admin`, wren)).json).toMatchObject([{ login: 'wren' }]);
  expect((await ask('GET', `${tides}?permission=push&affiliation=outside`, wren)).json).toHaveLength(1);
  expect(await status('GET', tides, linh)).toBe(200);
  expect(await status('GET', tides, juniper)).toBe(404);
  expect(await status('GET', tides)).toBe(404);
});

test('a member of the organization is added at once, changed and removed', async () => {
  const path = `${tides}/tomas`;
  expect(await status('PUT', path, wren)).toBe(204);
  expect((await ask('GET', `${path}/permission`, wren)).json).toMatchObject({
    permission: 'write',
    role_name: 'write',
  });
  expect(await status('PUT', path, wren, { permission: 'maintain' })).toBe(204);
  expect((await ask('GET', `${path}/permission`, wren)).json).toMatchObject({
    permission: 'write',
    role_name: 'maintain',
    user: { login: 'tomas', role_name: 'maintain' },
  });
  expect(await status('PUT', path, wren, { permission: 'owner' })).toBe(422);
  expect(await status('PUT', path, juniper, {})).toBe(403);
  expect(await status('PUT', `${tides}/nobody-at-all`, wren, {})).toBe(404);
  expect(await status('DELETE', path, wren)).toBe(204);
  expect(await status('DELETE', path, wren)).toBe(404);
});

test('members and strangers have the permission of the organization and of the public', async () => {
  const permission = async (login: string) => (await ask('GET', `${tides}/${login}/permission`, wren)).json.permission;
  expect([await permission('wren'), await permission('juniper'), await permission('okello')]).toEqual([
    'admin',
    'read',
    'read',
  ]);
  expect(await status('GET', `${tides}/juniper`, wren)).toBe(204);
});

test('the list and the check agree, in an organization and at a user', async () => {
  const everybody = (await ask('GET', '/users?per_page=100', wren)).json as { login: string; type: string }[];
  for (const [path, token] of [
    [tides, wren],
    ['/repos/juniper/notebook/collaborators', juniper],
  ] as const) {
    const { json } = await ask('GET', `${path}?per_page=100`, token);
    const listed = new Set(json.map(({ login }: { login: string }) => login));
    expect(listed.size).toBeGreaterThan(0);
    for (const { login } of everybody.filter(one => one.type === 'User'))
      expect([login, await status('GET', `${path}/${login}`, token)]).toEqual([login, listed.has(login) ? 204 : 404]);
  }
});
