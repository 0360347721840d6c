import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const token = (await demoOf(gateway)).users.wren.classic_token;
let count = 0;
const fresh = (): string => `text-${++count}`;
const site = 'https://x.example';

const create = (more: string): string =>
  `createRepository(input: { name: "${fresh()}", visibility: PUBLIC, ${more} }) { repository { id } }`;
const mutations: Record<string, (argument: string) => string> = {
  'description of a repository': argument => create(`description: ${argument}`),
  'first branch of a repository': argument => create(`defaultBranch: ${argument}`),
  'name of an organization': argument =>
    `createOrganization(input: { login: "${fresh()}", name: ${argument} }) { organization { login } }`,
  'description of an app': argument =>
    `createApp(input: { name: "${fresh()}", url: "${site}", permissions: [], description: ${argument} }) { clientSecret }`,
  'event of an app': argument =>
    `createApp(input: { name: "${fresh()}", url: "${site}", permissions: [], events: [${argument}] }) { clientSecret }`,
  'name of an OAuth app': argument =>
    `createOauthApp(input: { name: ${argument}, url: "${site}", callbackUrl: "${site}" }) { clientId }`,
};
const code = async (mutation: string, text: string) =>
  (await graphql(gateway, `mutation ($text: String!) { ${mutation} }`, token, { text })).errors?.[0]?.extensions.code;

test.each(Object.entries(mutations))('%s: texts in lists and feeds are limited and storable', async (_name, of) => {
  expect(await code(of('$text'), 'short')).toBeUndefined();
  for (const text of ['x'.repeat(1_001), 'x'.repeat(200_000), '\ud800']) {
    expect(await code(of('$text'), text)).toBe('RULE_BROKEN');
  }
});

test('the homepage of a repository is limited and storable', async () => {
  const make = 'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { id } } }';
  for (const [path, wanted] of [
    ['short', undefined],
    ['x'.repeat(1_001), 'RULE_BROKEN'],
    ['x'.repeat(200_000), 'RULE_BROKEN'],
    ['\ud800', 'RULE_BROKEN'],
  ] as const) {
    const input = { name: fresh(), visibility: 'PUBLIC', homepageUrl: `${site}/${path}` };
    const { errors } = await graphql(gateway, make, token, { input });
    expect(errors?.[0]?.extensions.code).toBe(wanted);
  }
});

test('a feed of new repositories stays small', async () => {
  const text = 'x'.repeat(1_000);
  for (let at = 0; at < 20; at++)
    expect(await code(mutations['description of a repository']?.('$text') ?? '', text)).toBeUndefined();
  const { status, text: body } = await call(gateway, 'GET', '/users/wren/events/public?per_page=20');
  expect(status).toBe(200);
  expect(body.length).toBeLessThan(100_000);
});

test('a feed of pushes by authors with long names stays small', async () => {
  const name = fresh();
  await graphql(
    gateway,
    `mutation { createRepository(input: { name: "${name}", visibility: PUBLIC }) { repository { id } } }`,
    token,
  );
  const author = { name: 'n'.repeat(200_000), email: `${'e'.repeat(200_000)}@x.example` };
  for (const file of ['a', 'b']) {
    const body = { message: 'm', content: '', author };
    const path = `/repos/wren/${name}/contents/${file}`;
    expect((await call(gateway, 'PUT', path, `Bearer ${token}`, body)).status).toBe(201);
  }
  const { status, json, text } = await call(gateway, 'GET', `/repos/wren/${name}/events`);
  expect(status).toBe(200);
  expect(json[0].payload.commits[0].author.name).toBe('n'.repeat(255));
  expect(text.length).toBeLessThan(20_000);
});
