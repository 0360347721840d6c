import { describe, expect, test } from '@jest/globals';
import { createFragmentSerializer } from 'operation-rest';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, createTestProduct, origin, startTestFacade } from './test-facade.ts';

interface Thing {
  id: number;
  path: string | null;
  inner?: Thing;
  isOpen?: boolean;
}

const things: Thing[] = [
  { id: 1, path: '/a b', inner: { id: 2, path: null }, isOpen: true },
  { id: 3, path: '/c' },
];
const graph = buildTestSchema(
  `
  enum Color { RED }
  interface Named { path: String }
  type Thing implements Named { id: Int!, path: String, inner: Thing, color: Color, list: [String!], isOpen: Boolean, isShut: Boolean }
  type Other implements Named { path: String, id: String! }
  type Query { things: [Thing!]!, thing: Thing, found(id: Int!): Thing, named: Named,
    path: String }`,
  {
    Named: { resolveType: () => 'Other' },
    Query: {
      things: () => things,
      thing: () => things[0],
      found: (_: unknown, { id }: { id: number }) => things.find(one => one.id === id),
      named: () => ({ path: '/o/p/q', id: '9' }),
      path: () => '/p',
    },
  },
);
const fragments = `fragment FullThing on Thing {
  id
  html_url: path @url(base: ORIGIN, suffix: ".git")
  keys_url: path @url(prefix: "/things", suffix: "/keys{/key_id}")
  has_wiki: __typename @const(value: false)
  inner @omitNull { path @omitNull @url no: path @const(value: 0) }
}`;
const operations = {
  'a/thing.fragments.graphql': fragments,
  'a/things.graphql': `query Things @rest(method: GET, path: "/things") { things @body { ...FullThing } }`,
  'a/thing.graphql': `query Thing @rest(method: GET, path: "/thing") {
    thing @body {
      text: __typename @const(value: "t")
      number: __typename @const(value: 1.5)
      none: __typename @const(value: null)
      no_text: __typename @const(value: null, type: "String")
      color: __typename @const(value: "red", type: "Color!")
      list: __typename @const(value: [1, "b", { c: null }])
      object: list @const(value: { a: { b: true } })
      location: path @header(name: "Location") @url
      id_url: id @url(prefix: "/ids/")
      root_url: __typename @const(value: "/root{?a}") @url
      gone: __typename @const(value: null) @omitNull
      closed: isOpen @not
      unknown: isShut @not
    } }`,
  'a/named.graphql': `query Named @rest(method: GET, path: "/named") {
    named @body { url: path @url part: path @url(path: "/{2}/x/{+1}", suffix: "?z") ... on Thing { number: __typename @const(value: 1) } ... on Other { id } } }`,
  'a/none.graphql': `query None($id: Int!) @rest(method: GET, path: "/things/{id}/parts") {
    found(id: $id) { parts: __typename @body @const(value: []) } }`,
};
const facade = await startTestFacade({ graph, operations, product: 'hosting-like' });
const headers = { 'user-agent': 'test' };
const get = async (path: string): Promise<unknown> => (await facade.request(path, { headers })).json;

describe('@const and @url', () => {
  test('replace values in place, in lists and in nested objects', async () => {
    const expected = (base: string) => [
      {
        id: 1,
        html_url: `${origin}/a b.git`,
        keys_url: `${base}/things/a b/keys{/key_id}`,
        has_wiki: false,
        inner: { no: 0 },
      },
      { id: 3, html_url: `${origin}/c.git`, keys_url: `${base}/things/c/keys{/key_id}`, has_wiki: false },
    ];
    expect(await get('/things')).toEqual(expected(origin));
    expect(await get('/api/v3/things')).toEqual(expected(`${origin}/api/v3`));
  });

  test('at the body are the response, where what is above the body exists', async () => {
    expect(await get('/things/1/parts')).toEqual([]);
    expect((await facade.request('/things/2/parts', { headers })).status).toBe(404);
  });

  test('keep the order of keys', async () => {
    const [first] = (await get('/things')) as [object];
    expect(Object.keys(first)).toEqual(['id', 'html_url', 'keys_url', 'has_wiki', 'inner']);
  });

  test('publish any JSON value, and a URL of a constant', async () => {
    const response = await facade.request('/thing', { headers });
    expect(response.json).toEqual({
      text: 't',
      number: 1.5,
      none: null,
      no_text: null,
      color: 'red',
      list: [1, 'b', { c: null }],
      object: { a: { b: true } },
      id_url: `${origin}/ids/1`,
      root_url: `${origin}/root{?a}`,
      closed: false,
      unknown: null,
    });
    expect(response.headers.get('location')).toBe(`${origin}/a b`);
  });

  test('add no key to another type of a union', async () => {
    expect(await get('/named')).toEqual({ url: `${origin}/o/p/q`, part: `${origin}/p/x/o/p/q?z`, id: '9' });
  });

  test('the document has the published types', () => {
    const { components, paths } = facade.document() as {
      components: { schemas: Record<string, unknown> };
      paths: Record<string, { get: { responses: Record<string, { content: Record<string, { schema: object }> }> } }>;
    };
    const url = { type: ['string', 'null'] };
    expect(components.schemas.FullThing).toMatchObject({
      properties: {
        html_url: url,
        keys_url: url,
        has_wiki: { type: 'boolean' },
        inner: { properties: { path: { type: 'string' }, no: { type: 'integer', format: 'int32' } } },
      },
      required: ['id', 'html_url', 'keys_url', 'has_wiki'],
    });
    const content = Object.values(paths['/thing']?.get.responses[200]?.content ?? {});
    expect(content[0]?.schema).toMatchObject({
      properties: {
        text: { type: 'string' },
        number: { type: 'number', format: 'double' },
        none: { type: 'null' },
        no_text: { type: ['string', 'null'] },
        color: { $ref: '#/components/schemas/Color' },
        list: { type: 'array' },
        object: { type: 'object' },
        id_url: { type: 'string' },
        root_url: { type: 'string' },
      },
    });
  });

  test('apply to fragments outside of requests', async () => {
    const product = createTestProduct({ operations, product: 'hosting-like' });
    const resolve = () => things[0];
    const serialize = createFragmentSerializer(product, graph, {
      thing: { fragment: 'FullThing', resolve },
      nothing: { fragment: 'FullThing', resolve: () => null },
    });
    const made = await serialize({}, {}, { API: 'https://public.example/api', ORIGIN: 'https://public.example' });
    expect(JSON.parse(JSON.stringify(made))).toEqual({
      thing: {
        id: 1,
        html_url: 'https://public.example/a b.git',
        keys_url: 'https://public.example/api/things/a b/keys{/key_id}',
        has_wiki: false,
        inner: { no: 0 },
      },
    });
  });
});

test.each([
  [
    '@const outside @body',
    'a: path @const(value: 1) thing @body { id }',
    'a: @const is only supported at @header, and at or inside @body, and @url inside.',
  ],
  [
    '@url at @body',
    'path @body @url',
    'path: @const is only supported at @header, and at or inside @body, and @url inside.',
  ],
  [
    '@const of an object',
    'thing @body { inner @const(value: 1) { id } }',
    '@const replaces a value and not the object',
  ],
  ['@url of a list', 'thing @body { list @url }', '@url needs a single value, and list is none.'],
  ['@url of both', 'thing @body { path @url(prefix: "a", path: "b") }', '@url has a prefix or a path, not both.'],
  ['@not of a number', 'thing @body { id @not }', '@not needs a Boolean, and id is none.'],
  [
    'one key with @not and without',
    'thing @body { isOpen ... on Thing { isOpen @not } }',
    'isOpen is selected with @not and without.',
  ],
  ['an unknown type', 'thing @body { id @const(value: 1, type: "Number") }', '«Number» of @const is not a type of the'],
  ['no type', 'thing @body { id @const(value: 1, type: "[") }', '«[» of @const is not a type of the graph.'],
  ['null of a type without it', 'thing @body { id @const(type: "Int!") }', 'null of @const is not a Int!.'],
  [
    'one key with two constants',
    'thing @body { id @const(value: 1) ... on Thing { id @const(value: 2) } }',
    'id is selected with different @const or @url.',
  ],
])('%s stops the boot', (_, selection, reason) => {
  const text = `query Get @rest(method: GET, path: "/x/") { ${selection} }`;
  expect(bootError({ graph, operations: { 'a/get.graphql': text } })).toContain(`test/a/get.graphql:1: ${reason}`);
});
