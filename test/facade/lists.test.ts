import { expect, test } from '@jest/globals';
import { buildOpenApi } from 'operation-rest';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `type Item { name: String! } type Single { name: String! } type Many { items: [Item!]!, etag: String! }
   union Outcome = Single | Many type Query { find(many: Boolean): Outcome }`,
  {
    Query: {
      find: (_root: unknown, { many }: { many?: boolean }) =>
        many
          ? { __typename: 'Many', items: [{ name: 'a' }, { name: 'b' }], etag: 'abc' }
          : { __typename: 'Single', name: 'c' },
    },
  },
);
const facade = await startTestFacade({
  graph,
  product: 'hosting-like',
  operations: {
    'a/find.graphql': `query Find($many: Boolean) @rest(method: GET, path: "/things") { find(many: $many) @body {
      ... on Single { name } ... on Many { items { name } etag @header(name: "ETag") } } }`,
  },
  overrides: { listOutcomes: { Many: 'items' } },
});

test('a list outcome is sent as the list, with the headers beside it', async () => {
  const many = await facade.request('/things?many=true');
  expect([many.status, many.json, many.headers.get('etag')]).toEqual([200, [{ name: 'a' }, { name: 'b' }], '"abc"']);
  expect((await facade.request('/things')).json).toEqual({ name: 'c' });
  expect((await facade.request('/things?many=true', { headers: { 'if-none-match': '"abc"' } })).status).toBe(304);
});

test('it is documented as a list', () => {
  const document = buildOpenApi(facade.product, facade.endpoints) as {
    paths: Record<
      string,
      Record<string, { responses: Record<string, { content: Record<string, { schema: unknown }> }> }>
    >;
  };
  expect(document.paths['/things']?.get?.responses[200]?.content['application/json']?.schema).toEqual({
    anyOf: [
      expect.objectContaining({ type: 'object' }),
      { type: 'array', items: expect.objectContaining({ type: 'object' }) },
    ],
  });
});
