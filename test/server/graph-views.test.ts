import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway();

async function ask(path: string, query: string) {
  return gateway.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
}

const article = '{ articles(first: 1) { nodes { id headline } } }';
const repository = '{ repository(owner: "harbor-lab", name: "compass") { id name } }';

test('each view answers its product, and does not know the other', async () => {
  expect((await ask('/graphql/health', article)).json).toEqual((await ask('/graphql', article)).json);
  expect((await ask('/graphql/hosting', repository)).json).toEqual((await ask('/graphql', repository)).json);
  for (const [path, query] of [
    ['/graphql/health', repository],
    ['/graphql/hosting', article],
  ] as const) {
    const { status, json } = await ask(path, query);
    expect({ status, code: json.errors[0].extensions.code }).toEqual({
      status: 400,
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
  }
});

test('node finds objects of the product of the view alone', async () => {
  const { data } = (await ask('/graphql', repository)).json;
  const query = `{ node(id: "${data.repository.id}") { id } }`;
  expect((await ask('/graphql/hosting', query)).json.data).toEqual({ node: { id: data.repository.id } });
  const other = await ask('/graphql/health', query);
  expect(other.json.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  const goal = encodeGlobalId('HealthGoal', 1);
  expect((await ask('/graphql/hosting', `{ node(id: "${goal}") { id } }`)).json.errors[0].extensions.code).toBe(
    'BAD_USER_INPUT',
  );
});

test('the SDL of a view has no type of the other product', async () => {
  const types = async (path: string): Promise<string[]> =>
    Object.keys(buildSchema((await gateway.request(path)).text, { assumeValidSDL: true }).getTypeMap());
  const [health, hosting] = [
    await types('/graphql/health/schema.graphql'),
    await types('/graphql/hosting/schema.graphql'),
  ];
  expect(health).toEqual(expect.arrayContaining(['Article', 'Person', 'Node', 'RateLimit']));
  expect(hosting).toEqual(expect.arrayContaining(['Repository', 'User', 'Node', 'RateLimit']));
  const scalarsAndPaging = /^(__|[A-Z][A-Za-z]*$)/;
  const common = health.filter(name => hosting.includes(name) && scalarsAndPaging.test(name));
  expect(common.filter(name => ['Article', 'Person', 'Repository', 'User', 'Organization'].includes(name))).toEqual([]);
});
