import { describe, expect, test } from '@jest/globals';
import { GraphQLInt } from 'graphql';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const echo = (_: unknown, args: object): string => JSON.stringify(args);
const books = Array.from({ length: 5 }, (_, index) => index + 1);
const cursorOf = (key: unknown): string => `key ${key}`;

const graph = buildTestSchema(
  `
  enum Field { ADDED TITLE }
  enum Direction { ASC DESC }
  enum Genre { NOVEL STORIES }
  input Order { field: Field!, direction: Direction! }
  type Author { id: Int!, login: String!, site: String }
  type Book { id: Int!, author: Author, lent: Boolean }
  type PageInfo { hasNextPage: Boolean!, endCursor: String }
  type BookConnection { nodes: [Book!]!, pageInfo: PageInfo! }
  type Query {
    books(order: Order, genres: [Genre!], isLent: Boolean, limit: Int): String
    shelf(genre: Genre!): String
    keyed(after: String, first: Int): BookConnection
    book(id: Int!): Book
    list: [Book!]!
  }
  type Mutation { shelve(genre: Genre!, second: Genre): String }`,
  {
    Mutation: { shelve: echo },
    Query: {
      books: echo,
      shelf: echo,
      book: (_: unknown, { id }: { id: number }) =>
        id > 3 ? null : { id, author: null, lent: [null, false, true][id - 1] },
      list: () => [
        { id: 1, author: { id: 7, login: 'ada', site: '/ada' } },
        { id: 2, author: null },
      ],
      keyed: (_: unknown, { after, first = 2 }: { after?: string; first?: number }) => {
        const rest = books.filter(id => id > Number(after?.slice(4) ?? 0));
        const nodes = rest.slice(0, first).map(id => ({ id }));
        return { nodes, pageInfo: { hasNextPage: rest.length > first, endCursor: cursorOf(nodes.at(-1)?.id) } };
      },
    },
  },
);
Object.assign(graph.getType('BookConnection') ?? {}, {
  extensions: { cursorKey: { scalar: GraphQLInt.name, encode: cursorOf, decode: (cursor: string) => cursor.slice(4) } },
});

const operations = {
  'a/sorted.graphql': `query Sorted(
    $order: Order = { field: TITLE, direction: ASC } @words(
      of: "sort", named: "Sort",
      values: { new: { field: ADDED, direction: DESC }, title: { field: TITLE, direction: ASC } },
      fields: { direction: "Direction." })
  ) @rest(method: GET, path: "/sorted") { books(order: $order) @body }`,
  'a/kinds.graphql': `query Kinds(
    "Kind."
    $genres: [Genre!] @words(of: "kind", named: "Kind", values: { all: null, novels: NOVEL }, default: "all")
      @excludes(parameters: ["limit"], message: "Either kind or limit.")
    $lent: Boolean @words(of: "kind", values: { lent: true })
    $limit: Int
  ) @rest(method: GET, path: "/kinds") { books(genres: $genres, isLent: $lent, limit: $limit) @body }`,
  'a/shelf.graphql': `mutation Shelf(
    $genre: Genre! @words(named: "Shelf", values: { fiction: NOVEL, short: STORIES }, default: "short")
    $second: Genre = NOVEL @words(named: "Shelf", values: { fiction: NOVEL, short: STORIES })
  ) @rest(method: POST, path: "/shelf") { shelve(genre: $genre, second: $second) @body }`,
  'a/required.graphql': `query Required($genre: Genre! @words(named: "Shelf", values: { fiction: NOVEL, short: STORIES }))
    @rest(method: GET, path: "/required") { shelf(genre: $genre) @body }`,
  'a/flag.graphql': `query Flag($lent: Boolean @flag(texts: ["1", "true"])) @rest(method: GET, path: "/flag") {
    books(isLent: $lent) @body }`,
  'a/keyed.graphql': `query Keyed($since: String @cursorKey, $per_page: Int = 2) @rest(method: GET, path: "/keyed") {
    keyed(after: $since, first: $per_page) { pageInfo @page(style: CURSOR, cursor: "since") { hasNextPage endCursor } nodes @body { id } } }`,
  'a/spread.graphql': `query Spread @rest(method: GET, path: "/spread") {
    list @body { first: id author @spread { login site: site @url(base: ORIGIN) } id: id author @spread { author_id: id } } }`,
  'a/lent.graphql': `query Lent($id: Int!) @rest(method: GET, path: "/lent/{id}", status: 204) { book(id: $id) { lent @found } }`,
};
const facade = await startTestFacade({ graph, operations, product: 'hosting-like' });
const get = async (path: string) => (await facade.request(path)).json;

describe('@words', () => {
  test.each([
    ['', { field: 'TITLE', direction: 'ASC' }],
    ['?sort=new', { field: 'ADDED', direction: 'DESC' }],
    ['?sort=new&direction=asc', { field: 'ADDED', direction: 'ASC' }],
    ['?direction=desc', { field: 'TITLE', direction: 'DESC' }],
  ])('%s is %j', async (search, order) => {
    expect(JSON.parse(await get(`/sorted${search}`))).toEqual({ order });
  });

  test.each([
    ['', { genres: null }],
    ['?kind=novels', { genres: ['NOVEL'] }],
    ['?kind=lent', { isLent: true }],
    ['?limit=3', { genres: null, limit: 3 }],
  ])('one parameter makes several variables: %s', async (search, args) => {
    expect(JSON.parse(await get(`/kinds${search}`))).toEqual(args);
  });

  test.each([
    [{}, { genre: 'STORIES', second: 'NOVEL' }],
    [
      { genre: 'fiction', second: null },
      { genre: 'NOVEL', second: 'NOVEL' },
    ],
    [
      { genre: 'short', second: 'short' },
      { genre: 'STORIES', second: 'STORIES' },
    ],
  ])('of a body: %j is %j', async (body, args) => {
    const { json } = await facade.send('POST', '/shelf', body);
    expect(JSON.parse(json)).toEqual(args);
  });

  test('at a non-null variable: null is refused, and so is absence without a default', async () => {
    expect((await facade.send('POST', '/shelf', { genre: null })).status).toBe(422);
    expect((await facade.request('/required')).status).toBe(422);
    expect(JSON.parse(await get('/required?genre=fiction'))).toEqual({ genre: 'NOVEL' });
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document.
    const { paths } = facade.document() as any;
    expect(paths['/required'].get.parameters[0]).toMatchObject({ name: 'genre', required: true });
    const { properties, required } = paths['/shelf'].post.requestBody.content['application/json'].schema;
    expect([Object.keys(properties), required]).toEqual([['genre', 'second'], undefined]);
    expect(properties.genre).toEqual({ $ref: '#/components/schemas/Shelf', default: 'short' });
  });

  test('a word is in the place of its value', async () => {
    expect((await facade.request('/required?genre=novel')).status).toBe(422);
  });

  test('another word is refused', async () => {
    const { status, json } = await facade.request('/kinds?kind=__proto__');
    expect(status).toBe(422);
    expect(json.message).toContain('["all", "novels", "lent"]');
  });

  test('the OpenAPI document has the words', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document.
    const { paths, components } = facade.document() as any;
    expect(components.schemas.Kind).toEqual({ type: 'string', enum: ['all', 'novels', 'lent'] });
    const parameters = (path: string) => paths[path].get.parameters.filter(({ name }: { name?: string }) => name);
    expect(parameters('/kinds')).toMatchObject([
      { name: 'kind', description: 'Kind.', schema: { $ref: '#/components/schemas/Kind', default: 'all' } },
      { name: 'limit' },
    ]);
    expect(parameters('/sorted')).toMatchObject([{ name: 'sort' }, { name: 'direction', description: 'Direction.' }]);
  });
});

test('@excludes refuses both parameters', async () => {
  const { status, json } = await facade.request('/kinds?kind=all&limit=3');
  expect([status, json.message]).toEqual([422, 'Either kind or limit.']);
});

test.each([
  ['', {}],
  ['?lent=1', { isLent: true }],
  ['?lent=yes', { isLent: false }],
])('@flag of "%s"', async (search, args) => {
  expect(JSON.parse(await get(`/flag${search}`))).toEqual(args);
});

test('@cursorKey pages by keys', async () => {
  const seen: number[] = [];
  let path: string | undefined = '/keyed?since=1';
  while (path !== undefined) {
    const { json, headers } = await facade.request(path);
    seen.push(...json.map(({ id }: { id: number }) => id));
    path = /<[^>]*(\/keyed\?since=\d+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual([2, 3, 4, 5]);
});

test('@spread publishes the keys of an object in its place', async () => {
  const { text } = await facade.request('/spread');
  expect(text).toBe(
    '[{"first":1,"login":"ada","site":"https://api.example.org/ada","id":1,"author_id":7},{"first":2,"id":2}]',
  );
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document.
  const { items } = (facade.document() as any).paths['/spread'].get.responses[200].content['application/json'].schema;
  expect(Object.keys(items.properties)).toEqual(['first', 'login', 'site', 'id', 'author_id']);
  expect(items.required).toEqual(['first', 'id']);
});

test.each([
  [1, 404],
  [2, 404],
  [3, 204],
  [4, 404],
])('@found of book %i is %i', async (id, status) => {
  expect((await facade.request(`/lent/${id}`)).status).toBe(status);
});

describe('a start is refused', () => {
  const at = (variable: string, body: string): string =>
    `query Q${variable} @rest(method: GET, path: "/x") { ${body} }`;
  test.each([
    [
      '($o: Order @words(named: "S", values: { a: { field: SIZE, direction: ASC } }))',
      'books(order: $o) @body',
      'The word a of $o',
    ],
    ['($o: Order @words(values: { a: null }))', 'books(order: $o) @body', 'The words of o have no name'],
    [
      '($o: Order @words(named: "S", values: { a: null }, default: "b"))',
      'books(order: $o) @body',
      'The default b of o',
    ],
    [
      '($o: Order @words(named: "S", values: { a: null }, fields: { size: "" }))',
      'books(order: $o) @body',
      'has no field size',
    ],
    ['($l: Int @flag(texts: ["1"]))', 'books(limit: $l) @body', 'is not Boolean'],
    ['($l: Int @excludes(parameters: ["x"], message: ""))', 'books(limit: $l) @body', 'l excludes x'],
    ['($a: String @cursorKey)', 'keyed(first: 1) { nodes @body { id } } books @header(name: "X")', '$a'],
    ['', 'list @body { id author @spread { id } }', 'id of author is selected twice'],
    ['', 'list @body { id @spread }', '@spread needs one object'],
    ['', 'list @body { id author { id @found } }', '@found cannot be inside @body'],
  ])('%s { %s }', (variable, body, reason) => {
    expect(String(bootError({ graph, operations: { 'a/x.graphql': at(variable, body) } }))).toContain(reason);
  });
});
