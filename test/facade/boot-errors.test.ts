import { describe, expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { bootError, bootTestFacade } from './test-facade.ts';

const sdl = `
  enum Color { RED }
  input Filter { name: String }
  interface Named { name: String }
  type Thing implements Named { id: Int!, name: String, inner: Thing, list: [Thing!] }
  type Other implements Named { name: String }
  union Either = Thing | Other
  type PageInfo { page: Int!, last: Int!, total: Int! }
  type Things { nodes: [Thing!]!, pageInfo: PageInfo! }
  type Query { thing(id: Int, filter: Filter, color: Color, needed: Int! = 1): Thing, things: Things, either: Either }
  type Mutation { make(name: String): Thing }
  type Subscription { thing: Thing }`;
const graph = buildTestSchema(sdl);
const fine = `query Fine($id: Int!) @rest(method: GET, path: "/things/{id}/") { thing(id: $id) @body { id } }`;
/** The boot error of a facade with one valid operation and one other. */
const error = (text: string): string =>
  bootError({ graph, operations: { 'things/fine.graphql': fine, 'things/other.graphql': text } });

test('a valid operation boots', () => {
  expect(bootTestFacade({ graph, operations: { 'things/fine.graphql': fine } }).facade.endpoints).toHaveLength(1);
  expect(bootTestFacade({ graph, operations: {} }).facade.endpoints).toHaveLength(0);
});

describe('the message names the file, the line and the reason', () => {
  const get = (variables: string, path: string, field: string) =>
    `query Other${variables} @rest(method: GET, path: "${path}") { ${field} }`;
  /** The line is 1, unless the reason begins with another. */
  const reasons: [what: string, text: string, reason: string][] = [
    [
      'a syntax error',
      'query Other @rest(method: GET, path: "/x/") {\n  thing @body { id\n}',
      '3: Syntax Error: Expected Name, found <EOF>.',
    ],
    [
      'a form that nobody has to ask for, without a default',
      get('($needed: Int! @negotiated(on: MEDIA_TYPE))', '/x/', 'thing(needed: $needed) @body { id }'),
      '$needed is negotiated by Accept and needs a default.',
    ],
    [
      'an agreement in a path',
      get('($id: Int @negotiated(on: VERSION))', '/x/{id}/', 'thing(id: $id) @body { id }'),
      'The path parameter {id} is not a variable.',
    ],
    [
      'a depth of pages that are told in the body',
      get('', '/x/', 'things { nodes @body { id } pageInfo @page(style: COUNT, maxEntries: 9) { page last total } }'),
      'maxEntries is only supported with style: LINK.',
    ],
    ['an empty file', '', 'Syntax Error: Unexpected <EOF>.'],
    [
      'an unknown field',
      get('', '/x/', '\n thing @body { id colour }'),
      '2: Cannot query field "colour" on type "Thing".',
    ],
    [
      'an unknown argument',
      get('', '/x/', 'thing(name: 1) @body { id }'),
      'Unknown argument "name" on field "Query.thing".',
    ],
    [
      'an unknown type',
      get('($id: Number)', '/x/', 'thing(id: $id) @body { id }'),
      'Unknown type "Number". Did you mean "Named"?',
    ],
    [
      'a variable of the wrong type',
      get('($id: String)', '/x/', 'thing(id: $id) @body { id }'),
      'Variable "$id" of type "String" used in position expecting type "Int".',
    ],
    [
      'a variable that is never used',
      get('($id: Int)', '/x/', 'thing @body { id }'),
      'Variable "$id" is never used in operation "Other".',
    ],
    [
      'an unknown variable',
      get('', '/x/', 'thing(id: $id) @body { id }'),
      'Variable "$id" is not defined by operation "Other".',
    ],
    [
      'the published spelling of an enum',
      get('', '/x/', 'thing(color: red) @body { id }'),
      'Value "red" does not exist in "Color" enum. Did you mean the enum value "RED"?',
    ],
    [
      'an object without a selection',
      get('', '/x/', 'thing @body'),
      'Field "thing" of type "Thing" must have a selection of subfields. Did you mean "thing { ... }"?',
    ],
    ['an unknown directive', get('', '/x/', 'thing @body { id @omit }'), 'Unknown directive "@omit".'],
    [
      'a directive at the wrong place',
      get('', '/x/', 'thing { id @status(code: 201) @body }'),
      'Directive "@status" may not be used on FIELD.',
    ],
    ['an unknown fragment', get('', '/x/', 'thing @body { ...Nothing }'), 'Unknown fragment "Nothing".'],
    ['no @rest', 'query Other { thing @body { id } }', 'The operation needs @rest(method, path).'],
    [
      '@rest without a path',
      'query Other @rest(method: GET) { thing @body { id } }',
      'Directive "@rest" argument "path" of type "String!" is required, but it was not provided.',
    ],
    [
      'an unknown method',
      'query Other @rest(method: HEAD, path: "/x/") { thing @body { id } }',
      'Value "HEAD" does not exist in "RestMethod" enum.',
    ],
    [
      '@rest with a status that is none',
      'query Other @rest(method: GET, path: "/x/", status: 100) { thing @body { id } }',
      '100 is not a valid response status.',
    ],
    [
      '@status with a status that is none',
      get('', '/x/', 'either @body { ... on Thing @status(code: 1000) { id } }'),
      '1000 is not a valid response status.',
    ],
    ['two @body', get('', '/x/', 'thing @body { id } other: thing @body { id }'), 'An operation must have one @body.'],
    [
      '@body inside of @body',
      get('', '/x/', 'thing @body { inner @body { id } }'),
      '@body and @found cannot be inside @body.',
    ],
    [
      '@body in a list',
      get('', '/x/', 'things { nodes { inner @body { id } } }'),
      '@body, @page and @found cannot be inside a list.',
    ],
    [
      'no @body',
      get('', '/x/', 'thing { id }'),
      'The response has no body: mark one field with @body, or set status: 204.',
    ],
    [
      '@body and 204',
      'mutation Other @rest(method: POST, path: "/x/", status: 204) { make @body { id } }',
      '204 has no body, but a field is marked with @body.',
    ],
    [
      '@page without what COUNT needs',
      get('', '/x/', 'things { nodes @body { id } pageInfo @page(style: COUNT) { page } }'),
      '@page(style: COUNT) needs last, total selected.',
    ],
    [
      '@page without what LINK needs',
      get('', '/x/', 'things { nodes @body { id } pageInfo @page(style: LINK) { number: page last } }'),
      '@page(style: LINK) needs page selected.',
    ],
    [
      '@page without what CURSOR needs',
      get('', '/x/', 'things { nodes @body { id } pageInfo @page(style: CURSOR) { page } }'),
      '@page(style: CURSOR) needs nextCursor, previousCursor selected.',
    ],
    [
      'two @page',
      get(
        '',
        '/x/',
        'things { nodes @body { id } pageInfo @page(style: LINK) { page last } a: pageInfo @page(style: LINK) { page last } }',
      ),
      'An operation can have one @page only.',
    ],
    [
      '@header with a name that is none',
      get('', '/x/', 'thing @body { id @header(name: "X Y") }'),
      '«X Y» is not a valid header name.',
    ],
    [
      '@header on an object',
      get('', '/x/', 'thing @body { id inner @header(name: "X") { id } }'),
      'An object cannot be the header X.',
    ],
    [
      '@header in a list',
      get('', '/x/', 'thing @body { list { id @header(name: "X") } }'),
      'The header X is inside a list and would have several values.',
    ],
    [
      '@omitNull in one place only',
      get('', '/x/', 'thing @body { name @omitNull ... on Named { name } }'),
      'name is selected with @omitNull and without.',
    ],
    [
      'a directive that depends on a variable',
      get('($null: Boolean!)', '/x/', 'thing @body(nullable: $null) { id }'),
      '@body cannot depend on a variable.',
    ],
    [
      'a mutation as GET',
      'mutation Other @rest(method: GET, path: "/x/") { make @body { id } }',
      'A mutation cannot be a GET.',
    ],
    [
      'a query as POST',
      'query Other @rest(method: POST, path: "/x/") { thing @body { id } }',
      'A query cannot be a POST.',
    ],
    ['a subscription', 'subscription Other { thing { id } }', 'The operation needs @rest(method, path).'],
    [
      'a variable of the path that is missing',
      get('', '/x/{id}/', 'thing @body { id }'),
      'The path parameter {id} is not a variable.',
    ],
    [
      'a variable of the path that is nullable',
      get('($id: Int)', '/x/{id}/', 'thing(id: $id) @body { id }'),
      '$id is a path parameter and must be non-null without a default.',
    ],
    [
      'a variable of the path that has a default',
      get('($id: Int! = 1)', '/x/{id}/', 'thing(id: $id) @body { id }'),
      '$id is a path parameter and must be non-null without a default.',
    ],
    [
      'a variable of the path that is an object',
      get('($f: Filter!)', '/x/{f}/', 'thing(filter: $f) @body { id }'),
      '$f is a path parameter and must be a scalar or an enum.',
    ],
    [
      'an object in a query string',
      get('($f: Filter)', '/x/', 'thing(filter: $f) @body { id }'),
      '$f is an object, and a GET has no body.',
    ],
    ['a path without a slash in front', get('', 'x/', 'thing @body { id }'), 'The path x/ must start with a slash.'],
    ['an empty segment', get('', '/x//y/', 'thing @body { id }'), 'The path /x//y/ is malformed at «».'],
    [
      'a segment that is partly a name',
      get('', '/x-{id}/', 'thing @body { id }'),
      'The path parameter {id} is not a variable.',
    ],
    [
      'a segment that is partly a name, with its variable',
      get('($id: Int!)', '/x-{id}/', 'thing(id: $id) @body { id }'),
      'The path /x-{id}/ is malformed at «x-{id}».',
    ],
    ['a brace that is not closed', get('', '/{id/', 'thing @body { id }'), 'The path /{id/ is malformed at «{id».'],
    ['a space in a path', get('', '/a b/', 'thing @body { id }'), 'The path /a b/ is malformed at «a b».'],
    ['a query in a path', get('', '/a?b=1', 'thing @body { id }'), 'The path /a?b=1 is malformed at «a?b=1».'],
    [
      'a rest of the path that is not the last',
      get('($id: Int!)', '/{+id}/x/', 'thing(id: $id) @body { id }'),
      '{+id} must be the last segment of /{+id}/x/.',
    ],
    [
      'a name twice in a path',
      get('($id: Int!)', '/{id}/{id}/', 'thing(id: $id) @body { id }'),
      'The path /{id}/{id}/ names {id} twice.',
    ],
    [
      'two operations',
      `${get('', '/x/', 'thing @body { id }')} ${get('', '/y/', 'thing @body { id }').replace('Other', 'Another')}`,
      'A file must contain exactly one operation.',
    ],
    [
      'an anonymous operation',
      'query @rest(method: GET, path: "/x/") { thing @body { id } }',
      'The operation needs a name.',
    ],
    [
      'a type',
      'type Extra { id: Int } query Other @rest(method: GET, path: "/x/") { thing @body { id } }',
      'A file must contain one operation, or fragments only; types belong to the graph.',
    ],
    [
      'the name of another operation',
      get('', '/x/', 'thing @body { id }').replace('Other', 'Fine'),
      'test/things/fine.graphql has an operation named Fine too.',
    ],
    [
      'a fragment named like an enum',
      'fragment Color on Thing { id }',
      'The fragment Color needs another name: Color has it.',
    ],
    [
      'a fragment named like an error schema',
      'fragment Detail on Thing { id }',
      'The fragment Detail needs another name: an error schema has it.',
    ],
    [
      'the path of another operation',
      get('($id: Int!)', '/things/{id}/', 'thing(id: $id) @body { id }'),
      'GET /things/{id}/ is already served by test/things/fine.graphql.',
    ],
    [
      'the path of another operation with another name',
      'mutation Other($x: String!) @rest(method: PUT, path: "/things/{x}/") { make(name: $x) @body { id } }',
      '/things/{x}/ and /things/{id}/ differ only in parameter names; use the same names.',
    ],
  ];
  test.each(reasons)('%s', (_, text, reason) => {
    expect(error(text)).toBe(`test/things/other.graphql:${/^\d+: /.test(reason) ? '' : '1: '}${reason}`);
  });

  test('a duplicate fragment', () => {
    const operations = {
      'a/one.graphql': 'fragment Same on Thing { id }',
      'b/two.graphql': 'fragment Same on Thing { name }',
    };
    expect(bootError({ graph, operations })).toBe('test/b/two.graphql:1: The fragment Same is declared twice.');
  });

  test('an error in a fragment names the file of the fragment', () => {
    const operations = {
      'a/shapes.graphql': 'fragment Shape on Thing {\n  id\n  colour\n}',
      'b/get.graphql': 'query Get @rest(method: GET, path: "/x/") { thing @body { ...Shape } }',
    };
    expect(bootError({ graph, operations })).toBe(
      'test/a/shapes.graphql:3: Cannot query field "colour" on type "Thing".',
    );
  });

  test('recursive fragments', () => {
    const operations = {
      'a/shapes.graphql': 'fragment A on Thing { inner { ...B } } fragment B on Thing { inner { ...A } }',
      'b/get.graphql': 'query Get @rest(method: GET, path: "/x/") { thing @body { ...A } }',
    };
    expect(bootError({ graph, operations })).toContain('Cannot spread fragment "A" within itself via "B".');
  });
});

describe('the message has a line for each problem', () => {
  const get = (name: string, body: string) => `query ${name} @rest(method: GET, path: "/${name}/") {\n  ${body}\n}`;

  test('of several files', () => {
    const operations = {
      'a/syntax.graphql': 'query Open @rest(method: GET, path: "/x/") {',
      'b/field.graphql': get('Field', 'thing @body { id colour }'),
      'c/plan.graphql': get('Plan', 'thing { id }'),
      'd/path.graphql': get('Path', 'thing @body { id }').replace('/Path/', '/a b/'),
      'e/fine.graphql': fine,
      'f/same-path.graphql': fine.replace('Fine', 'Same'),
      'g/same-name.graphql': get('Fine', 'thing @body { id }'),
    };
    expect(bootError({ graph, operations }).split('\n')).toEqual([
      'test/a/syntax.graphql:1: Syntax Error: Expected Name, found <EOF>.',
      'test/b/field.graphql:2: Cannot query field "colour" on type "Thing".',
      'test/c/plan.graphql:1: The response has no body: mark one field with @body, or set status: 204.',
      'test/d/path.graphql:1: The path /a b/ is malformed at «a b».',
      'test/f/same-path.graphql:1: GET /things/{id}/ is already served by test/e/fine.graphql.',
      'test/g/same-name.graphql:1: test/e/fine.graphql has an operation named Fine too.',
    ]);
  });

  test('of one file', () => {
    const invalid = get('Invalid', 'thing(name: 1) @body {\n    colour\n    size\n  }');
    const contradicting = `query Contradicting(
  $f: Filter
  $id: Int
) @rest(method: GET, path: "/x/{id}/", status: 99) {
  thing(id: $id, filter: $f) @body {
    id @header(name: "X Y")
    list { name @header(name: "X") }
  }
}`;
    const operations = { 'a/invalid.graphql': invalid, 'b/contradicting.graphql': contradicting };
    expect(bootError({ graph, operations }).split('\n')).toEqual([
      'test/a/invalid.graphql:2: Unknown argument "name" on field "Query.thing".',
      'test/a/invalid.graphql:3: Cannot query field "colour" on type "Thing".',
      'test/a/invalid.graphql:4: Cannot query field "size" on type "Thing".',
      'test/b/contradicting.graphql:2: $f is an object, and a GET has no body.',
      'test/b/contradicting.graphql:3: $id is a path parameter and must be non-null without a default.',
      'test/b/contradicting.graphql:4: 99 is not a valid response status.',
    ]);
    const priced = (args: string) => get('Priced', 'thing @body { id }').replace('path:', `${args}, path:`);
    for (const [args, message] of [
      ['points: 3', 'points and pointsReason must both be set.'],
      ['pointsReason: "It is large."', 'points and pointsReason must both be set.'],
      ['points: -1, pointsReason: "It is free."', 'points must not be negative.'],
    ] as const) {
      expect(bootError({ graph, operations: { 'c/priced.graphql': priced(args) } })).toBe(
        `test/c/priced.graphql:1: ${message}`,
      );
    }
    const marked = contradicting.replace('$f: Filter', '').replace(', filter: $f', '').replace('$id: Int', '$id: Int!');
    expect(bootError({ graph, operations: { 'b/marked.graphql': marked.replace('99', '200') } }).split('\n')).toEqual([
      'test/b/marked.graphql:6: «X Y» is not a valid header name.',
      'test/b/marked.graphql:7: The header X is inside a list and would have several values.',
    ]);
  });

  test('of a fragment, once for all operations that spread it', () => {
    const operations = {
      'a/shapes.graphql': 'fragment Shape on Thing { colour }',
      'b/one.graphql': get('One', 'thing @body { ...Shape }'),
      'b/two.graphql': get('Two', 'thing @body { ...Shape }'),
    };
    expect(bootError({ graph, operations })).toBe(
      'test/a/shapes.graphql:1: Cannot query field "colour" on type "Thing".',
    );
  });

  test('and none for fragments of a file that cannot be parsed', () => {
    const operations = {
      'a/shapes.graphql': 'fragment Shape on Thing { id',
      'b/one.graphql': get('One', 'thing @body { ...Shape }'),
      'b/two.graphql': get('Two', 'thing @body { ...Shape colour }'),
    };
    expect(bootError({ graph, operations }).split('\n')).toEqual([
      'test/a/shapes.graphql:1: Syntax Error: Expected Name, found <EOF>.',
      'test/b/two.graphql:2: Cannot query field "colour" on type "Thing".',
    ]);
  });

  test('also of fragments that no operation spreads', () => {
    expect(bootError({ graph, operations: { 'a/shapes.graphql': 'fragment Shape on Thing { colour }' } })).toBe(
      'test/a/shapes.graphql:1: Cannot query field "colour" on type "Thing".',
    );
  });
});

test('an enum whose values differ only in case cannot be published', () => {
  expect(
    bootError({ graph: buildTestSchema('enum Mood { GOOD good } type Query { mood: Mood }'), operations: {} }),
  ).toContain('Mood');
});
