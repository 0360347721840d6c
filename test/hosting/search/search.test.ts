import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const juniper = demo.users.juniper.classic_token;
const search = (path: string, token?: string) =>
  call(gateway, 'GET', `/search/${path}`, token === undefined ? undefined : `Bearer ${token}`);
const names = async (path: string, token?: string): Promise<string[]> => {
  const { json } = await search(path, token);
  return json.items.map((one: { full_name?: string; login?: string }) => one.full_name ?? one.login);
};

test('repositories that match, private ones for those who see them', async () => {
  const { json } = await search('repositories?q=compass');
  expect(json).toMatchObject({ total_count: 1, incomplete_results: false });
  expect(json.items[0]).toMatchObject({ full_name: 'harbor-lab/compass', score: 1 });
  expect(await names('repositories?q=notebook')).toEqual([]);
  expect(await names('repositories?q=notebook', juniper)).toEqual(['juniper/notebook']);
});

test('pages of results have links', async () => {
  const first = await search('repositories?q=user:harbor-lab&per_page=1');
  expect(first.json.total_count).toBe(2);
  expect(first.headers.get('link')).toContain('page=2');
  const [one, two] = [
    await names('repositories?q=user:harbor-lab&per_page=1&page=1'),
    await names('repositories?q=user:harbor-lab&per_page=1&page=2'),
  ];
  expect([...one, ...two]).toEqual(['harbor-lab/compass', 'harbor-lab/tides']);
});

test('an order takes its direction, and one of other searches is ignored', async () => {
  const ascending = await names('repositories?q=user:harbor-lab&sort=updated&order=asc');
  expect(ascending.toReversed()).toEqual(await names('repositories?q=user:harbor-lab&sort=updated'));
  expect(await names('repositories?q=user:harbor-lab&sort=joined')).toEqual(['harbor-lab/compass', 'harbor-lab/tides']);
});

test('an order does not count as part of the query', async () => {
  const query = `repositories?q=user:harbor-lab%20${'x'.repeat(240)}`;
  expect((await search(query)).status).toBe(200);
  expect((await search(`${query}&sort=updated`)).status).toBe(200);
});

test('users and organizations by login and name', async () => {
  expect(await names('users?q=wren')).toEqual(['wren']);
  expect(await names('users?q=ACHTERBERG')).toEqual(['wren']);
  expect(await names('users?q=ACHTERBERG in:login')).toEqual([]);
  expect(await names('users?q=type:org')).toEqual(['harbor-lab', 'northgate']);
  expect(await names('users?q=user:Linh')).toEqual(['linh']);
  expect(await names('users?q=%25')).toEqual([]);
});

test('the graph searches users as well', async () => {
  const { data } = await graphql(
    gateway,
    '{ search(query: "harbor", type: USER, first: 5) { nodes { ... on Organization { login } } } }',
    juniper,
  );
  expect(data.search.nodes).toEqual([{ login: 'harbor-lab' }]);
});

test.each(['repositories', 'users'])('a query of %s that cannot be read is 422', async kind => {
  expect((await search(kind)).status).toBe(422);
  expect((await search(`${kind}?q=stars:x`)).status).toBe(422);
  expect((await search(`${kind}?q=${'x'.repeat(300)}`)).status).toBe(422);
});
