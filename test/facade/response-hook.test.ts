import { expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import type { FacadeOptions } from 'operation-rest';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

type Told = Parameters<NonNullable<FacadeOptions['onResponse']>>;

const told: Told[] = [];
const graph = buildTestSchema('type Query { thing(id: Int!): Int, refused: Int } type Mutation { put: Int }', {
  Query: {
    thing: (_: unknown, { id }: { id: number }) => (id === 1 ? 1 : null),
    refused: () => {
      throw new GraphQLError('Too often.', { extensions: { code: 'RATE_LIMITED', http: { status: 429 } } });
    },
  },
});
const facade = await startTestFacade({
  graph,
  product: 'hosting-like',
  executor: 'own',
  operations: {
    'a/thing.graphql': 'query T($id: Int!) @rest(method: GET, path: "/things/{id}") { thing(id: $id) @body }',
    'a/refused.graphql': 'query R @rest(method: GET, path: "/refused") { refused @body }',
  },
  context: request => {
    if (request.headers.authorization === 'bad')
      throw new GraphQLError('No.', { extensions: { code: 'BAD_CREDENTIAL', http: { status: 401 } } });
    return {};
  },
  server: {
    onResponse(exchange, failure) {
      expect(exchange.response.writableEnded).toBe(true);
      told.push([exchange, failure]);
    },
  },
});

const headers = { 'user-agent': 'tests' };
const route = (id: string) => ({ path: '/things/{id}', parameters: { id } });
test.each<[string, string, RequestInit, number, string | undefined, object | undefined]>([
  ['an answer', '/things/1', {}, 200, undefined, route('1')],
  ['an answer without body', '/things/1', { method: 'HEAD' }, 200, undefined, route('1')],
  ['what is not there', '/things/2', {}, 404, 'not-found', route('2')],
  ['what a path cannot be', '/things/%C3%A9', {}, 404, 'not-found', route('é')],
  ['a method that is not served', '/things/1', { method: 'DELETE' }, 404, 'method', route('1')],
  ['a failure of the graph', '/refused', {}, 429, 'RATE_LIMITED', { path: '/refused', parameters: {} }],
  [
    'a credential that is no good',
    '/things/1',
    { headers: { ...headers, authorization: 'bad' } },
    401,
    'BAD_CREDENTIAL',
    route('1'),
  ],
  ['a path that leads nowhere', '/nowhere', {}, 404, 'not-found', undefined],
])('%s is told once, after it was sent', async (_name, path, init, status, code, expected) => {
  told.length = 0;
  const answer = await facade.request(path, { headers, ...init });
  expect(answer.status).toBe(status);
  expect(
    told.map(([exchange, failure]) => ({
      status: exchange.status,
      route: exchange.route && { ...exchange.route, parameters: { ...exchange.route.parameters } },
      code: failure?.kind === 'graph' ? failure.code : failure?.kind,
    })),
  ).toEqual([{ status, route: expected, code }]);
});
