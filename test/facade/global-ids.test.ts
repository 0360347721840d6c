import { describe, expect, test } from '@jest/globals';
import { GraphQLSafeInt, GraphQLUUID } from 'graphql-scalars';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const encode = (type: string) => (key: unknown) => `${type}:${typeof key}:${String(key)}`;
const graph = buildTestSchema(
  `
  scalar SafeInt
  scalar UUID
  input Filter { goalId: ID, goalIds: [ID!] }
  type Goal { id: ID! }
  type Person { id: ID! }
  type Plain { id: ID! }
  type Odd { id: ID! }
  interface Owner { id: ID! }
  type Shop implements Owner { id: ID! }
  type Query { goal(id: ID!): String!, goals(ids: [ID!], first: ID, filter: Filter): String!, person(id: ID): String!, named(id: String): String, plain: Plain, odd: Odd, aGoal: Goal, aPerson: Person, shop: Shop }
  type Mutation { move(id: ID!, person: ID, goals: [ID!]): String! }`,
  {
    SafeInt: GraphQLSafeInt.toConfig(),
    UUID: GraphQLUUID.toConfig(),
    Query: { goal: echo, goals: echo, person: echo },
    Mutation: { move: echo },
  },
);
Object.assign(graph.getType('Goal') ?? {}, { extensions: { nodeKey: { scalar: 'SafeInt', encode: encode('Goal') } } });
Object.assign(graph.getType('Plain') ?? {}, {
  extensions: {
    nodeKey: { scalar: 'SafeInt', encode: encode('Plain'), encodeNames: (names: string[]) => names.join('|') },
  },
});
Object.assign(graph.getType('Person') ?? {}, {
  extensions: { nodeKey: { scalar: 'UUID', encode: encode('Person') } },
});
Object.assign(graph.getType('Owner') ?? {}, {
  extensions: { nodeKey: { encodeNames: (names: string[]) => `Owner:${names.join('|')}` } },
});
Object.assign(graph.getType('Odd') ?? {}, { extensions: { nodeKey: { scalar: 'Decimal', encode: encode('Odd') } } });

const operations = {
  'a/get.graphql': `query Get($id: ID! @globalId(of: "Goal")) @rest(method: GET, path: "/goals/{id}/") { goal(id: $id) @body }`,
  'a/list.graphql': `query List($ids: [ID!] @globalId(of: "Goal") @range(max: 2), $first: ID = 7 @globalId(of: "Goal") @orDefault)
    @rest(method: GET, path: "/goals/") { goals(ids: $ids, first: $first) @body }`,
  'a/filter.graphql': `query Filter($goal: ID! @globalId(of: "Goal"), $ids: [ID!]! @globalId(of: "Goal"))
    @rest(method: GET, path: "/filter/") { goals(filter: { goalId: $goal, goalIds: $ids }) @body }`,
  'a/person.graphql': `query Person($id: ID @globalId(of: "Person") @aliases(names: ["person_id"]))
    @rest(method: GET, path: "/person/") { person(id: $id) @body }`,
  'a/move.graphql': `mutation Move($id: ID! @globalId(of: "Goal"), $person: ID @globalId(of: "Person"), $goals: [ID!] @globalId(of: "Goal"))
    @rest(method: POST, path: "/goals/{id}/move/") { move(id: $id, person: $person, goals: $goals) @body }`,
  'a/named.graphql': `mutation Named($id: ID! @globalId(of: "Plain", by: { owner: "Owner.", name: "Name." }),
    $person: ID @globalId(of: "Plain", by: { owner: "Owner." }), $goals: [ID!] @globalId(of: "Goal"))
    @rest(method: POST, path: "/plain/{owner}/{name}/") { move(id: $id, person: $person, goals: $goals) @body }`,
  'a/owned.graphql': `mutation Owned($id: ID! @globalId(of: "Plain", named: true), $person: ID = "eliot" @globalId(of: "Owner", named: true))
    @rest(method: POST, path: "/owned/") { move(id: $id, person: $person) @body }`,
};
const facade = await startTestFacade({ graph, operations });
const uuid = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';
const get = async (path: string): Promise<unknown> => {
  const { status, json } = await facade.request(`/api/v1${path}`);
  return status === 200 ? JSON.parse(json) : [status, json];
};
const move = async (body: unknown): Promise<unknown> => {
  const { status, json } = await facade.send('POST', '/api/v1/goals/4/move/', body);
  return status === 200 ? JSON.parse(json) : [status, json];
};

describe('@globalId encodes the key after coercion', () => {
  test('from the path, the query and the body', async () => {
    expect(await get('/goals/5/')).toEqual({ id: 'Goal:number:5' });
    expect(await get(`/person/?person_id=${uuid}`)).toEqual({ id: `Person:string:${uuid}` });
    expect(await move({ person: uuid, goals: [1, 2] })).toEqual({
      id: 'Goal:number:4',
      person: `Person:string:${uuid}`,
      goals: ['Goal:number:1', 'Goal:number:2'],
    });
  });

  test('inside an input object of the document', async () => {
    expect(await get('/filter/?goal=1&ids=2&ids=3')).toEqual({
      filter: { goalId: 'Goal:number:1', goalIds: ['Goal:number:2', 'Goal:number:3'] },
    });
  });

  test('absent stays absent, null stays null', async () => {
    expect(await move({})).toEqual({ id: 'Goal:number:4' });
    expect(await move({ person: null, goals: null })).toEqual({ id: 'Goal:number:4', person: null, goals: null });
  });

  test('a default is a key', async () => {
    expect(await get('/goals/')).toEqual({ first: 'Goal:number:7' });
    expect(await get('/goals/?first=x&ids=1')).toEqual({ first: 'Goal:number:7', ids: ['Goal:number:1'] });
  });
});

describe('@globalId(by:) is made of parameters of the path', () => {
  test('in the order of the names; a body has no part in it', async () => {
    const { json } = await facade.send('POST', '/api/v1/plain/a%2Fb/c/', {
      owner: 'x',
      name: 'y',
      id: 'z',
      goals: [1],
    });
    expect(JSON.parse(json)).toEqual({ id: 'a/b|c', person: 'a/b', goals: ['Goal:number:1'] });
  });

  test('the document has each parameter once', () => {
    const { paths } = facade.document() as { paths: Record<string, { post: { parameters: object[] } }> };
    const text = { in: 'path', required: true, schema: { type: 'string' } };
    expect(paths['/plain/{owner}/{name}/']?.post.parameters).toMatchObject([
      { ...text, name: 'owner', description: 'Owner.' },
      { ...text, name: 'name', description: 'Name.' },
      { name: 'Idempotency-Key', in: 'header' },
    ]);
  });
});

test('@globalId(named:) is made of a name in the body', async () => {
  const own = async (body: object): Promise<unknown> => {
    const { status, json } = await facade.send('POST', '/api/v1/owned/', body);
    return status === 200 ? JSON.parse(json) : [status, json];
  };
  expect(await own({ id: 'a|b', person: null })).toEqual({ id: 'a|b', person: null });
  expect(await own({ id: '' })).toEqual({ id: '', person: 'Owner:eliot' });
  expect(await own({ person: 'x' })).toEqual([400, { id: ['This field is required.'] }]);
  expect(await own({ id: 'x', person: true })).toEqual([400, { person: ['Not a valid string.'] }]);
});

test('a value is validated as the key', async () => {
  expect(await get('/goals/five/')).toEqual([404, { detail: 'Not found.', code: 'not_found' }]);
  expect(await get('/goals/?ids=1&ids=x')).toEqual([400, { ids: { 1: ['A valid integer is required.'] } }]);
  expect((await facade.request('/api/v1/goals/?ids=1&ids=2&ids=3')).status).toBe(400);
  expect(await get('/person/?person_id=5')).toEqual([400, { id: [expect.stringContaining('UUID')] }]);
  expect(await move({ goals: ['1'] })).toEqual({ id: 'Goal:number:4', goals: ['Goal:number:1'] });
  expect(await move({ goals: [null] })).toEqual([400, { goals: { 0: ['This field may not be null.'] } }]);
  expect(await move({ goals: [2 ** 53] })).toEqual([
    400,
    { goals: { 0: ['Ensure this value is within the range of whole numbers.'] } },
  ]);
});

test('the document has the scalar of the key', () => {
  const { paths } = facade.document() as {
    paths: Record<
      string,
      Record<string, { parameters: object[]; requestBody?: { content: Record<string, { schema: object }> } }>
    >;
  };
  const integer = { type: 'integer', format: 'int64' };
  // As the published document has it.
  const text = { type: 'string' };
  expect(paths['/goals/{id}/']?.get?.parameters).toMatchObject([{ name: 'id', in: 'path', schema: text }]);
  expect(paths['/goals/']?.get?.parameters).toMatchObject([
    { name: 'ids[]', schema: { type: 'array', items: integer, maxItems: 2 } },
    { name: 'first', schema: { ...integer, default: 7 } },
  ]);
  expect(paths['/goals/{id}/move/']?.post?.requestBody?.content['application/json']?.schema).toMatchObject({
    properties: { person: { type: ['string', 'null'], format: 'uuid' }, goals: { items: integer } },
  });
});

test.each([
  ['{ name: "Name." }', '/x/', '$id is made of name, which is no parameter of the path.', 'Plain'],
  [
    '{ name: "Name." }',
    '/x/{name}/',
    '$id has @globalId(of: "Goal") with names, but the graph has no such type with names.',
    'Goal',
  ],
])('@globalId(by: %s) at %s stops the boot', (by, path, reason, type) => {
  const text = `query Get($id: ID! @globalId(of: "${type}", by: ${by})) @rest(method: GET, path: "${path}") { goal(id: $id) @body }`;
  expect(bootError({ graph, operations: { 'a/get.graphql': text } })).toBe(`test/a/get.graphql:1: ${reason}`);
});

test.each([
  ['a variable that is no ID', '$id: String', 'named', '$id has @globalId, but its type String is not ID.', 'Goal'],
  [
    'a type without a key',
    '$id: ID',
    'person',
    '$id has @globalId(of: "Filter"), but the graph has no such type with a key.',
    'Filter',
  ],
  [
    'an unknown type',
    '$id: ID',
    'person',
    '$id has @globalId(of: "Nothing"), but the graph has no such type with a key.',
    'Nothing',
  ],
  [
    'a key of an unknown scalar',
    '$id: ID',
    'person',
    'The key of Odd has the scalar Decimal, which the graph lacks.',
    'Odd',
  ],
])('%s stops the boot', (_, variable, field, reason, type) => {
  const text = `query Get(${variable} @globalId(of: "${type}")) @rest(method: GET, path: "/x/") { ${field}(id: $id) @body }`;
  expect(bootError({ graph, operations: { 'a/get.graphql': text } })).toBe(`test/a/get.graphql:1: ${reason}`);
});
