import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const [wren, juniper] = [users.wren.classic_token, users.juniper.classic_token];
const { ask } = callsWithTokens(gateway);

test('a user changes the own profile; what is not sent stays', async () => {
  const { json, status } = await ask('PATCH', '/user', juniper, { company: 'Harbor', blog: 'https://example.org' });
  expect([status, json]).toMatchObject([
    200,
    { company: 'Harbor', blog: 'https://example.org', name: 'Juniper Okafor' },
  ]);
  expect((await ask('PATCH', '/user', juniper, { company: '', bio: null })).json).toMatchObject({
    company: null,
    bio: null,
    blog: 'https://example.org',
  });
  const [{ email }] = (await ask('GET', '/user/emails', juniper)).json;
  expect((await ask('PATCH', '/user', juniper, { email })).json.email).toBe(email);
  expect((await ask('GET', '/users/juniper')).json.email).toBe(email);
});

test.each([
  [{ email: 'somebody@example.org' }],
  [{ email: 'no address' }],
  [{ name: 'x'.repeat(256) }],
  [{ bio: 'x'.repeat(1_001) }],
])('%j is refused', async body => {
  expect((await ask('PATCH', '/user', juniper, body)).status).toBe(422);
});

test('administrators change the profile of an organization', async () => {
  const { json } = await ask('PATCH', '/orgs/harbor-lab', wren, { description: 'Charts.', email: 'lab@example.org' });
  expect(json).toMatchObject({ login: 'harbor-lab', description: 'Charts.', email: 'lab@example.org' });
  expect((await ask('PATCH', '/orgs/harbor-lab', juniper, { description: 'x' })).status).toBe(403);
  expect((await ask('PATCH', '/orgs/nobody-at-all', wren, { description: 'x' })).status).toBe(404);
});
