import { describe, expect, test } from '@jest/globals';
import { type Answer, testGateway } from '../harness/gateway.ts';

// With limits: what they look at must not break on a request that is none.
const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: '1000' }, logLevel: 'warn' });
const hash = 'e'.repeat(64);

const post = (body: unknown): Promise<Answer> =>
  gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const get = (query: Record<string, string>): Promise<Answer> =>
  gateway.request(`/graphql?${new URLSearchParams(query)}`, { headers: { 'apollo-require-preflight': 'yes' } });
const persisted = (query: string | undefined, persistedQuery: unknown) => ({ query, extensions: { persistedQuery } });
const typename = '{ __typename }';

/** Every case is the caller's doing: a code that says so, a status below 500, and not a word in the log. */
function refused({ status, json, text }: Answer, code: string, expected = 400): void {
  expect([status, json?.errors?.[0]?.extensions?.code]).toEqual([expected, code]);
  expect(json.data ?? null).toBeNull();
  expect(text).not.toMatch(/server error/i);
  expect(gateway.lines.splice(0)).toEqual([]);
}

describe('a persisted query', () => {
  test.each<[string, unknown, string]>([
    ['of another hash', persisted(typename, { version: 1, sha256Hash: hash }), 'BAD_REQUEST'],
    ['of a version that there is not', persisted(typename, { version: 2, sha256Hash: hash }), 'BAD_REQUEST'],
    ['of no version', persisted(typename, { sha256Hash: hash }), 'BAD_REQUEST'],
    ['without a hash', persisted(undefined, { version: 1 }), 'BAD_REQUEST'],
    ['that is a number', persisted(typename, 1), 'BAD_REQUEST'],
    ['that is null', persisted(typename, null), 'BAD_REQUEST'],
    [
      'whose hash is a list 100,000 deep',
      `{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`,
      'BAD_REQUEST',
    ],
  ])('%s', async (_, body, code) => refused(await post(body), code));

  test('that is unknown is requested, as clients expect', async () => {
    refused(await post(persisted(undefined, { version: 1, sha256Hash: hash })), 'PERSISTED_QUERY_NOT_FOUND', 200);
  });

  test('of another hash by GET', async () => {
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hash } });
    refused(await get({ query: typename, extensions }), 'BAD_REQUEST');
  });

  test('whose hash is a list, by GET', async () => {
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: [[[[hash]]]] } });
    refused(await get({ extensions }), 'BAD_REQUEST');
  });
});

describe('an operation that cannot be determined', () => {
  const two = 'query A { __typename } query B { __typename }';
  test.each([
    ['two operations and no name', { query: two }],
    ['two operations and an empty name', { query: two, operationName: '' }],
    ['two operations and an unknown name', { query: two, operationName: 'C' }],
    ['one operation and an unknown name', { query: 'query A { __typename }', operationName: 'constructor' }],
    ['no operation at all', { query: 'fragment a on Query { __typename }', operationName: 'a' }],
  ])('%s', async (what, body) =>
    refused(
      await post(body),
      what === 'no operation at all' ? 'GRAPHQL_VALIDATION_FAILED' : 'OPERATION_RESOLUTION_FAILURE',
    ),
  );

  test('by GET', async () => {
    refused(await get({ query: two }), 'OPERATION_RESOLUTION_FAILURE');
    refused(await get({ query: two, operationName: 'C' }), 'OPERATION_RESOLUTION_FAILURE');
  });
});

describe('variables', () => {
  test('that are wrong sixty times over', async () => {
    const list = 'query ($types: [EventType!]) { publicEvents(types: $types) { __typename } }';
    refused(await post({ query: list, variables: { types: Array(60).fill('NONE') } }), 'BAD_USER_INPUT');
    const mutation = 'mutation ($ids: [SafeInt!]) { createChatGroup(name: "a", participantIds: $ids) { id } }';
    refused(await post({ query: mutation, variables: { ids: Array(80).fill('x') } }), 'BAD_USER_INPUT');
  });

  test.each([
    ['a list', '{"query":"{ __typename }","variables":[1]}'],
    ['a text', '{"query":"{ __typename }","variables":"{}"}'],
    ['a number', '{"query":"{ __typename }","variables":1}'],
    ['extensions that are a list', '{"query":"{ __typename }","extensions":[]}'],
    ['extensions that are a text', '{"query":"{ __typename }","extensions":"x"}'],
    ['an operation name that is a number', '{"query":"{ __typename }","operationName":1}'],
    ['a batch', '[{"query":"{ __typename }"}]'],
    ['brackets 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['a query of brackets', `{"query":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('that are %s', async (_, body) => refused(await post(body), 'BAD_REQUEST'));

  test.each([
    [50, 'QUERY_INPUT_TOO_DEEP', /Levels of lists and objects/],
    [50_000, 'BAD_REQUEST', /nested more than 100 levels/],
  ])('nested %i deep', async (levels, code, message) => {
    const text = `{"query":"query ($x: Int) { articles(first: $x) { nodes { id } } }","variables":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    const answer = await post(text);
    refused(answer, code);
    expect(answer.json.errors[0].message).toMatch(message);
  });

  test('that are numbers beyond any', async () => {
    const text = `{"query":"query ($x: Int) { articles(first: $x) { nodes { id } } }","variables":{"x":1e999}}`;
    refused(await post(text), 'BAD_USER_INPUT');
  });

  test('by GET that are a list', async () => refused(await get({ query: typename, variables: '[1]' }), 'BAD_REQUEST'));
  test('by GET that are no JSON', async () => refused(await get({ query: typename, variables: '{' }), 'BAD_REQUEST'));
});

test('a mutation or a subscription by GET is 405', async () => {
  refused(await get({ query: 'mutation { revokeToken(id: 0) }' }), 'BAD_REQUEST', 405);
  refused(await get({ query: 'subscription { messageAdded { id } }' }), 'BAD_REQUEST', 405);
});

test('several validation errors are reported together, without suggestions', async () => {
  const { status, json } = await post({ query: '{ articels { id } viewr { login } }' });
  expect(status).toBe(400);
  expect(json.errors.map((error: { message: string }) => error.message)).toEqual([
    'Cannot query field "articels" on type "Query".',
    'Cannot query field "viewr" on type "Query".',
  ]);
  expect(json.errors[0]).toMatchObject({
    locations: [{ line: 1, column: 3 }],
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
});

test('an invalid document is rejected each time', async () => {
  for (let at = 0; at < 3; at++) refused(await post({ query: '{ nonsense }' }), 'GRAPHQL_VALIDATION_FAILED');
  expect((await post({ query: '{ a: __typename }' })).json).toMatchObject({ data: { a: 'Query' } });
  expect((await post({ query: '{ a: __typename }' })).json).toMatchObject({ data: { a: 'Query' } });
});
