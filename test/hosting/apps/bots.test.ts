import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';
import { base64 } from '../contents/world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const wren = `Bearer ${demo.users.wren.classic_token}`;
const installation = `Bearer ${demo.tokens.installation}`;
const login = 'harbor-pilot[bot]';
const get = (path: string, authorization = wren) => call(gateway, 'GET', path, authorization);
const bot = (await get('/users/harbor-pilot%5Bbot%5D')).json;
const repository = '/repos/harbor-lab/compass';

test('the bot of an app is found by its login and its number', async () => {
  const path = `${gateway.url}/users/harbor-pilot%5Bbot%5D`;
  const published = {
    login,
    id: expect.any(Number),
    type: 'Bot',
    site_admin: false,
    url: path,
    repos_url: `${path}/repos`,
    html_url: `${gateway.url}/apps/harbor-pilot`,
    email: null,
  };
  expect(bot).toMatchObject(published);
  expect((await get('/users/Harbor-Pilot[bot]')).json).toEqual(bot);
  expect((await get(`/user/${bot.id}`)).json).toEqual(bot);
  expect((await get('/users/harbor-pilot%5Bbot%5D/repos')).json).toEqual([]);
  expect((await get('/users/no-such%5Bbot%5D')).status).toBe(404);
  expect((await get('/apps/harbor-pilot')).status).toBe(200);
});

test('a push of an app is its bot’s: commit, rule suite and event', async () => {
  const rules = { name: 'Quiet', target: 'branch', enforcement: 'evaluate', rules: [{ type: 'creation' }] };
  const conditions = { ref_name: { include: ['~ALL'], exclude: [] } };
  expect((await call(gateway, 'POST', `${repository}/rulesets`, wren, { ...rules, conditions })).status).toBe(201);
  const file = { message: 'By an app', content: base64('x') };
  const { json } = await call(gateway, 'PUT', `${repository}/contents/by-a-bot`, installation, file);
  expect(json.commit.author).toMatchObject({
    name: login,
    email: `${bot.id}+${login}@users.noreply.${new URL(gateway.url).hostname}`,
  });
  const commit = (await get(`${repository}/commits/${json.commit.sha}`)).json;
  expect(commit.author).toMatchObject({ login, id: bot.id, type: 'Bot' });
  const [event] = (await get(`${repository}/events`)).json;
  expect(event.actor).toMatchObject({ login, id: bot.id, url: bot.url });
  const [suite] = (await get(`${repository}/rulesets/rule-suites`)).json;
  expect(suite).toMatchObject({ actor_id: bot.id, actor_name: login, after_sha: json.commit.sha });
  const named = await get(`${repository}/rulesets/rule-suites?actor_name=${encodeURIComponent(login)}`);
  expect(named.json[0]).toEqual(suite);
});

test('an older noreply address, with the number of the app, is nobody’s', async () => {
  const host = `users.noreply.${new URL(gateway.url).hostname}`;
  const authorOf = async (email: string) => {
    const author = { name: login, email };
    const body = { message: email, content: base64(email), author, committer: author };
    const path = `${repository}/contents/${encodeURIComponent(email)}`;
    const { json } = await call(gateway, 'PUT', path, wren, body);
    return (await get(`${repository}/commits/${json.commit.sha}`)).json.author?.login ?? null;
  };
  expect(await authorOf(`${demo.app.id}+${login}@${host}`)).toBeNull();
  expect(await authorOf(`${bot.id}+other[bot]@${host}`)).toBeNull();
  expect(await authorOf(`${bot.id}+harbor-pilot@${host}`)).toBeNull();
  expect(await authorOf(`${bot.id}+Harbor-Pilot[bot]@${host}`)).toBe(login);
});

test('a bot is in no list and no search, and cannot own, join or be followed', async () => {
  const logins = async (path: string): Promise<string[]> => {
    const { json } = await get(path);
    return (json.items ?? json).map((one: { login: string }) => one.login);
  };
  expect(await logins(`/users?since=${bot.id - 1}`)).not.toContain(login);
  expect(await logins('/search/users?q=pilot')).toEqual([]);
  expect(await logins('/search/users?q=pilot%20type:user')).toEqual([]);
  expect((await call(gateway, 'PUT', '/user/following/harbor-pilot%5Bbot%5D', wren)).status).toBe(404);
  const membership = '/orgs/harbor-lab/memberships/harbor-pilot%5Bbot%5D';
  expect((await call(gateway, 'PUT', membership, wren, { role: 'member' })).status).toBe(404);
  const { data, errors } = await graphql(
    gateway,
    'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { name } } }',
    demo.users.wren.classic_token,
    { input: { ownerId: bot.node_id, name: 'owned', visibility: 'PUBLIC' } },
  );
  expect([data?.createRepository ?? null, errors?.[0]?.extensions.code]).toEqual([null, 'FORBIDDEN']);
});

test('an app gets its bot when it is made, and the bot ends with the app', async () => {
  const document = 'mutation($input: CreateAppInput!) { createApp(input: $input) { app { databaseId slug } } }';
  const input = { name: 'Tide Table', url: 'https://tides.example.org', permissions: [] };
  const { data } = await graphql(gateway, document, demo.users.wren.classic_token, { input });
  expect(data.createApp.app.slug).toBe('tide-table');
  expect((await get('/users/tide-table%5Bbot%5D')).json).toMatchObject({ login: 'tide-table[bot]', type: 'Bot' });
  await sql`delete from app where id = ${data.createApp.app.databaseId}`.execute(gateway.database.sql);
  expect((await get('/users/tide-table%5Bbot%5D')).status).toBe(404);
});
