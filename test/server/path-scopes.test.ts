import { expect, test } from '@jest/globals';
import { Kind, parse } from 'graphql';
import { pathScopes } from 'operation-rest';
import { operationFacts } from '../../src/server/operation-facts.ts';
import { buildTestSchema } from '../facade/build-test-schema.ts';
import { bootTestFacade } from '../facade/test-facade.ts';

const graph = buildTestSchema(`
  interface Owner { name: String, goals: GoalConnection }
  type Person implements Owner { name: String, goals: GoalConnection, chats: [Chat!]! }
  type GoalConnection { nodes: [Goal!]!, totalCount: Int }
  type Goal { text: String, secret: String }
  type Chat { id: Int }
  type Query { viewer: Person, owner: Owner, version: String, login: String }
  input PinInput { ownerId: ID, text: String }
  type Mutation { addGoal: Goal, pin(input: PinInput): Goal }`);
const scopes: Record<string, Record<string, string>> = {
  Owner: { goals: 'verified' },
  Person: { goals: 'verified', chats: 'companion' },
  GoalConnection: { totalCount: 'metadata:read' },
  Goal: { secret: 'user' },
  Query: { viewer: 'account', owner: 'public', version: 'public', login: 'open' },
  Mutation: { addGoal: 'account', pin: 'public' },
};
for (const [name, fields] of Object.entries(scopes)) {
  const type = graph.getType(name);
  for (const [field, access] of Object.entries(fields)) {
    const definition = type && 'getFields' in type ? type.getFields()[field] : undefined;
    Object.assign(definition ?? {}, { extensions: { access } });
  }
}

Object.assign(graph.getMutationType()?.getFields().pin?.extensions ?? {}, {
  accessOfType: { id: 'ownerId', scopes: { Person: 'verified' } },
});

function scopesOf(text: string): [required: string[], accepted: string[]] {
  const { definitions } = parse(text);
  const [operation] = definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
  if (!operation) throw new Error('The document has no operation.');
  const fragments = definitions.filter(one => one.kind === Kind.FRAGMENT_DEFINITION);
  const { required, accepted } = pathScopes(graph, operation, fragments);
  return [[...required], [...accepted]];
}

test.each([
  ['a root field', '{ viewer @body { name } }', ['account'], ['account']],
  ['a path, innermost first', '{ viewer { goals { nodes @body { text } } } }', ['verified', 'account'], ['verified']],
  [
    'siblings on the path',
    '{ version viewer { chats { id } goals { totalCount nodes @body { text } } } }',
    ['metadata:read', 'companion', 'verified', 'public', 'account'],
    ['metadata:read'],
  ],
  ['no fields inside @body', '{ viewer { goals @body { nodes { secret } } } }', ['verified', 'account'], ['verified']],
  [
    'fragments',
    'query { ...Root } fragment Root on Query { viewer { ...P } } fragment P on Person { ... { goals @body { totalCount } } }',
    ['verified', 'account'],
    ['verified'],
  ],
  [
    'an interface and a fragment on one of its types',
    '{ owner { ... on Person { chats { id } } goals @body { totalCount } } }',
    ['companion', 'verified', 'public'],
    ['companion', 'verified'],
  ],
  [
    'an input that names the type of an object',
    'mutation ($id: ID @globalId(of: "Person")) { pin(input: { text: "x", ownerId: $id }) { text @body } }',
    ['verified'],
    ['verified'],
  ],
  [
    'an input of another type, and one whose type is not known',
    'mutation ($id: ID @globalId(of: "Chat"), $other: ID) { a: pin(input: { ownerId: $id }) { text } b: pin(input: { ownerId: $other }) { text } }',
    ['public'],
    ['public'],
  ],
  ['root fields of a response without a body', 'mutation { addGoal { secret } }', ['account'], ['account']],
])('the scopes of %s', (_, text, required, accepted) => {
  expect(scopesOf(text)).toEqual([required, accepted]);
});

test('a level that admits everybody says less than one around it that does not', () => {
  const definitions = (text: string) => parse(text).definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
  const accepted = (text: string, ...open: string[]) => {
    const [operation] = definitions(text);
    return operation && [...pathScopes(graph, operation, [], scope => open.includes(scope)).accepted];
  };
  expect(accepted('{ viewer { goals { nodes @body { text } } } }', 'verified')).toEqual(['account']);
  expect(accepted('{ owner { goals { nodes @body { text } } } }', 'verified', 'public')).toEqual(['verified']);
});

test('an invalid credential is only ignored if every field on the path allows it', () => {
  const read = (field: string) => {
    const operations = { 'a/get.graphql': `query Get @rest(method: GET, path: "/x/") { login ${field} @body }` };
    const [endpoint] = bootTestFacade({ graph, operations }).facade.endpoints;
    return operationFacts(graph)(endpoint?.operation).ignoresCredential;
  };
  expect(read('again: login')).toBe(true);
  expect(read('version')).toBe(false);
});
