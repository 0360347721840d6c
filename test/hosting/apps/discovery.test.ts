import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { appJwt, call, demoOf } from '../../harness/hosting.ts';
import { octokitAsApp } from '../../harness/octokit.ts';

const gateway = await testGateway({ data: 'demo', now: new Date().toISOString() });
const demo = await demoOf(gateway);
const asApp = (installationId?: number) => octokitAsApp(gateway, demo, installationId);
const installationId = demo.app.installation_id ?? 0;
const statusOf = async (path: string): Promise<number> =>
  (await call(gateway, 'GET', path, `Bearer ${await appJwt(gateway, demo)}`)).status;

test('an app finds its installations, and each one its repositories', async () => {
  const installations = await asApp().paginate('GET /app/installations', { per_page: 1 });
  expect(installations.map(one => one.id)).toEqual([installationId]);
  const { data } = await asApp(installationId).rest.apps.listReposAccessibleToInstallation({ per_page: 2 });
  expect(data.total_count).toBe(3);
  expect(data.repositories.map(one => one.full_name)).toEqual(['harbor-lab/compass', 'harbor-lab/tides']);
  const all = await asApp(installationId).paginate('GET /installation/repositories', { per_page: 1 });
  expect(all).toHaveLength(3);
});

test('a token for one repository reaches that one', async () => {
  const made = await asApp().rest.apps.createInstallationAccessToken({
    installation_id: installationId,
    repositories: ['tides'],
  });
  const { json } = await call(gateway, 'GET', '/installation/repositories', `Bearer ${made.data.token}`);
  expect([json.total_count, json.repositories[0].full_name]).toEqual([1, 'harbor-lab/tides']);
});

test('an app finds its installation by repository and by account', async () => {
  const { apps } = asApp().rest;
  const ids = await Promise.all([
    apps.getRepoInstallation({ owner: 'harbor-lab', repo: 'COMPASS' }).then(({ data }) => data.id),
    apps.getOrgInstallation({ org: 'harbor-lab' }).then(({ data }) => data.id),
    apps.getUserInstallation({ username: 'Harbor-Lab' }).then(({ data }) => data.id),
  ]);
  expect(ids).toEqual([installationId, installationId, installationId]);
  for (const path of [
    '/repos/northgate/handbook/installation',
    '/repos/harbor-lab/no-such-thing/installation',
    '/orgs/northgate/installation',
    '/orgs/wren/installation',
    '/users/wren/installation',
  ]) {
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  }
});

test('installations are for apps, repositories of an installation for its tokens', async () => {
  const token = `Bearer ${demo.users.wren.classic_token}`;
  expect((await call(gateway, 'GET', '/app/installations', token)).status).toBe(401);
  expect((await call(gateway, 'GET', '/installation/repositories', token)).status).toBe(403);
  expect((await call(gateway, 'GET', '/installation/repositories')).status).toBe(403);
});

test('any caller reads what an app says of itself', async () => {
  const { status, json } = await call(gateway, 'GET', '/apps/Harbor-Pilot');
  expect([status, json.slug, json.client_id]).toEqual([200, 'harbor-pilot', demo.app.client_id]);
  expect((await call(gateway, 'GET', '/apps/no-such-app')).status).toBe(404);
});

test('a token does not reach a repository that the installation has lost since', async () => {
  const made = await asApp().rest.apps.createInstallationAccessToken({
    installation_id: installationId,
    repositories: ['tides', 'compass'],
  });
  const { sql: db } = gateway.database;
  await sql`insert into installation_repository (installation_id, repository_id)
    select ${installationId}, id from repository where name = 'compass' and owner_id = (
      select account_id from installation where id = ${installationId})`.execute(db);
  await sql`update installation set repository_selection = 'selected' where id = ${installationId}`.execute(db);
  const { json } = await call(gateway, 'GET', '/installation/repositories', `Bearer ${made.data.token}`);
  expect(json.repositories.map((one: { full_name: string }) => one.full_name)).toEqual(['harbor-lab/compass']);
  expect(json.total_count).toBe(1);
});

test('a user finds the installations that a token reaches', async () => {
  const found = async (token: string) => {
    const { status, json } = await call(gateway, 'GET', '/user/installations', `Bearer ${token}`);
    expect([status, json.total_count]).toEqual([200, json.installations.length]);
    return json.installations.map((one: { id: number; app_slug: string }) => [one.id, one.app_slug]);
  };
  const { wren, tomas } = demo.users;
  // Who manages the organization; and the app for a member, but not for its other installations.
  expect(await found(wren.classic_token)).toEqual([[installationId, 'harbor-pilot']]);
  expect(await found(tomas.classic_token)).toEqual([]);
  expect(await found(wren.fine_grained_token)).toEqual([]);
  expect(await found(demo.tokens.user_to_server)).toEqual([[installationId, 'harbor-pilot']]);
  const { data } = await asApp().rest.apps.createInstallationAccessToken({ installation_id: installationId });
  for (const token of [data.token, await appJwt(gateway, demo)])
    expect((await call(gateway, 'GET', '/user/installations', `Bearer ${token}`)).status).toBe(403);
  expect((await call(gateway, 'GET', '/user/installations')).status).toBe(403);
});
