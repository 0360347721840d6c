import { describe, expect, test } from '@jest/globals';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const levels = [
  { name: 'contents', level: 'WRITE' },
  { name: 'metadata', level: 'READ' },
];
const graph = buildTestSchema(
  `enum Level { READ WRITE }
  type Grant { name: String!, level: Level! }
  input GrantInput { level: Level!, name: String! }
  type Token { id: Int!, grants: [Grant!], none: [Grant!] }
  type Query { token: Token!, grants: [Grant!]! }
  type Mutation { make(grants: [GrantInput!]): String! }`,
  {
    Query: { token: () => ({ id: 1, grants: levels, none: null }), grants: () => levels },
    Mutation: { make: (_: unknown, { grants }: { grants: unknown }) => JSON.stringify(grants ?? null) },
  },
);
const document = new GraphQLScalarType({
  name: 'Grants',
  extensions: { jsonSchema: { type: 'object', additionalProperties: { type: 'string' } } },
  parseValue(value) {
    if (typeof value !== 'object' || Array.isArray(value)) throw new GraphQLError('No object of levels.');
    return value;
  },
});
const overrides = { documentTypes: [document] };
const token = (selection: string): string =>
  `query Token @rest(method: GET, path: "/token") { token @body { ${selection} } }`;
const facade = await startTestFacade({
  graph,
  overrides,
  operations: {
    'a/token.graphql': token('id grants @keyed(by: "name") { name level } none @keyed(by: "name") { level name }'),
    'a/grants.graphql': `query Grants @rest(method: GET, path: "/grants") {
      grants @body @keyed(by: "name") @as(type: "Grants!") { name level } }`,
    'a/make.graphql': `mutation Make($grants: [GrantInput!] @keyed(by: "name") @as(type: "Grants"))
      @rest(method: POST, path: "/token") { make(grants: $grants) @body }`,
  },
});

describe('@keyed', () => {
  test('makes one object of a list, inside the body and of it', async () => {
    const object = { contents: 'write', metadata: 'read' };
    expect((await facade.request('/api/v1/token')).json).toEqual({ id: 1, grants: object, none: null });
    expect((await facade.request('/api/v1/grants')).json).toEqual(object);
  });

  test('makes the list of a variable of such an object', async () => {
    const make = async (body: object): Promise<unknown> => {
      const { status, json } = await facade.send('POST', '/api/v1/token', body);
      return status === 200 ? JSON.parse(json) : status;
    };
    expect(await make({ grants: { contents: 'write' } })).toEqual([{ name: 'contents', level: 'WRITE' }]);
    expect(await make({ grants: {} })).toEqual([]);
    expect(await make({ grants: null })).toBeNull();
    expect(await make({})).toBeNull();
    expect(await make({ grants: [] })).toBe(400);
  });

  test('is an object in the document', () => {
    const { paths } = facade.document() as { paths: Record<string, Record<string, object>> };
    const text = JSON.stringify(paths['/api/v1/grants'] ?? paths['/grants']);
    expect(text).toContain('{"type":"object","additionalProperties":{"type":"string"}}');
  });

  test.each([
    [token('id grants @keyed(by: "name") { name }'), '@keyed needs a list of objects with name and another key'],
    [token('id @keyed(by: "name")'), '@keyed needs a list of objects with name and another key'],
    [
      `mutation Make($grants: [GrantInput!] @keyed(by: "title") @as(type: "Grants"))
        @rest(method: POST, path: "/token") { make(grants: $grants) @body }`,
      'is no list of inputs with title and another field',
    ],
    [
      `mutation Make($grants: [GrantInput!] @keyed(by: "name")) @rest(method: POST, path: "/token") { make(grants: $grants) @body }`,
      'needs a scalar for the object: @as.',
    ],
  ])('%s is refused', (operation, reason) => {
    expect(bootError({ graph, overrides, operations: { 'a/one.graphql': operation } })).toContain(reason);
  });
});
