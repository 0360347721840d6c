import { describe, expect, test } from '@jest/globals';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  "How a book is bound."
  enum Binding { HARD SOFT NONE }
  input Order { binding: Binding, second: Binding }
  type Query { books(binding: Binding, second: Binding): String!, bound(binding: Binding!): String!, shelves(of: [Binding]): String! }
  type Mutation { order(input: Order!): String! }`,
  { Query: { books: echo, bound: echo }, Mutation: { order: echo } },
);

const operations = {
  'a/books.graphql': `query Books($binding: Binding = SOFT, $hard: Binding @boolean(as: { true: HARD, false: SOFT }))
    @rest(method: GET, path: "/books/") { books(binding: $binding, second: $hard) @body }`,
  'a/bound.graphql': `query Bound($hard: Binding! @boolean(as: { true: HARD, false: SOFT }))
    @rest(method: GET, path: "/bound/") { bound(binding: $hard) @body }`,
  'a/order.graphql': `mutation Order($binding: Binding @boolean(name: "hard", as: { true: HARD, false: SOFT }, default: false, description: "Hard."),
      $second: Binding @boolean(name: "other", as: { true: HARD, false: NONE }))
    @rest(method: POST, path: "/orders/") { order(input: { binding: $binding, second: $second }) @body }`,
};
const facade = await startTestFacade({ graph, operations });
const get = async (path: string): Promise<unknown> => {
  const { status, json } = await facade.request(`/api/v1${path}`);
  return status === 200 ? JSON.parse(json) : [status, json];
};
const order = async (body: object): Promise<unknown> => {
  const { status, json } = await facade.send('POST', '/api/v1/orders/', body);
  return status === 200 ? JSON.parse(json) : [status, json];
};

describe('@boolean', () => {
  test.each([
    ['', { binding: 'SOFT' }],
    ['?binding=none&hard=true', { binding: 'NONE', second: 'HARD' }],
    ['?binding=hard&hard=false', { binding: 'HARD', second: 'SOFT' }],
  ])('%s', async (query, received) => {
    expect(await get(`/books/${query}`)).toEqual(received);
  });

  test('another text is refused', async () => {
    expect(await get('/books/?hard=hard')).toEqual([400, { hard: ['Must be a valid boolean.'] }]);
    expect(await get('/bound/')).toEqual([400, { hard: ['This field is required.'] }]);
    expect(await get('/bound/?hard=1')).toEqual({ binding: 'HARD' });
  });
});

describe('@boolean(name:)', () => {
  test.each([
    [{}, { binding: 'SOFT' }],
    [{ hard: true }, { binding: 'HARD' }],
    [{ hard: true, binding: 'none' }, { binding: 'NONE' }],
    [{ hard: true, binding: null }, { binding: 'HARD' }],
    [
      { hard: null, other: true },
      { binding: null, second: 'HARD' },
    ],
    [
      { other: false, second: 'soft' },
      { binding: 'SOFT', second: 'SOFT' },
    ],
    [{ second: null }, { binding: 'SOFT', second: null }],
  ])('%j is %j', async (body, input) => {
    expect(await order(body)).toEqual({ input });
  });

  test('it is a parameter of its own', async () => {
    expect(await order({ hard: 'hard' })).toEqual([400, { hard: ['Must be a valid boolean.'] }]);
  });
});

test('the OpenAPI document has Booleans', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document.
  const { paths } = facade.document() as any;
  expect(paths['/books/'].get.parameters).toMatchObject([
    { name: 'binding' },
    { name: 'hard', schema: { type: 'boolean' } },
  ]);
  expect(paths['/bound/'].get.parameters).toMatchObject([
    { name: 'hard', required: true, schema: { type: 'boolean' } },
  ]);
  const { properties } = paths['/orders/'].post.requestBody.content['application/json'].schema;
  expect(Object.keys(properties)).toEqual(['hard', 'binding', 'other', 'second']);
  expect(properties.hard).toEqual({ type: ['boolean', 'null'], default: false, description: 'Hard.' });
});

test.each([
  ['$b: Binding @boolean(as: { true: SOFT, false: PAPER })', 'is no value of Binding'],
  ['$b: Binding @boolean(as: { true: SOFT })', 'values for true and false'],
  ['$b: Binding! @boolean(name: "x", as: { true: SOFT, false: HARD })', 'must be nullable'],
  ['$b: Binding @boolean(name: "b", as: { true: SOFT, false: HARD })', 'Two variables have the name b'],
])('a start with %s is refused', (variable, reason) => {
  const query = `query Q(${variable}) @rest(method: GET, path: "/x") { books(binding: $b) @body }`;
  expect(String(bootError({ graph, operations: { 'a/x.graphql': query } }))).toContain(reason);
});

test('a start with @boolean at a list is refused', () => {
  const query = `query Q($b: [Binding] @boolean(as: { true: SOFT, false: HARD })) @rest(method: GET, path: "/x") {
    shelves(of: $b) @body }`;
  expect(String(bootError({ graph, operations: { 'a/x.graphql': query } }))).toContain('is no enum');
});
