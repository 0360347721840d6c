import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { GraphQLDateTime, GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { type JsonSchema, redirect } from 'operation-rest';
import { PublishedSchema } from '../contract/published-schema.ts';
import { buildTestSchema } from './build-test-schema.ts';
import { pagedGraph } from './paging.ts';
import { startTestFacade } from './test-facade.ts';

let thing: Record<string, unknown> | null = null;
const graph = buildTestSchema(
  `
  scalar SafeInt
  scalar DateTime
  scalar JSON
  scalar Level
  "How it looks."
  enum Color { RED "Nearly black." DARK_BLUE }
  "What is kept of a thing."
  input Keep { "Its name." name: String!, color: Color = RED, sizes: [Int!], inner: Keep, count: Int! = 3 }
  interface Named { "Who it is." name: String! }
  "A thing."
  type Thing implements Named {
    "Its number." id: SafeInt!
    name: String!
    note: String
    color: Color
    colors: [Color!]
    flags: [Boolean]!
    ratio: Float
    at: DateTime
    anything: JSON
    level: Level
    inner: Thing
    list: [Thing!]
    matrix: [[Int!]]
    named: Named
    either: Either
    eithers: [Either!]!
  }
  type Other implements Named { name: String!, other: Int }
  union Either = Thing | Other
  type Redirect { url: String! }
  type Nothing { ok: Boolean! }
  union Outcome = Thing | Other | Redirect | Nothing
  type Query { find(id: SafeInt, color: Color, path: String): Thing, thing(color: Color, keep: Keep, colors: [Color!], level: Level, sizes: [String!], seen: String): Thing, things: [Thing], named: Named, either: Either, eithers: [Either], color: Color }
  type Mutation { keep(id: SafeInt, keep: Keep, text: String, color: Color): Outcome, gone: Boolean }`,
  {
    SafeInt: GraphQLSafeInt.toConfig(),
    DateTime: GraphQLDateTime.toConfig(),
    JSON: GraphQLJSON.toConfig(),
    Level: { extensions: { jsonSchema: { type: 'string', enum: ['low', 'high'] } } },
    Query: {
      thing: () => thing,
      things: () => [thing, null],
      named: () => thing && { __typename: 'Thing', ...thing },
      either: () => ({ __typename: 'Other', name: 'o', other: null }),
      eithers: () => [{ __typename: 'Other', name: 'o', other: 1 }, thing && { __typename: 'Thing', ...thing }],
      color: () => null,
    },
    Mutation: {
      keep: (_: unknown, { text }: { text?: string }) =>
        text ? { __typename: text, id: 1, name: 'n', other: null, url: '/', ok: true, flags: [] } : null,
      gone: () => true,
    },
  },
);

const operations = {
  'things/shapes.graphql': `
    fragment Small on Thing { id name note @omitNull }
    fragment Whole on Thing {
      ...Small color colors flags ratio at anything level
      inner { ...Small inner { id } } inner { color }
      list { ...Small ratio } matrix named { ...NamedShape } either { ...EitherShape } eithers { ... on Named { name } }
    }
    fragment NamedShape on Named { name ... on Thing { id note @omitNull } }
    fragment Face on Named { name ... on Named { first: name } }
    fragment EitherShape on Either { type: __typename ... on Thing { ...Small } ... on Other { other } }`,
  'things/get.graphql': `
    """
    Get a thing

    All of it.
    """
    query GetThing("Which one." $id: SafeInt!, "Only of this color." $color: Color = DARK_BLUE, $none: Color = null, $level: Level, $colors: [Color!] = [RED], $sizes: [String!] @split, $seen: String @fromHeader(name: "If-None-Match"))
    @rest(method: GET, path: "/things/{id}", points: 3, pointsReason: "It is large.") {
      thing(color: $color, colors: $colors, level: $level, sizes: $sizes, seen: $seen) @body { ...Whole number: id @header(name: "X-Number") }
      by: find(id: $id, color: $none) { id } color @header(name: "X-Color") }`,
  'things/list.graphql': `query ListThings @rest(method: GET, path: "/things") { things @body { ...Small either { ...EitherShape } } }`,
  'things/named.graphql': `query GetNamed @rest(method: GET, path: "/named") { named @body { ...NamedShape } }`,
  'things/face.graphql': `query GetFace @rest(method: GET, path: "/face") { named @body { ...Face } again: named { ...Face } }`,
  'things/nullable.graphql': `query GetNullable @rest(method: GET, path: "/nullable") { thing @body(nullable: true) { ...Small } }`,
  'things/either.graphql': `query GetEither @rest(method: GET, path: "/either") { either @body { ...EitherShape } }`,
  'things/eithers.graphql': `query ListEithers @rest(method: GET, path: "/eithers") { eithers @body { ...EitherShape } }`,
  'things/color.graphql': `query GetColor @rest(method: GET, path: "/color") { color @body(nullable: true) }`,
  'writes/keep.graphql': `mutation Keep($id: SafeInt!, "What to keep." $keep: Keep, $text: String!, $color: Color = RED) @rest(method: PUT, path: "/kept/{id}") {
    keep(id: $id, keep: $keep, text: $text, color: $color) @body(nullable: true) {
      ... on Thing @status(code: 201) { ...Small where: name @header(name: "Location") }
      ... on Other { ...NamedShape other }
      ... on Redirect { url }
      ... on Nothing @status(code: 204) { ok } } }`,
  'writes/gone.graphql': `mutation Gone($keep: Keep) @rest(method: DELETE, path: "/kept", status: 204) { gone keep(keep: $keep) { __typename } }`,
  'files/tree.graphql': `query Tree($path: String!) @rest(method: GET, path: "/tree/{+path}") { find(path: $path) @body { id } }`,
};

const facade = await startTestFacade({
  graph,
  operations,
  product: 'hosting-like',
  overrides: { responders: { Redirect: { send: redirect(), responses: { 307: { description: 'Elsewhere.' } } } } },
});
const paged = await startTestFacade({
  graph: pagedGraph,
  operations: {
    'a/count.graphql': `query Count($page: Int = 1, $page_size: Int = 20) @rest(method: GET, path: "/things/") {
      things(first: $page_size, page: $page) { nodes @body { id } pageInfo @page(style: COUNT) { page last total } } }`,
    'a/link.graphql': `query Link($page: Int = 1) @rest(method: GET, path: "/linked/") {
      things(first: 30, page: $page) { nodes @body { id } pageInfo @page(style: LINK) { page last } } }`,
  },
});

interface Described {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: JsonSchema } } };
  responses: Record<
    string,
    { description: string; headers?: JsonSchema; content?: { 'application/json': { schema: JsonSchema } } }
  >;
}
const document = facade.document();
const described = (method: string, path: string): Described => {
  const found = (document.paths as Record<string, Record<string, Described>>)[path]?.[method];
  if (!found) throw new Error(`The document has no ${method} ${path}.`);
  return found;
};
const component = (name: string): unknown => (document.components as { schemas: JsonSchema }).schemas[name];
const schemaOf = (method: string, path: string, status: number): unknown =>
  described(method, path).responses[status]?.content?.['application/json'].schema;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test.each([
  ['of many shapes', facade],
  ['of pages', paged],
])('the document %s is valid OpenAPI 3.1', async (_, one) => {
  expect(await new Validator().validate(structuredClone(one.document()))).toEqual({ valid: true });
});

test('the document of a contract without operations is valid as well', async () => {
  const empty = await startTestFacade({ graph, operations: {} });
  expect(await new Validator().validate(structuredClone(empty.document()))).toEqual({ valid: true });
});

describe('an operation', () => {
  test('has its descriptions, its folder as tag and its points', () => {
    const { operationId, summary, description, tags } = described('get', '/things/{id}');
    expect({ operationId, summary, description, tags }).toEqual({
      operationId: 'GetThing',
      summary: 'Get a thing',
      description: 'All of it.',
      tags: ['things'],
    });
    expect(described('get', '/things/{id}')).toHaveProperty('x-points', 3);
    expect(described('get', '/things')).toHaveProperty('x-points', 1);
    expect(described('put', '/kept/{id}')).toHaveProperty('x-points', 5);
    expect(described('get', '/things').summary).toBe('ListThings');
    // The product describes none of them.
    expect(document).not.toHaveProperty('tags');
    expect(described('put', '/kept/{id}').tags).toEqual(['writes']);
  });

  test('has its parameters in the published spelling, with types, defaults and descriptions', () => {
    expect(described('get', '/things/{id}').parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Which one.',
        schema: expect.objectContaining({ type: 'integer', format: 'int64' }),
      },
      {
        name: 'color',
        in: 'query',
        required: false,
        description: 'Only of this color.',
        schema: { ...ref('Color'), default: 'dark_blue' },
      },
      { name: 'none', in: 'query', required: false, schema: ref('Color') },
      { name: 'level', in: 'query', required: false, schema: { type: 'string', enum: ['low', 'high'] } },
      {
        name: 'colors[]',
        in: 'query',
        required: false,
        style: 'form',
        explode: true,
        schema: { type: 'array', items: ref('Color'), default: ['red'] },
      },
      {
        name: 'sizes',
        in: 'query',
        required: false,
        description: 'One text is taken too, its items parted by `,`.',
        style: 'form',
        explode: false,
        schema: { type: 'array', items: { type: 'string' } },
      },
      { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
      { $ref: '#/components/parameters/ApiVersion' },
    ]);
    expect(component('Color')).toEqual({ type: 'string', enum: ['red', 'dark_blue'], description: 'How it looks.' });
  });

  test('has its body, with required, nullable and recursive properties', () => {
    expect(described('put', '/kept/{id}').requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['text'],
            properties: {
              keep: { anyOf: [ref('Keep'), { type: 'null' }], description: 'What to keep.' },
              text: { type: 'string' },
              color: { anyOf: [ref('Color'), { type: 'null' }], default: 'red' },
            },
          },
        },
      },
    });
    expect(described('delete', '/kept').requestBody).toMatchObject({ required: false });
    expect(component('Keep')).toMatchObject({
      type: 'object',
      description: 'What is kept of a thing.',
      required: ['name'],
      properties: {
        name: { type: 'string', description: 'Its name.' },
        inner: { anyOf: [ref('Keep'), { type: 'null' }] },
      },
    });
  });

  test('names the rest of a path like any other parameter', () => {
    expect(described('get', '/tree/{path}').parameters).toEqual([
      { name: 'path', in: 'path', required: true, schema: { type: 'string' } },
      { $ref: '#/components/parameters/ApiVersion' },
    ]);
  });

  test('has the errors of its product, with their schemas', () => {
    const { responses } = described('put', '/kept/{id}');
    for (const status of [400, 401, 403, 404, 422, 429, 500, 503]) {
      const shape = { 422: 'ValidationError', 503: 'ServiceUnavailable' }[status] ?? 'BasicError';
      const { $ref = '' } = responses[status] as { $ref?: string };
      const shared = (document.components as { responses: Described['responses'] }).responses;
      const schema = shared[$ref.replace('#/components/responses/', '')]?.content?.['application/json'].schema;
      expect([status, schema]).toEqual([status, ref(shape)]);
    }
  });
});

describe('an answer', () => {
  test("made of a fragment is a component, and nullability is the graph's", () => {
    expect(component('Small')).toEqual({
      type: 'object',
      description: 'A thing.',
      properties: {
        id: expect.objectContaining({ type: 'integer', description: 'Its number.' }),
        name: { type: 'string' },
        note: { type: 'string' },
      },
      required: ['id', 'name'],
    });
    expect(schemaOf('get', '/nullable', 200)).toEqual({ anyOf: [ref('Small'), { type: 'null' }] });
    expect(schemaOf('get', '/color', 200)).toEqual({ anyOf: [ref('Color'), { type: 'null' }] });
  });

  test('that is a list has items, nullable as in the graph', () => {
    expect(schemaOf('get', '/eithers', 200)).toEqual({
      type: 'array',
      items: { anyOf: [ref('EitherShape'), { type: 'null' }] },
    });
  });

  test('has header fields as headers and not in its schema', () => {
    const { headers } = described('get', '/things/{id}').responses[200] ?? {};
    expect(Object.keys(headers ?? {}).sort()).toEqual([
      'ETag',
      'X-Color',
      'X-Host-Api-Version-Selected',
      'X-Host-Media-Type',
      'X-Host-Request-Id',
      'X-Number',
    ]);
    expect(JSON.stringify(schemaOf('get', '/things/{id}', 200))).not.toContain('number');
    expect(described('put', '/kept/{id}').responses[201]?.headers).toHaveProperty('Location');
  });

  test('of several outcomes has the status of each, including responders and empty ones', () => {
    const { responses } = described('put', '/kept/{id}');
    expect(Object.keys(responses).filter(status => Number(status) < 400)).toEqual(['200', '201', '204', '307']);
    expect(responses[204]?.content).toBeUndefined();
    expect(responses[307]).toEqual({ description: 'Elsewhere.' });
    expect(described('delete', '/kept').responses[204]?.content).toBeUndefined();
  });

  test('of a page is the envelope, or has the header', () => {
    const paths = paged.document().paths as Record<string, { get: Described }>;
    const count = paths['/things/']?.get.responses[200];
    expect(count?.content?.['application/json'].schema).toMatchObject({
      required: ['count', 'next', 'previous', 'results'],
      properties: { results: { type: 'array' } },
    });
    expect(count?.headers).toBeUndefined();
    expect(paths['/linked/']?.get.responses[200]?.headers).toHaveProperty('Link');
  });
});

test('A selection that is the same for all types of an interface has the schema of the interface', () => {
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
  const name = { type: 'string', description: 'Who it is.' };
  expect(schemas.Face).toEqual({ type: 'object', properties: { name, first: name }, required: ['name', 'first'] });
  expect(schemas.NamedShape).toHaveProperty('anyOf');
  const face = (document.paths as Record<string, { get: Described }>)['/face']?.get;
  expect(face?.responses[200]?.content?.['application/json'].schema).toEqual({ $ref: '#/components/schemas/Face' });
});

describe('responses conform to the document, without further keys', () => {
  const published = new PublishedSchema(document);
  const text = fc.string();
  const made = fc.letrec(tie => ({
    thing: fc.record({
      id: fc.maxSafeInteger(),
      name: text,
      note: fc.option(text),
      color: fc.option(fc.constantFrom('RED', 'DARK_BLUE')),
      colors: fc.option(fc.array(fc.constantFrom('RED', 'DARK_BLUE'))),
      flags: fc.array(fc.option(fc.boolean())),
      ratio: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      at: fc.option(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })),
      anything: fc.option(fc.jsonValue()),
      level: fc.option(fc.constantFrom('low', 'high')),
      inner: fc.option(tie('thing'), { maxDepth: 2 }),
      list: fc.option(fc.array(tie('thing'), { maxLength: 2, depthIdentifier: 'list' }), { maxDepth: 2 }),
      matrix: fc.option(fc.array(fc.option(fc.array(fc.integer({ min: -5, max: 5 }))))),
      named: fc.option(
        fc.constantFrom({ __typename: 'Other', name: 'o' }, { __typename: 'Thing', name: 't', id: 1, note: null }),
      ),
      either: fc.option(
        fc.constantFrom({ __typename: 'Other', other: null }, { __typename: 'Thing', name: 't', id: 1, note: 'n' }),
      ),
      eithers: fc.constant([{ __typename: 'Other', name: 'o' }]),
    }),
  })).thing as fc.Arbitrary<Record<string, unknown>>;

  test('for generated data', async () => {
    await fc.assert(
      fc.asyncProperty(made, async one => {
        thing = one;
        for (const path of ['/things', '/named', '/face', '/nullable', '/either', '/eithers', '/color', '/things/1']) {
          const { status, json } = await facade.request(path);
          const documented = path.replace('/1', '/{id}');
          expect([path, status, published.problems('GET', documented, status, json)]).toEqual([path, 200, []]);
        }
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  test('for null, for each outcome and for errors', async () => {
    thing = null;
    for (const path of ['/things', '/nullable', '/eithers', '/color', '/things/1', '/things/x', '/tree/a']) {
      const { status, json } = await facade.request(path);
      const documented = path.replace(/\/(1|x)$/, '/{id}').replace('/a', '/{path}');
      expect([path, published.problems('GET', documented, status, json)]).toEqual([path, []]);
    }
    for (const [how, status] of [
      ['Thing', 201],
      ['Other', 200],
      ['', 200],
      ['7', 500],
    ] as const) {
      const answer = await facade.send('PUT', '/kept/1', { text: how });
      expect([how, answer.status, published.problems('PUT', '/kept/{id}', answer.status, answer.json)]).toEqual([
        how,
        status,
        [],
      ]);
    }
    expect(facade.takeDefects()).toHaveLength(1);
    for (const body of [{}, { text: 1 }, []]) {
      const answer = await facade.send('PUT', '/kept/1', body);
      expect(published.problems('PUT', '/kept/{id}', answer.status, answer.json)).toEqual([]);
    }
    const pages = new PublishedSchema(paged.document());
    for (const search of ['', '?page=2', '?page=9']) {
      const answer = await paged.request(`/api/v1/things/${search}`);
      expect([search, pages.problems('GET', '/things/', answer.status, answer.json)]).toEqual([search, []]);
    }
  });
});
