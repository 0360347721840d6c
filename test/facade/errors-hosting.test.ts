import { describe, expect, test } from '@jest/globals';
import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { validationFailed } from '../../src/errors/errors.ts';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const textOrNumber = new GraphQLScalarType({
  name: 'TextOrNumber',
  extensions: { anyOf: ['string', 'number'] },
  parseValue(value) {
    if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError('Neither.');
    return value;
  },
});
let failure: Error = validationFailed([]);
const parameters =
  'sha: String, message: String, author: Author, parents: [String!], color: Color, count: Int, at: DateTime, insecure: TextOrNumber, flag: Boolean';
const graph = buildTestSchema(
  `scalar DateTime scalar TextOrNumber
  enum Color { RED DARK_BLUE }
  input Author { name: String!, email: String! }
  type Query { list(color: Color, size: Int): String!, shade(shop: String!, color: Color!): String }
  type Mutation { put(${parameters}): String!, fail: String! }`,
  {
    DateTime: GraphQLDateTime.toConfig(),
    TextOrNumber: textOrNumber.toConfig(),
    Query: {
      list: echo,
      shade: (_: unknown, { shop, color }: { shop: string; color: string }) => {
        if (shop === 'closed') throw failure;
        return color;
      },
    },
    Mutation: {
      put: echo,
      fail: () => {
        throw failure;
      },
    },
  },
);
const docs = '/rest/things#put';
const facade = await startTestFacade({
  graph,
  product: 'hosting-like',
  operations: {
    'a/put.graphql': `mutation Put($sha: String!, $message: String, $author: Author, $parents: [String!] @range(max: 2), $color: Color,
      $count: Int @range(min: 1, max: 6), $at: DateTime, $insecure: TextOrNumber, $flag: Boolean)
      @rest(method: PUT, path: "/things", docs: "${docs}") {
      put(sha: $sha, message: $message, author: $author, parents: $parents, color: $color, count: $count, at: $at, insecure: $insecure, flag: $flag) @body }`,
    'a/fail.graphql': `mutation Fail @rest(method: POST, path: "/things", docs: "${docs}") { fail @body }`,
    'a/list.graphql': `query List($color: Color = RED @orDefault, $size: Int @orDefault) @rest(method: GET, path: "/things") { list(color: $color, size: $size) @body }`,
    'a/shade.graphql': `query Shade($shop: String!, $color: Color! @checkedLast) @rest(method: GET, path: "/shops/{shop}/{color}") { shade(shop: $shop, color: $color) @body }`,
  },
});
const page = `https://docs.example.org${docs}`;
const raw = (body: string) => facade.request('/things', { method: 'PUT', body });

describe('a body that does not match the schema', () => {
  test.each([
    [{}, [`"sha" wasn't supplied.`]],
    [{ sha: null }, [`For 'properties/sha', nil is not a string.`]],
    [
      { sha: 5, message: true },
      [`For 'properties/sha', 5 is not a string.`, `For 'properties/message', true is not a string.`],
    ],
    [{ sha: '', author: 'x' }, [`For 'properties/author', x is not an object.`]],
    [{ sha: '', author: {} }, [`"name" wasn't supplied.`, `"email" wasn't supplied.`]],
    [{ sha: '', author: { name: null, email: '' } }, [`For 'properties/author/properties/name', nil is not a string.`]],
    [{ sha: '', parents: 'x' }, [`For 'properties/parents', x is not an array.`]],
    [{ sha: '', parents: ['a', null] }, [`For 'properties/parents/items', nil is not a string.`]],
    [{ sha: '', parents: ['a', 'b', 'c'] }, ['3 must be less than or equal to 2.']],
    [{ sha: '', color: 'X' }, ['X is not a member of ["red", "dark_blue"].']],
    [{ sha: '', count: 9 }, ['9 must be less than or equal to 6.']],
    [{ sha: '', count: 0 }, ['0 must be greater than or equal to 1.']],
    [{ sha: '', count: 3_000_000_000 }, ['3000000000 must be less than or equal to 2147483647.']],
    [{ sha: '', count: '5' }, [`For 'properties/count', 5 is not an integer.`]],
    [{ sha: '', at: '2020-13-40' }, ['2020-13-40 is not a valid date-time.']],
    [{ sha: '', at: 5 }, [`For 'properties/at', 5 is not a string.`]],
    [{ sha: '', flag: 'yes' }, [`For 'properties/flag', yes is not a boolean.`]],
    [
      { sha: '', insecure: [] },
      [
        'No subschema in "anyOf" matched.',
        `For 'properties/insecure', [] is not a string.`,
        `For 'properties/insecure', [] is not a number.`,
      ],
    ],
  ])('%j has a line for each error and no list of errors', async (body, lines) => {
    const { status, json, text } = await facade.send('PUT', '/things', body);
    const message = ['Invalid request.', '', ...lines].join('\n');
    expect([status, text]).toEqual([422, JSON.stringify({ message, documentation_url: page, status: '422' })]);
    expect(json.errors).toBeUndefined();
  });

  test('may have undocumented keys', async () => {
    const { status, json } = await facade.send('PUT', '/things', {
      sha: 'a',
      count: 6,
      insecure: 0,
      parents: [],
      x: 1,
    });
    expect([status, JSON.parse(json)]).toEqual([200, { sha: 'a', count: 6, insecure: 0, parents: [] }]);
  });

  test('that is not a JSON object is 400', async () => {
    for (const [body, message] of [
      ['{', 'Problems parsing JSON'],
      ['[]', 'Body should be a JSON object'],
      ['"x"', 'Body should be a JSON object'],
    ] as const) {
      const { status, text } = await raw(body);
      expect([status, text]).toEqual([400, JSON.stringify({ message, documentation_url: page, status: '400' })]);
    }
    for (const absent of ['', 'null'])
      expect((await raw(absent)).json.message).toBe(`Invalid request.\n\n"sha" wasn't supplied.`);
  });
});

describe('an input that breaks a rule', () => {
  test('has the entries, in the published order', async () => {
    failure = validationFailed([{ resource: 'Commit', field: 'sha', code: 'custom', message: 'No.' }]);
    const { status, text } = await facade.request('/things', { method: 'POST' });
    const errors = [{ resource: 'Commit', field: 'sha', code: 'custom', message: 'No.' }];
    expect([status, text]).toEqual([
      422,
      JSON.stringify({ message: 'Validation Failed', errors, documentation_url: page, status: '422' }),
    ]);
  });

  test('may have only a message', async () => {
    failure = validationFailed([], 'Sha is wrong.');
    const { status, text } = await facade.request('/things', { method: 'POST' });
    expect([status, text]).toEqual([
      422,
      JSON.stringify({ message: 'Sha is wrong.', documentation_url: page, status: '422' }),
    ]);
  });

  test('may have headers and a page of its own', async () => {
    failure = Object.assign(validationFailed([], 'Gone.'), {
      extensions: {
        code: 'GONE',
        http: { status: 410 },
        headers: { Sunset: 'x', 'X-Host-SSO': 'required; url=y' },
        documentation: '/v3/#gone',
        secret: 1,
      },
    });
    const { status, json, headers } = await facade.request('/things', { method: 'POST' });
    expect([status, json]).toEqual([
      410,
      { message: 'Gone.', documentation_url: 'https://docs.example.org/v3/#gone', status: '410' },
    ]);
    expect([headers.get('sunset'), headers.get('x-host-sso')]).toEqual(['x', 'required; url=y']);
  });
});

test('@orDefault ignores an invalid value', async () => {
  for (const query of ['', '?color=nonsense', '?size=x', '?color=&size=99999999999']) {
    const { status, json } = await facade.request(`/things${query}`);
    expect([query, status, JSON.parse(json)]).toEqual([query, 200, { color: 'RED' }]);
  }
  expect(JSON.parse((await facade.request('/things?color=dark_blue&size=3')).json)).toEqual({
    color: 'DARK_BLUE',
    size: 3,
  });
});

test('@checkedLast makes an invalid value of the path 404 after every other error', async () => {
  failure = validationFailed([], 'Closed.');
  const statusOf = async (path: string): Promise<number> => (await facade.request(path)).status;
  expect(await statusOf('/shops/open/dark_blue')).toBe(200);
  expect(await statusOf('/shops/open/nonsense')).toBe(404);
  expect(await statusOf('/shops/closed/red')).toBe(422);
  expect(await statusOf('/shops/closed/nonsense')).toBe(422);
});

test('the document has the limits of numbers and lists', () => {
  const { paths } = facade.document() as {
    paths: Record<string, { put: { requestBody: { content: Record<string, { schema: { properties: object } }> } } }>;
  };
  const { properties } = paths['/things']?.put.requestBody.content['application/json']?.schema ?? {};
  expect(properties).toMatchObject({ count: { minimum: 1, maximum: 6 }, parents: { maxItems: 2 } });
});
