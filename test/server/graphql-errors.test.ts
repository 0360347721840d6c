import { describe, expect, test } from '@jest/globals';
import { type Answer, testGateway } from '../harness/gateway.ts';

// With limits, whose hooks must not fail on a malformed request.
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

/** Every case is a client error: a matching code, a status below 500 and no log line. */
function expectRejected({ status, json, text }: Answer, code: string, expected = 400): void {
  expect([status, json?.errors?.[0]?.extensions?.code]).toEqual([expected, code]);
  expect(json.data ?? null).toBeNull();
  expect(text).not.toMatch(/server error/i);
  expect(gateway.lines.splice(0)).toEqual([]);
}

describe('a persisted query', () => {
  test.each<[string, unknown, string]>([
    ['of another hash', persisted(typename, { version: 1, sha256Hash: hash }), 'BAD_REQUEST'],
    ['of an unsupported version', persisted(typename, { version: 2, sha256Hash: hash }), 'BAD_REQUEST'],
    ['without a version', persisted(typename, { sha256Hash: hash }), 'BAD_REQUEST'],
    ['without a hash', persisted(undefined, { version: 1 }), 'BAD_REQUEST'],
    ['that is a number', persisted(typename, 1), 'BAD_REQUEST'],
    ['that is null', persisted(typename, null), 'BAD_REQUEST'],
    [
      'whose hash is a list 100,000 deep',
      `{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`,
      'BAD_REQUEST',
    ],
  ])('%s', async (_, body, code) => expectRejected(await post(body), code));

  test('that is unknown gets the error on which clients send the document', async () => {
    expectRejected(
      await post(persisted(undefined, { version: 1, sha256Hash: hash })),
      'PERSISTED_QUERY_NOT_FOUND',
      200,
    );
  });

  test('of another hash by GET', async () => {
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hash } });
    expectRejected(await get({ query: typename, extensions }), 'BAD_REQUEST');
  });

  test('whose hash is a list, by GET', async () => {
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: [[[[hash]]]] } });
    expectRejected(await get({ extensions }), 'BAD_REQUEST');
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
  ])('%s', async (name, body) =>
    expectRejected(
      await post(body),
      name === 'no operation at all' ? 'GRAPHQL_VALIDATION_FAILED' : 'OPERATION_RESOLUTION_FAILURE',
    ),
  );

  test('by GET', async () => {
    expectRejected(await get({ query: two }), 'OPERATION_RESOLUTION_FAILURE');
    expectRejected(await get({ query: two, operationName: 'C' }), 'OPERATION_RESOLUTION_FAILURE');
  });
});

describe('variables', () => {
  test('with sixty errors', async () => {
    const list = 'query ($types: [EventType!]) { publicEvents(types: $types) { __typename } }';
    expectRejected(await post({ query: list, variables: { types: Array(60).fill('NONE') } }), 'BAD_USER_INPUT');
    const mutation =
      'mutation ($ids: [ID!]) { createChatGroup(input: { name: "a", participantIds: $ids }) { chatGroup { id } } }';
    expectRejected(await post({ query: mutation, variables: { ids: Array(80).fill({}) } }), 'BAD_USER_INPUT');
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
  ])('that are %s', async (_, body) => expectRejected(await post(body), 'BAD_REQUEST'));

  test.each([
    [50, 'QUERY_INPUT_TOO_DEEP', /Levels of lists and objects/],
    [50_000, 'BAD_REQUEST', /nested more than 100 levels/],
  ])('nested %i deep', async (levels, code, message) => {
    const text = `{"query":"query ($x: Int) { articles(first: $x) { nodes { id } } }","variables":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    const answer = await post(text);
    expectRejected(answer, code);
    expect(answer.json.errors[0].message).toMatch(message);
  });

  test('with numbers out of range', async () => {
    const text = `{"query":"query ($x: Int) { articles(first: $x) { nodes { id } } }","variables":{"x":1e999}}`;
    expectRejected(await post(text), 'BAD_USER_INPUT');
  });

  test('by GET that are a list', async () =>
    expectRejected(await get({ query: typename, variables: '[1]' }), 'BAD_REQUEST'));
  test('by GET that are not JSON', async () =>
    expectRejected(await get({ query: typename, variables: '{' }), 'BAD_REQUEST'));
});

test('a mutation or a subscription by GET is 405', async () => {
  expectRejected(await get({ query: 'mutation { revokeToken(id: 0) }' }), 'BAD_REQUEST', 405);
  expectRejected(await get({ query: 'subscription { chatMessageAdded(chatId: "x") { id } }' }), 'BAD_REQUEST', 405);
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
  for (let at = 0; at < 3; at++) expectRejected(await post({ query: '{ nonsense }' }), 'GRAPHQL_VALIDATION_FAILED');
  expect((await post({ query: '{ a: __typename }' })).json).toMatchObject({ data: { a: 'Query' } });
  expect((await post({ query: '{ a: __typename }' })).json).toMatchObject({ data: { a: 'Query' } });
});

describe('a refused input', () => {
  const problemsOf = async (mutation: string): Promise<unknown> => {
    const { json } = await post({ query: `mutation { ${mutation} }` });
    expect(json.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT', problems: expect.any(Array) });
    return json.errors[0].extensions.problems;
  };

  test('is reported by the path of the input field', async () => {
    const wrong =
      'registerHealthAccount(input: { email: "x", firstName: "A", lastName: "B", password: "Tulip-9-harbour" })';
    expect(await problemsOf(`${wrong} { email }`)).toEqual([
      { path: ['input', 'email'], code: 'INVALID', message: 'Enter a valid email address.' },
    ]);
  });

  test('is reported by the path into the argument `input`', async () => {
    const wrong = `assessSymptomsAsGuest(input: { symptoms: [], symptomDuration: "${'x'.repeat(101)}" })`;
    const problems = (await problemsOf(`${wrong} { __typename }`)) as { path: unknown }[];
    expect(problems.map(({ path }) => path)).toEqual([
      ['input', 'symptoms'],
      ['input', 'symptomDuration'],
    ]);
  });
});
