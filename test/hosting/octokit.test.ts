import { expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { octokitAsApp, quiet } from '../harness/octokit.ts';

const gateway = await clientGateway();
gateway.usedBy('@octokit/rest', packageVersion('@octokit/rest'));
const demo = await demoOf(gateway);
const client = (auth?: string): Octokit =>
  new Octokit({ baseUrl: gateway.url, userAgent: 'portico tests', log: quiet, ...(auth ? { auth } : {}) });
const asApp = (installationId?: number) => octokitAsApp(gateway, demo, installationId);
const refused = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { status: number; message: string; response: { headers: Record<string, string> } }) => error,
  );

test('an app with its key: itself, and a token of its installation', async () => {
  const app = await asApp().rest.apps.getAuthenticated();
  expect(app.data).toMatchObject({ id: demo.app.id, slug: 'harbor-pilot' });
  const made = await asApp().rest.apps.createInstallationAccessToken({
    installation_id: demo.app.installation_id ?? 0,
    repositories: ['compass'],
  });
  expect(made.status).toBe(201);
  expect(made.data.repositories?.map(one => one.full_name)).toEqual(['harbor-lab/compass']);
  await client(made.data.token).rest.apps.revokeInstallationAccessToken();
  expect(await refused(client(made.data.token).rest.repos.get({ owner: 'harbor-lab', repo: 'compass' }))).toMatchObject(
    { status: 401 },
  );
});

test('an installation creates its own tokens and reads with them', async () => {
  const installed = asApp(demo.app.installation_id ?? 0);
  const { data } = await installed.rest.repos.get({ owner: 'harbor-lab', repo: 'ledger' });
  expect(data).toMatchObject({ full_name: 'harbor-lab/ledger', private: true });
  expect(await refused(installed.rest.repos.get({ owner: 'juniper', repo: 'notebook' }))).toMatchObject({
    status: 404,
  });
  expect(await refused(installed.rest.users.getAuthenticated())).toMatchObject({
    status: 403,
    message: expect.stringContaining('Resource not accessible by integration'),
  });
});

test('a repository by a former name, and by its id', async () => {
  const { data } = await client().rest.repos.get({ owner: 'Harbor-Lab', repo: 'needle' });
  expect(data.full_name).toBe('harbor-lab/compass');
  expect((await client().request('GET /repositories/{id}', { id: data.id })).data.full_name).toBe('harbor-lab/compass');
});

test('users with both kinds of token', async () => {
  const { juniper, tomas } = demo.users;
  expect((await client(juniper.classic_token).rest.users.getAuthenticated()).data.login).toBe('juniper');
  expect((await client(juniper.fine_grained_token).rest.users.getAuthenticated()).data.login).toBe('juniper');
  expect((await client().rest.orgs.get({ org: 'harbor-lab' })).data.login).toBe('harbor-lab');
  expect((await client().rest.users.getByUsername({ username: 'wren' })).data.type).toBe('User');
  const sso = await refused(client(tomas.classic_token).rest.repos.get({ owner: 'northgate', repo: 'vault' }));
  expect(sso?.status).toBe(403);
  expect(sso?.response.headers['x-host-sso']).toMatch(/^required; url=/);
  expect(
    (await client(juniper.classic_token).rest.repos.get({ owner: 'harbor-lab', repo: 'ledger' })).headers[
      'x-oauth-scopes'
    ],
  ).toContain('repo');
});

test('pages of own repositories', async () => {
  const wren = client(demo.users.wren.classic_token);
  const all = await wren.paginate(wren.rest.repos.listForAuthenticatedUser, { per_page: 2 });
  expect(all.map(one => one.full_name)).toContain('northgate/vault');
});

test('an OAuth app checks its tokens', async () => {
  const { client_id, client_secret } = demo.oauth_app;
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const { data } = await client().rest.apps.checkToken({
    client_id,
    access_token: demo.tokens.oauth,
    headers: { authorization },
  });
  expect(data.user?.login).toBe('juniper');
});

test.each([
  ['credentials that are no good', 'hostp_nonsense', 401, 'Bad credentials'],
  ['a private repository of others', undefined, 404, 'Not Found'],
])('%s', async (_name, auth, status, message) => {
  const error = await refused(client(auth).rest.repos.get({ owner: 'harbor-lab', repo: 'ledger' }));
  expect(error).toMatchObject({ status, message: expect.stringContaining(message) });
});
