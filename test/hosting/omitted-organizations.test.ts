import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const { wren, tomas, juniper } = users;
const { id: northgate } = (await call(gateway, 'GET', '/orgs/northgate')).json;

// Tomas stars and watches the vault, and causes an event in it, with a token of his that is authorized.
await sql`insert into star (account_id, repository_id, starred_at)
  select a.id, r.id, now() from account a, repository r where a.login = 'tomas' and r.name = 'vault'`.execute(
  gateway.database.sql,
);
await sql`insert into watch (account_id, repository_id, watched_at)
  select a.id, r.id, now() from account a, repository r where a.login = 'tomas' and r.name = 'vault'`.execute(
  gateway.database.sql,
);
await sql`update event set actor_id = (select id from account where login = 'tomas')
  where id = (select max(e.id) from event e join repository r on r.id = e.repository_id where r.name = 'vault')`.execute(
  gateway.database.sql,
);

await sql`update membership set is_public = false where organization_id = ${northgate}`.execute(gateway.database.sql);

const header = async (path: string, token: string) => {
  const { status, headers, json } = await call(gateway, 'GET', path, `Bearer ${token}`);
  expect({ path, status }).toEqual({ path, status: 200 });
  expect(JSON.stringify(json)).not.toContain('northgate/vault');
  return headers.get('x-host-sso');
};

// Each is a list of what is in repositories or of memberships, and the token of Tomas is not authorized for Northgate.
test.each([
  '/user/repos',
  '/orgs/northgate/repos',
  '/users/northgate/repos',
  '/users/tomas/events',
  '/users/tomas/events/orgs/northgate',
  '/users/tomas/received_events',
  '/search/repositories?q=user:northgate',
  '/user/orgs',
  '/users/tomas/orgs',
  '/orgs/northgate/members',
])('%s names the organization that is left out', async path => {
  expect(await header(path, tomas.classic_token)).toBe(`partial-results; organizations=${northgate}`);
});

test.each([
  '/users/tomas/events/public',
  '/users/tomas/received_events/public',
  '/orgs/northgate/events',
  '/users/tomas/events/orgs/harbor-lab',
  '/search/repositories?q=user:harbor-lab',
  '/orgs/northgate/public_members',
  '/orgs/harbor-lab/members',
])('%s leaves out nothing for single sign-on', async path => {
  expect(await header(path, tomas.classic_token)).toBeNull();
});

test('nobody else is told of it', async () => {
  const vault = await call(gateway, 'GET', '/orgs/northgate/repos', `Bearer ${wren.classic_token}`);
  expect(vault.headers.get('x-host-sso')).toBeNull();
  expect(await header('/orgs/northgate/repos', juniper.classic_token)).toBeNull();
});
