import { describe, expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

interface Slice {
  after?: string | null;
  first: number;
  orderBy?: string[];
  asOf?: string | null;
}

/** 45 things, whose cursors are positions; the page says how it was asked for. */
const graph = buildTestSchema(
  `
  enum ThingOrder { NAME_ASC NAME_DESC MADE_ON_ASC MADE_ON_DESC }
  enum Color { RED BLUE }
  type Maker { id: Int!, name: String }
  type Thing { id: Int!, order: [String!], maker: Maker!, first: Maker, color: Color! }
  type PageInfo { asOf: String }
  type ThingConnection { nodes: [Thing!]!, totalCount: Int!, pageInfo: PageInfo! }
  type Other { nodes: [Thing!]! }
  type Query {
    colored(of: [Color!]): String
    things(first: Int!, after: String, orderBy: [ThingOrder!], asOf: String): ThingConnection
    other(after: String): Other
    colors(of: [Color!]): Thing
  }`,
  {
    Query: {
      colored: (_: unknown, { of }: { of?: string[] }) => JSON.stringify(of ?? 'all'),
      things: (_: unknown, { after, first, orderBy, asOf }: Slice) => {
        const start = after ? Number(after.slice(1)) : 0;
        const ids = Array.from(
          { length: Math.max(0, Math.min(first, 45 - start)) },
          (_one, index) => start + index + 1,
        );
        return {
          totalCount: 45,
          pageInfo: { asOf: asOf ?? 'now' },
          nodes: ids.map(id => ({ id, order: orderBy, maker: { id: id * 10, name: null }, first: null, color: 'RED' })),
        };
      },
    },
  },
);
Object.assign(graph.getType('ThingConnection') ?? {}, {
  extensions: { cursorAfter: (position: number) => `c${position}` },
});

const list = `query List($ordering: [ThingOrder!] @sortKeys(named: { made: "MADE_ON" }), $page: String @pageNumber,
    $page_size: Int = 20, $as_of: String) @rest(method: GET, path: "/things/") {
  things(first: $page_size, after: $page, orderBy: $ordering, asOf: $as_of) @page(style: COUNT) {
    totalCount
    pageInfo { asOf }
    nodes @body {
      id
      order
      maker_id: maker @pluck { id }
      maker_name: maker @pluck { name }
      first_id: first @pluck { id }
      second_id: first @pluck @ifNull(value: 0) { id }
      name: maker @pluck { name @ifNull(value: "none") }
      color @as(type: "String!")
    }
  }
}`;
const colored = `query Colored($colors: [Color!] @split @knownValues) @rest(method: GET, path: "/colored/") {
  colored(of: $colors) @body }`;
const whole = `query Whole($page: String @pageNumber, $page_size: Int = 20) @rest(method: GET, path: "/whole/") {
  things(first: $page_size, after: $page) @page(style: LINK) @body { total_count: totalCount things: nodes { id } } }`;
const facade = await startTestFacade({
  graph,
  operations: { 'a/list.graphql': list, 'a/colored.graphql': colored, 'a/whole.graphql': whole },
  overrides: { enumNames: { Color: 'Paint' } },
});
const get = async (search = ''): Promise<Record<string, never> & { count: number; results: { id: number }[] }> =>
  (await facade.request(`/api/v1/things/${search}`)).json;

describe('@page at a connection with @pageNumber', () => {
  test('counts and links as page numbers do', async () => {
    const first = await get();
    expect(first).toMatchObject({ count: 45, previous: null });
    expect(String(first.next)).toMatch(/\?page=2/);
    expect(first.results.map(({ id }) => id).at(0)).toBe(1);
    const last = await get('?page=3');
    expect(last.results.map(({ id }) => id)).toEqual([41, 42, 43, 44, 45]);
    expect(last.next).toBeNull();
    expect((await get('?page=last&page_size=7')).results.map(({ id }) => id)).toEqual([43, 44, 45]);
  });

  test('a page beyond the last is absent', async () => {
    expect((await facade.request('/api/v1/things/?page=4')).status).toBe(404);
    expect((await facade.request('/api/v1/things/?page=2147483647&page_size=100')).status).toBe(404);
  });
});

test('a connection that is the body as well is linked by its number of items under any key', async () => {
  const { json, headers } = await facade.request('/api/v1/whole/?page=2&page_size=40');
  expect(json).toEqual({ total_count: 45, things: [41, 42, 43, 44, 45].map(id => ({ id })) });
  expect(headers.get('link')).toMatch(/page=1&page_size=40>; rel="prev"/);
});

describe('@sortKeys', () => {
  test.each([
    ['name', ['NAME_ASC']],
    ['-name,made', ['NAME_DESC', 'MADE_ON_ASC']],
    [' -made , x, made_on,,-made', ['MADE_ON_DESC']],
    ['', []],
    ['__proto__,constructor', []],
  ])('"%s" is %j', async (ordering, order) => {
    const { results } = await get(`?ordering=${encodeURIComponent(ordering)}&page_size=1`);
    expect(results).toEqual([expect.objectContaining({ order })]);
  });
});

test.each([
  ['', 'all'],
  ['?colors=red,green,blue', ['RED', 'BLUE']],
  ['?colors=green', []],
])('@knownValues of "%s" are %j', async (search, known) => {
  const { json } = await facade.request(`/api/v1/colored/${search}`);
  expect(JSON.parse(json)).toEqual(known);
});

test('@pluck publishes the inner value, @as the same JSON', async () => {
  const { results } = await get('?page_size=1');
  expect(results).toEqual([expect.objectContaining({ maker_id: 10, maker_name: null, first_id: null, color: 'red' })]);
  expect(results).toEqual([expect.objectContaining({ second_id: 0, name: 'none' })]);
});

test('the OpenAPI document has the published types', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document.
  const document = facade.document() as any;
  const { parameters, responses } = document.paths['/things/'].get;
  const schemaOf = (name: string) => parameters.find((one: { name: string }) => one.name === name)?.schema;
  expect(schemaOf('page')).toEqual({ type: 'integer', format: 'int32', default: 1 });
  expect(schemaOf('ordering')).toEqual({ type: 'string' });
  const { results } = responses[200].content['application/json'].schema.properties;
  expect(results.items.properties).toMatchObject({
    maker_id: { type: 'integer', format: 'int32' },
    maker_name: { type: ['string', 'null'] },
    first_id: { type: ['integer', 'null'], format: 'int32' },
    second_id: { type: 'integer', format: 'int32' },
    color: { type: 'string' },
  });
  const [{ schema }] = document.paths['/colored/'].get.parameters;
  expect(schema).toEqual({ type: 'array', items: { type: 'string' } });
});

describe('a start is refused', () => {
  const boot = (query: string): string => String(bootError({ graph, operations: { 'a/x.graphql': query } }));
  test.each([
    [
      'query Q($page: String @pageNumber) @rest(method: GET, path: "/x") { other(after: $page) { nodes @body { id } } }',
      '$page has @pageNumber',
    ],
    [
      'query Q($o: [Color!] @sortKeys) @rest(method: GET, path: "/x") { colors(of: $o) @body { id } }',
      'Color cannot be sort keys',
    ],
    [
      'query Q @rest(method: GET, path: "/x") { colors @body { maker @pluck { id name } } }',
      '@pluck needs one object with one field',
    ],
    [
      'query Q($o: String @knownValues) @rest(method: GET, path: "/x") { other(after: $o) @body { nodes { id } } }',
      'is no list of an enum',
    ],
    ['query Q @rest(method: GET, path: "/x") { colors @body { id @as(type: "Nothing") } }', '«Nothing» of @as'],
    [
      'query Q($of: [Color!] @as(type: "Nothing")) @rest(method: GET, path: "/x") { colors(of: $of) @body { id } }',
      '«Nothing» of @as at $of',
    ],
  ])('%s', (query, reason) => {
    expect(boot(query)).toContain(reason);
  });
});
