import { expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const world = { text: 'one', looks: 0, state: 'a', now: Date.parse('2026-11-01T12:00:00Z') };
const graph = buildTestSchema('type Query { page(of: String): Page } type Page { text: String! caller: String! }', {
  Query: {
    page: (_: unknown, { of = '' }: { of?: string }, { caller }: { caller: string }) => {
      world.looks++;
      return { text: `${world.text}${of}`, caller };
    },
  },
});
const operation = (more: string): Record<string, string> => ({
  'a/page.graphql': `query Page($of: String) @rest(method: GET, path: "/page"${more}) { page(of: $of) @body { text caller } }`,
});
const facade = (more: string) =>
  startTestFacade({
    graph,
    product: 'hosting-like',
    executor: 'own',
    operations: operation(more),
    context: request => ({ caller: request.headers.authorization ?? 'nobody' }),
    server: {
      clock: () => new Date(world.now),
      notModifiedCache: {
        dataVersion: async () => world.state,
        callerKey: context => (context as { caller: string }).caller,
      },
    },
  });
const polled = await facade(', polled: true');
const plain = await facade('');
const agent = { 'user-agent': 'test' };

/** The status, and how often resolvers were called. */
async function poll(path: string, headers: Record<string, string>, from = polled): Promise<[number, number]> {
  const before = world.looks;
  const { status } = await from.request(path, { headers: { ...agent, ...headers } });
  return [status, world.looks - before];
}

test('a 304 is computed once, and again after a write or a second', async () => {
  const first = await polled.request('/page', { headers: agent });
  const known = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect(await poll('/page', known)).toEqual([304, 1]);
  expect(await poll('/page', known)).toEqual([304, 0]);
  const again = await polled.request('/page', { headers: { ...agent, ...known } });
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', first.headers.get('etag')]);
  expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
  world.now += 999;
  expect(await poll('/page', known)).toEqual([304, 0]);
  world.now += 1;
  expect(await poll('/page', known)).toEqual([304, 1]);
  world.state = 'b';
  expect(await poll('/page', known)).toEqual([304, 1]);
  expect(await poll('/page', known)).toEqual([304, 0]);
  [world.state, world.text] = ['c', 'two'];
  expect(await poll('/page', known)).toEqual([200, 1]);
  expect(await poll('/page', known)).toEqual([200, 1]);
  [world.state, world.text] = ['d', 'one'];
  expect(await poll('/page', known)).toEqual([304, 1]);
});

test('a request that differs in anything is executed', async () => {
  const etag = (await polled.request('/page', { headers: agent })).headers.get('etag') ?? '';
  const known = { 'if-none-match': etag };
  await poll('/page', known);
  expect(await poll('/page', known)).toEqual([304, 0]);
  expect(await poll('/page', {})).toEqual([200, 1]);
  expect(await poll('/page', { 'if-none-match': '"other"' })).toEqual([200, 1]);
  expect(await poll('/page?of=it', known)).toEqual([200, 1]);
  expect(await poll('/page', { ...known, authorization: 'Bearer ann' })).toEqual([200, 1]);
  expect(await poll('/page', { ...known, accept: 'application/json' })).toEqual([304, 1]);
  expect(await poll('/page', { ...known, accept: 'application/json' })).toEqual([304, 0]);
  expect(await poll('/page', { ...known, accept: 'text/nothing' })).toEqual([415, 0]);
  const head = await polled.request('/page', { method: 'HEAD', headers: { ...agent, ...known } });
  expect(head.status).toBe(304);
});

test('an operation without polled is executed each time', async () => {
  const etag = (await plain.request('/page', { headers: agent })).headers.get('etag') ?? '';
  for (let time = 0; time < 3; time++) {
    expect(await poll('/page', { 'if-none-match': etag }, plain)).toEqual([304, 1]);
  }
});

test('a write cannot be polled', () => {
  const write = buildTestSchema('type Query { a: Int } type Mutation { do: Int! }', {
    Query: {},
    Mutation: { do: () => 1 },
  });
  const text = 'mutation Do @rest(method: PUT, path: "/do", polled: true) { do @body }';
  expect(bootError({ graph: write, operations: { 'a/do.graphql': text } })).toBe(
    'test/a/do.graphql:1: A PUT cannot be polled.',
  );
});
