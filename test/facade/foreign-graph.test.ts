import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { afterAll, expect, test } from '@jest/globals';
import {
  buildClientSchema,
  type GraphQLEnumType,
  GraphQLError,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printSchema,
} from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';
import { GraphQLDateTime } from 'graphql-scalars';
import { createFacade, type Execute, type GraphQLRequest, type GraphQLResult } from 'operation-rest';
import { fetchHandler } from 'operation-rest/fetch';
import { buildTestSchema } from './build-test-schema.ts';
import { createTestProduct, origin } from './test-facade.ts';

type Wish = { colors: unknown[]; deep?: { colors: unknown[] } };
const things = (_: unknown, { color, wish }: { color: unknown; wish?: Wish }) => [
  { id: 1, color, madeAt: new Date('2026-02-14T09:30:00.125Z') },
  { id: 2, color: wish?.colors.at(-1) ?? null, holds: [[{ id: 3, color: wish?.deep?.colors[0] }], null] },
];

/** A graph whose enum values have other internal values than their names. */
const graph = buildTestSchema(
  `
  scalar DateTime
  enum Color { RED DARK_BLUE }
  input Wish { colors: [Color!]!, deep: Wish }
  interface Thing { id: Int! color: Color }
  type Ball implements Thing { id: Int! color: Color madeAt: DateTime! }
  type Box implements Thing { id: Int! color: Color holds: [[Thing!]] }
  union Outcome = Ball | Box
  type Query {
    things(color: Color = RED, wish: Wish): [Thing!]!
    outcome(box: Boolean): Outcome
    refused: Int
    whoami: String
  }
  type Mutation { wish(color: Color, wish: Wish): [Thing!]! }`,
  {
    DateTime: GraphQLDateTime.toConfig(),
    Color: { RED: 1, DARK_BLUE: { dark: true } },
    Thing: { resolveType: (thing: object) => ('madeAt' in thing ? 'Ball' : 'Box') },
    Outcome: { resolveType: (thing: object) => ('madeAt' in thing ? 'Ball' : 'Box') },
    Mutation: { wish: things },
    Query: {
      things,
      outcome: (_: unknown, { box }: { box?: boolean }) =>
        box ? { id: 4, holds: null } : { id: 5, madeAt: new Date('2026-02-14T09:30:00Z') },
      refused: () => {
        throw new GraphQLError('Not yours.', { extensions: { code: 'FORBIDDEN', reason: 'law' } });
      },
      whoami: (_: unknown, __: unknown, { caller }: { caller?: string }) => caller,
    },
  },
);
// The values of the objects above are compared by identity.
const darkBlue = (graph.getType('Color') as GraphQLEnumType).getValue('DARK_BLUE')?.value;
expect(darkBlue).toEqual({ dark: true });

const operations = {
  'a/things.graphql': `mutation Things($color: Color, $wish: Wish) @rest(method: POST, path: "/things/") {
    wish(color: $color, wish: $wish) @body {
      id colour: color ... on Ball { made_at: madeAt } ... on Box { holds { id colour: color } } } }`,
  'a/red.graphql': `query DarkThings($color: Color = DARK_BLUE) @rest(method: GET, path: "/dark/") {
    things(color: $color, wish: {colors: [RED, DARK_BLUE], deep: {colors: [DARK_BLUE]}}) @body { ...Thing } }`,
  'a/thing.graphql': 'fragment Thing on Thing { id color ... on Box { holds { color } } }',
  'a/outcome.graphql': `query Outcome($box: Boolean) @rest(method: GET, path: "/outcome/") {
    outcome(box: $box) @body { ... on Ball @status(code: 201) { id } ... on Box { id } } }`,
  'a/refused.graphql': 'query Refused @rest(method: GET, path: "/refused/") { refused @body }',
  'a/whoami.graphql': 'query WhoAmI @rest(method: GET, path: "/whoami/") { whoami @body }',
};

const servers: Server[] = [];
const apollo = new ApolloServer<{ caller?: string }>({ schema: graph });
const defects: unknown[] = [];
afterAll(async () => {
  await apollo.stop();
  for (const server of servers) await new Promise(resolve => server.close(resolve));
  expect(defects).toEqual([]);
});

const viaApollo: Execute = async ({ document, variables, context }: GraphQLRequest) => {
  const { body } = await apollo.executeOperation(
    { query: document, variables },
    { contextValue: context as { caller?: string } },
  );
  if (body.kind !== 'single') throw new TypeError('A REST endpoint has no incremental result.');
  return body.singleResult as GraphQLResult;
};

/** A GraphQL server over HTTP, and the schema that it tells of itself. */
async function remoteGraph() {
  const handler = createHandler({ schema: graph, context: ({ raw }) => ({ caller: raw.headers.caller }) });
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (body: object, headers: Record<string, string> = {}): Promise<GraphQLResult> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as GraphQLResult;
  };
  const { data } = await ask({ query: getIntrospectionQuery() });
  const execute: Execute = ({ query, operationName, variables, context }) =>
    ask({ query, operationName, variables }, context as Record<string, string>);
  return { schema: buildClientSchema(data as unknown as IntrospectionQuery), execute };
}

/** A coded error without a status, as Apollo Server has them. */
function explain(error: unknown): GraphQLError | undefined {
  const { message, extensions } = error as GraphQLError;
  return extensions?.code === 'FORBIDDEN'
    ? new GraphQLError(message, { extensions: { ...extensions, http: { status: 403 } } })
    : undefined;
}

await apollo.start();
const remote = await remoteGraph();
test.each([
  ['Apollo Server', graph, viaApollo],
  ['a server that is asked over HTTP, whose schema is introspected', remote.schema, remote.execute],
])('%s executes the operations', async (_, schema, execute) => {
  const handler = fetchHandler(
    createFacade({
      product: createTestProduct({ operations }),
      graph: schema,
      execute,
      context: request => ({ caller: request.headers['x-caller'] }),
      origin: () => origin,
      explain,
      onDefect: error => defects.push(error),
    }),
  );
  const get = async (path: string): Promise<[number, unknown]> => {
    const answer = await handler(new Request(`${origin}/api/v1${path}`, { headers: { 'x-caller': 'ada' } }));
    return [answer.status, await answer.json()];
  };
  const post = async (body: object): Promise<[number, unknown]> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await handler(new Request(`${origin}/api/v1/things/`, init));
    return [answer.status, await answer.json()];
  };
  expect(await post({ color: 'dark_blue', wish: { colors: ['red', 'dark_blue'], deep: { colors: ['red'] } } })).toEqual(
    [
      200,
      [
        { id: 1, colour: 'dark_blue', made_at: '2026-02-14T09:30:00.125000Z' },
        { id: 2, colour: 'dark_blue', holds: [[{ id: 3, colour: 'red' }], null] },
      ],
    ],
  );
  expect(await post({})).toMatchObject([200, [{ colour: null }, { colour: null }]]);
  expect(await get('/dark/')).toEqual([
    200,
    [
      { id: 1, color: 'dark_blue' },
      { id: 2, color: 'dark_blue', holds: [[{ color: 'dark_blue' }], null] },
    ],
  ]);
  expect(await get('/dark/?color=DARK_BLUE')).toMatchObject([400, { color: [expect.any(String)] }]);
  expect(await get('/outcome/')).toEqual([201, { id: 5 }]);
  expect(await get('/outcome/?box=true')).toEqual([200, { id: 4 }]);
  expect(await get('/refused/')).toMatchObject([403, { detail: 'Not yours.' }]);
  expect(await get('/whoami/')).toEqual([200, 'ada']);
});

test('the operations are sent in the spelling of the graph, without the directives of the facade', async () => {
  const seen: GraphQLRequest[] = [];
  const handler = fetchHandler(
    createFacade({
      product: createTestProduct({ operations }),
      graph,
      execute: request => {
        seen.push(request);
        return { data: { things: [] } };
      },
      context: () => 'the context',
      origin: () => origin,
      onDefect: error => defects.push(error),
    }),
  );
  await handler(new Request(`${origin}/api/v1/dark/`));
  const [request] = seen;
  expect(request).toMatchObject({ operationName: 'DarkThings', context: 'the context' });
  expect(request?.query).toContain('($color: Color = DARK_BLUE)');
  expect(request?.query).toContain('colors: [RED, DARK_BLUE]');
  expect(request?.query).not.toContain('@');
  expect(printSchema(graph)).not.toContain('@rest');
});
