import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const owner = (_: unknown, { name }: { name: string }) => (name === 'nobody' ? null : { name });
const graph = buildTestSchema(
  `
  type Thing { id: Int!, broken: Int!, absent: Int }
  type Owner { name: String!, thing: Thing, isRich: Boolean!, must: Thing!, things: [Thing], missing: Thing, count: Int }
  type Query { owner(name: String!): Owner, nothing: Thing, must: Thing!, list: [Thing], gone: [Thing] }
  type Mutation { remove(name: String!): Owner }`,
  {
    Owner: {
      thing: ({ name }: { name: string }) => (name === 'poor' ? null : { id: 1 }),
      must: ({ name }: { name: string }) => (name === 'poor' ? null : { id: 1 }),
      things: () => [null, { id: 1 }],
      missing: () => {
        throw new GraphQLError('Not found.', { extensions: { code: 'NOT_FOUND', http: { status: 404 } } });
      },
      count: () => null,
      isRich: ({ name }: { name: string }) => name !== 'poor',
    },
    Thing: { broken: () => null },
    Query: { owner, nothing: () => null, must: () => null, list: () => [null], gone: () => null },
    Mutation: { remove: owner },
  },
);
const get = (name: string, selection: string, path = name) =>
  [
    `a/${name}.graphql`,
    `query Get_${name}($owner: String!) @rest(method: GET, path: "/${path}/{owner}/") { owner(name: $owner) ${selection} }`,
  ] as const;
const operations = Object.fromEntries([
  get('on', '@body { name }'),
  get('above', '{ thing @body { id } }'),
  get('scalar', '{ thing { id @body } }'),
  get('nullable', '{ thing @body(nullable: true) { id } }'),
  get('nullscalar', '{ count @body(nullable: true) }'),
  get('deepnull', '{ thing { absent @body(nullable: true) } }'),
  get('empty', '{ thing @body(nullStatus: 204) { id } }'),
  get('must', '{ must @body { id } }'),
  get('broken', '{ thing @body { broken } }'),
  get('missing', '{ thing @body { id } missing { id } }'),
  get('items', '{ things @body { id } }'),
  get('beside', '{ thing @body { id } isRich @found }'),
  [
    'a/rich.graphql',
    `query Rich($owner: String!) @rest(method: GET, path: "/rich/{owner}/", status: 204) { owner(name: $owner) { isRich @found } }`,
  ],
  ['a/list.graphql', `query List @rest(method: GET, path: "/list/") { list @body { id } }`],
  ['a/gone.graphql', `query Gone @rest(method: GET, path: "/gone/") { gone @body { id } }`],
  ['a/nothing.graphql', `query Nothing @rest(method: GET, path: "/nothing/") { nothing @body(nullable: true) { id } }`],
  [
    'a/remove.graphql',
    `mutation Remove($owner: String!) @rest(method: DELETE, path: "/on/{owner}/", status: 204) { remove(name: $owner) { name } }`,
  ],
]);
const facade = await startTestFacade({ graph, operations });
const answer = async (path: string): Promise<[number, unknown]> => {
  const { status, json } = await facade.request(`/api/v1${path}`);
  return [status, json];
};
const absent = [404, { detail: 'Not found.', code: 'not_found' }];

test('null at the body is the status of nullStatus; null above it is 404', async () => {
  expect(await answer('/empty/rich/')).toEqual([200, { id: 1 }]);
  expect((await facade.request('/api/v1/empty/poor/')).status).toBe(204);
  expect(await answer('/empty/nobody/')).toEqual(absent);
  const { paths } = facade.document() as { paths: Record<string, { get: { responses: Record<string, object> } }> };
  expect(paths['/empty/{owner}/']?.get.responses).toMatchObject({ 200: { content: {} }, 204: {} });
  expect(paths['/empty/{owner}/']?.get.responses[204]).not.toHaveProperty('content');
});

test.each(['nullStatus: 200', 'nullStatus: 204, nullable: true'])('a start with @body(%s) is refused', values => {
  const [, query] = get('x', `{ thing @body(${values}) { id } }`);
  expect(String(bootError({ graph, operations: { 'a/x.graphql': query } }))).toContain('nullStatus of @body');
});

describe('null on the way to the body', () => {
  test.each([
    '/on/nobody/',
    '/above/nobody/',
    '/above/poor/',
    '/scalar/nobody/',
    '/scalar/poor/',
    '/must/nobody/',
    '/items/nobody/',
    '/gone/',
  ])('%s is 404', async path => {
    expect(await answer(path)).toEqual(absent);
  });

  test.each(['/nullable/nobody/', '/nullscalar/nobody/', '/deepnull/nobody/', '/deepnull/poor/'])(
    '%s is 404 although the body may be null',
    async path => {
      expect(await answer(path)).toEqual(absent);
    },
  );

  test.each(['/nullable/poor/', '/nullscalar/ada/', '/deepnull/ada/', '/nothing/'])(
    '%s is null, which is an answer there',
    async path => {
      const { status, text, headers } = await facade.request(`/api/v1${path}`);
      expect([status, text, headers.get('content-length')]).toEqual([200, 'null', '4']);
    },
  );

  test('in a list is an item', async () => {
    expect(await answer('/list/')).toEqual([200, [null]]);
    expect(await answer('/items/ada/')).toEqual([200, [null, { id: 1 }]]);
  });

  test('is ignored without a body', async () => {
    expect((await facade.request('/api/v1/on/nobody/', { method: 'DELETE' })).status).toBe(204);
  });
});

describe('@found', () => {
  test.each(['/rich/poor/', '/rich/nobody/', '/beside/poor/'])('%s is 404', async path => {
    expect(await answer(path)).toEqual(absent);
  });

  test('has no effect for true', async () => {
    expect((await facade.request('/api/v1/rich/ada/')).status).toBe(204);
    expect(await answer('/beside/ada/')).toEqual([200, { id: 1 }]);
  });

  test.each([
    ['in a list', '{ things { id @found } must @body { id } }', '@body, @page and @found cannot be inside a list.'],
    ['inside the body', '{ must @body { id @found } }', '@body and @found cannot be inside @body.'],
  ])('%s stops the boot', (_, selection, reason) => {
    expect(bootError({ graph, operations: Object.fromEntries([get('other', selection)]) })).toContain(reason);
  });
});

describe('null at a non-null field', () => {
  test.each(['/must/poor/', '/broken/ada/'])('%s is a defect and not absence', async path => {
    expect(await answer(path)).toEqual([500, { detail: 'A server error occurred.', code: 'error' }]);
    expect(facade.takeDefects()).toHaveLength(1);
  });
});

describe('an error beside the body', () => {
  test('is answered like one above it', async () => {
    expect(await answer('/missing/ada/')).toEqual(absent);
  });
});
