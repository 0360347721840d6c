import { describe, expect, test } from '@jest/globals';
import {
  buildSchema,
  type DocumentNode,
  extendSchema,
  type FieldNode,
  type GraphQLField,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  getIntrospectionQuery,
  getVariableValues,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { measureVariables } from '../../src/limits/query-inputs.ts';
import {
  defaultQueryLimits,
  parserOptions,
  type QueryLimits,
  queryLimitErrors,
} from '../../src/limits/query-limits.ts';
import { measureQuery, type QueryMeasure } from '../../src/limits/query-measure.ts';
import { bareGraphqlServer } from '../harness/bare-graphql-server.ts';

const schema = buildSchema(/* GraphQL */ `
  interface Named { name: String! }
  union Found = Repo | User
  enum Order { ASC DESC }
  input Filter { ids: [ID!], and: [Filter!], not: Filter, order: Order }
  type Query {
    viewer: User
    repo(name: String): Repo
    repos(first: Int! = 20, page: Int! = 1, filter: Filter): RepoConnection!
    search(first: Int! = 20): FoundConnection!
    anything: Found
    named: Named
    anyPage(first: Int = 20): AnyConnection
    optional(first: Int = 20): RepoConnection!
    undefaulted(first: Int): RepoConnection!
    unsliced: RepoConnection!
    all: [Repo!]!
    few: [Repo!]!
    grid: [[Repo!]!]!
    latest(first: Int! = 3): [Repo!]!
    box(first: Int! = 20): Box!
    bigPage(first: Int! = 20): BigConnection!
  }
  type Mutation { touch(name: String): Touched }
  type Touched { repo: Repo, query: Query }
  union AnyConnection = RepoConnection | IssueConnection
  type RepoConnection { nodes: [Repo!]!, edges: [RepoEdge!]!, facets: [Facet!]!, pageInfo: PageInfo! }
  type Box { nodes: [Repo!]! }
  type BigConnection { nodes(first: Int! = 5): [Repo!]!, edges: [RepoEdge!]! }
  type RepoEdge { node: Repo! }
  type Facet { word: String }
  type IssueConnection { nodes: [Issue!]!, pageInfo: PageInfo! }
  type FoundConnection { nodes: [Found!]! }
  type PageInfo { hasNext: Boolean! }
  type Repo implements Named {
    name: String!
    topics: [String!]!
    owner: User!
    parent: Repo
    issues(first: Int! = 20, state: String): IssueConnection!
    query: Query
  }
  type Issue { title: String!, author: User!, labels(first: Int! = 20): IssueConnection! }
  type User implements Named { name: String!, login: String!, repos(first: Int! = 20): RepoConnection! }
`);
stateSize(schema.getQueryType()?.getFields().few, 3);
const bigPage = schema.getType('BigConnection');
if (isObjectType(bigPage)) stateSize(bigPage.getFields().edges, 500);

function stateSize(field: GraphQLField<unknown, unknown> | undefined, listSize: number): void {
  if (field === undefined) throw new Error('the field is in the schema above');
  field.extensions = { listSize };
}

function measure(query: string | DocumentNode, variables: Record<string, unknown> = {}, name?: string): QueryMeasure {
  const document = typeof query === 'string' ? parse(query) : query;
  const operation = document.definitions.find(
    definition =>
      definition.kind === Kind.OPERATION_DEFINITION && (name === undefined || definition.name?.value === name),
  );
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return measureQuery(schema, document, name, {});
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (coerced === undefined) throw errors?.[0];
  return measureQuery(schema, document, name, coerced);
}

const cost = (query: string, variables?: Record<string, unknown>): number => measure(query, variables).cost;

const codes = (found: Partial<QueryMeasure>, limits: QueryLimits = defaultQueryLimits): unknown[] =>
  queryLimitErrors(found, limits).map(error => error.extensions.code);

const some = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => each(i)).join(' ');

describe('pages', () => {
  const pages = (query: string) => measure(query).databaseUnits;

  test('are counted once for every object that has one', () => {
    expect(pages('{ viewer { login } }')).toBe(0);
    expect(pages('{ viewer { repos(first: 30) { nodes { name } } } }')).toBe(1);
    expect(
      pages('{ repos(first: 30) { nodes { issues(first: 50) { nodes { labels(first: 9) { nodes { title } } } } } } }'),
    ).toBe(1 + 30 + 30 * 50);
    expect(
      pages('{ a: repos(first: 2) { nodes { issues { nodes { title } } } } b: repos(first: 3) { nodes { name } } }'),
    ).toBe(1 + 2 + 1);
  });
});

describe('cost', () => {
  test('an object costs 1 and a scalar 0', () => {
    expect(cost('{ __typename }')).toBe(0);
    expect(cost('{ viewer { login name } }')).toBe(1);
    expect(cost('{ repo { owner { login } parent { parent { name topics } } } }')).toBe(4);
  });

  test('a page multiplies only the cost below its nodes and edges', () => {
    expect(cost('{ repos(first: 7) { nodes { name } } }')).toBe(1 + 7);
    expect(cost('{ repos(first: 7) { nodes { owner { name } } pageInfo { hasNext } } }')).toBe(1 + 7 * 2 + 1);
    expect(cost('{ repos(first: 7) { edges { node { name } } } }')).toBe(1 + 7 * 2);
    expect(cost('{ repos(first: 7) { pageInfo { hasNext } } }')).toBe(2);
    expect(cost('{ repos(first: 7) { facets { word } } }')).toBe(1 + 100);
  });

  test('the example in the documentation', () => {
    expect(cost('{ viewer { repos(first: 30) { nodes { name issues(first: 30) { nodes { title } } } } } }')).toBe(962);
  });

  test.each([
    ['a literal', '{ repos(first: 7) { nodes { name } } }', {}, 7],
    ['the default of the argument', '{ repos { nodes { name } } }', {}, 20],
    ['a variable', 'query ($n: Int!) { repos(first: $n) { nodes { name } } }', { n: 8 }, 8],
    ['the default of the variable', 'query ($n: Int! = 9) { repos(first: $n) { nodes { name } } }', {}, 9],
    [
      'a variable that overrides its default',
      'query ($n: Int! = 1) { repos(first: $n) { nodes { name } } }',
      { n: 90 },
      90,
    ],
    ['an absent variable: the argument’s default', 'query ($n: Int) { repos(first: $n) { nodes { name } } }', {}, 20],
    ['a null literal', '{ optional(first: null) { nodes { name } } }', {}, 100],
    ['a null variable', 'query ($n: Int) { optional(first: $n) { nodes { name } } }', { n: null }, 100],
    ['a null default of the variable', 'query ($n: Int = null) { optional(first: $n) { nodes { name } } }', {}, 100],
    ['an omitted argument without default', '{ undefaulted { nodes { name } } }', {}, 100],
    ['a page without a size argument', '{ unsliced { nodes { name } } }', {}, 100],
    ['zero', '{ repos(first: 0) { nodes { name } } }', {}, 1],
    ['a negative size', '{ repos(first: -100) { nodes { name } } }', {}, 1],
    ['more than the maximum page size', '{ repos(first: 2147483647) { nodes { name } } }', {}, 2147483647],
  ])('the size of a page is %s', (_, query, variables, size) => {
    expect(cost(query, variables)).toBe(1 + size);
  });

  test('a size that is not a number or is given twice is read as by the executor', () => {
    expect(cost('{ repos(first: "7") { nodes { name } } }')).toBe(1 + 100);
    expect(cost('{ repos(first: 1, first: 90) { nodes { name } } }')).toBe(1 + 90);
  });

  test('inherited properties of the variables object are not variables', () => {
    const document = parse(
      'query ($constructor: Int, $__proto__: Filter) { repos(first: $constructor) { nodes { name } } }',
    );
    expect(measureQuery(schema, document, undefined, {}).cost).toBe(1 + 20);
    expect(measureQuery(schema, document, undefined, Object.create({ constructor: 90 })).cost).toBe(1 + 20);
  });

  test('a plain list has its declared length, by default 100', () => {
    expect(cost('{ all { name } }')).toBe(100);
    expect(cost('{ few { name } }')).toBe(3);
    expect(cost('{ latest { name } }')).toBe(3);
    expect(cost('{ latest(first: 9) { name } }')).toBe(9);
    expect(cost('{ grid { name } }')).toBe(100 * 100);
  });

  test('the size of a page applies only to its items, and their own sizes take precedence', () => {
    expect(cost('{ box(first: 1) { nodes { name } } }')).toBe(1 + 100);
    expect(cost('{ bigPage(first: 1) { nodes { name } edges { node { name } } } }')).toBe(1 + 5 + 500 * 2);
    expect(cost('{ bigPage(first: 1) { nodes(first: 9) { name } } }')).toBe(1 + 9);
  });

  test('an interface or union costs as much as its most expensive type', () => {
    expect(
      cost(
        '{ anything { ... on Repo { owner { name } parent { name } } ... on User { repos(first: 5) { nodes { name } } } } }',
      ),
    ).toBe(1 + 6);
    expect(
      cost('{ anything { ... on Repo { owner { name } } ... on Named { ... on Repo { parent { name } } } } }'),
    ).toBe(1 + 2);
    expect(
      cost('{ search(first: 10) { nodes { ... on Named { ... on User { repos(first: 5) { nodes { name } } } } } } }'),
    ).toBe(1 + 10 * (1 + 6));
    expect(
      cost(
        '{ anyPage(first: 9) { ... on RepoConnection { nodes { owner { name } } } ... on IssueConnection { nodes { title } } } }',
      ),
    ).toBe(1 + 9 * 2);
  });

  test('a fragment on an interface or union without the type costs nothing', () => {
    expect(cost('{ repo { ... on AnyConnection { ... on Repo { owner { name } } } } }')).toBe(1);
    expect(cost('{ repo { ... on Found { ... on Repo { owner { name } } } } }')).toBe(2);
  });

  test('selections excluded by @skip and @include cost nothing', () => {
    const query =
      'query ($yes: Boolean!, $no: Boolean = false) { a: viewer @include(if: $no) { name } b: viewer @skip(if: $yes) { name } ...@skip(if: true) { viewer { name } } ...F @include(if: false) } fragment F on Query { viewer { name } }';
    expect(measure(query, { yes: true })).toMatchObject({ cost: 0, fields: 0, aliases: 0, directives: 4 });
    expect(measure(query, { yes: false, no: true })).toMatchObject({ cost: 2, fields: 4, aliases: 2 });
  });

  test('an unknown condition counts as true, and the first of several applies', () => {
    expect(
      measureQuery(schema, parse('query ($x: Boolean!) { viewer @include(if: $x) { name } }'), undefined, {}).cost,
    ).toBe(1);
    expect(cost('{ viewer @skip { name } }')).toBe(1);
    expect(cost('{ viewer @skip(if: false) @skip(if: true) { name } }')).toBe(1);
    expect(cost('{ viewer @skip(if: true) @skip(if: false) { name } }')).toBe(0);
  });
});

describe('the other measures', () => {
  test('depth, fields, aliases, directives, root fields', () => {
    expect(
      measure(
        'query Q @a { x: viewer { name ...F @b } ...G } fragment F on User @c { y: repos { nodes { z: name } } } fragment G on Query { repo { name } all { name } }',
      ),
    ).toMatchObject({
      depth: 4,
      fields: 9,
      aliases: 3,
      directives: 3,
      rootFields: 3,
    });
  });

  test('a fragment first seen near the root has its full depth further down', () => {
    const shallowFirst =
      '{ ...F repo { parent { parent { query { ...F } } } } } fragment F on Query { repo { parent { name } } }';
    expect(measure(shallowFirst).depth).toBe(4 + 3);
    expect(
      measure(shallowFirst.replace('{ ...F repo', '{ repo').replace(/^\{(.*?)\} fragment/, '{$1 ...F } fragment'))
        .depth,
    ).toBe(7);
  });

  test('only the selected operation is measured', () => {
    const two = 'query A { repos(first: 100) { nodes { name } } } query B { viewer { name } }';
    expect(measure(two, {}, 'A').cost).toBe(101);
    expect(measure(two, {}, 'B').cost).toBe(1);
    expect(measure(two).cost).toBe(0);
    expect(measure(two, {}, 'C').fields).toBe(0);
    // Validation rejects two operations of one name; the executor would run the last.
    expect(measureQuery(schema, parse(two.replace('B', 'A')), 'A', {}).cost).toBe(1);
    expect(measure('subscription { anything { __typename } }').fields).toBe(0);
  });

  test('lists and nesting of input, in variables and in literals', () => {
    const query =
      'query ($f: Filter, $ids: [ID!]) { a: repos(filter: $f) { pageInfo { hasNext } } b: repos(filter: { and: [{ ids: $ids }] }) { pageInfo { hasNext } } }';
    expect(measure(query)).toMatchObject({ variables: 2, listLength: 1, inputDepth: 3 });
    expect(measure(query, { ids: ['1', '2', '3'] })).toMatchObject({ variables: 2, listLength: 3, inputDepth: 4 });
    expect(measure(query, { f: { not: { not: { not: { not: { ids: [] } } } } } })).toMatchObject({ inputDepth: 6 });
    expect(
      measure(`query ($ids: [ID!] = [${some(150, String)}]) { repos(filter: {ids: $ids}) { pageInfo { hasNext } } }`)
        .listLength,
    ).toBe(150);
    expect(measure('query ($n: Int) { viewer @include(if: [[[true]]]) { name } }').inputDepth).toBe(3);
  });

  test('unknown fields and types neither hide other fields nor throw', () => {
    expect(
      measure(
        '{ nothing { viewer { name } } viewer { name { first } ...None ... on Nobody { x } ... on Order { x } } repo }',
      ),
    ).toMatchObject({ cost: 2, depth: 2, fields: 4 });
  });
});

describe('raw variables', () => {
  test('are counted, declared or not', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`v${i}`, i]));
    expect(codes(measureVariables(many))).toEqual(['QUERY_TOO_MANY_VARIABLES']);
    expect(measureVariables(undefined)).toEqual({ variables: 0, listLength: 0, inputDepth: 0 });
    expect(measureVariables([1, 2])).toEqual({ variables: 0, listLength: 0, inputDepth: 0 });
    expect(measureVariables('x')).toEqual({ variables: 0, listLength: 0, inputDepth: 0 });
  });

  test('long lists and deep values are found at every position', () => {
    expect(measureVariables({ a: { b: [{ c: new Array(1_000_000).fill(0) }] } })).toEqual({
      variables: 1,
      listLength: 1_000_000,
      inputDepth: 4,
    });
    expect(measureVariables(JSON.parse(`{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`))).toEqual({
      variables: 1,
      listLength: 1,
      inputDepth: 400_000,
    });
    expect(measureVariables(JSON.parse(`{"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`)).inputDepth).toBe(
      100_000,
    );
  });

  test('a __proto__ key is a key like any other', () => {
    const sent: unknown = JSON.parse('{"__proto__": {"__proto__": [1, 2, 3]}, "constructor": 1}');
    expect(measureVariables(sent)).toEqual({ variables: 2, listLength: 3, inputDepth: 2 });
    expect(Object.hasOwn(Object.prototype, '0')).toBe(false);
  });

  test('lists of input fields with a maximum of their own', () => {
    const changes = new GraphQLInputObjectType({
      name: 'Changes',
      fields: {
        entries: { type: new GraphQLList(GraphQLString), extensions: { maxItems: 5_000 } },
        names: { type: new GraphQLList(new GraphQLList(GraphQLString)), extensions: { maxItems: 5_000 } },
        others: { type: new GraphQLList(GraphQLString) },
      },
    });
    const types = new Map([['input', new GraphQLNonNull(changes)]]);
    const measured = (input: object) => measureVariables({ input }, types);
    const list = (length: number): string[] => new Array(length).fill('a');
    expect(codes(measured({ entries: list(5_000) }))).toEqual([]);
    const [error] = queryLimitErrors(measured({ entries: list(5_001) }), defaultQueryLimits);
    expect(error?.extensions).toMatchObject({ code: 'QUERY_LIST_TOO_LONG', measured: 5_001, allowed: 5_000 });
    expect(codes(measured({ others: list(101) }))).toEqual(['QUERY_LIST_TOO_LONG']);
    // The maximum is that of the field's list, not of lists in it.
    expect(codes(measured({ names: [list(101)] }))).toEqual(['QUERY_LIST_TOO_LONG']);
    expect(codes(measureVariables({ entries: list(101) }, types))).toEqual(['QUERY_LIST_TOO_LONG']);
  });

  test('the coerced value of a scalar counts as one value', () => {
    expect(
      measureQuery(schema, parse('{ __typename }'), undefined, { when: new Date(), bytes: Buffer.alloc(1_000) }),
    ).toMatchObject({ variables: 2, inputDepth: 0 });
  });
});

describe('introspection', () => {
  const nested = (levels: number): string =>
    `{ __schema { types { ${'fields { type { '.repeat(levels)} name ${'} } '.repeat(levels)} } } }`;

  test('the usual query passes', () => {
    const usual = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const found = measure(parse(usual, parserOptions(defaultQueryLimits)));
    expect(found).toMatchObject({ cost: 1, depth: 1, introspectionDepth: 2, introspectionAliases: 0 });
    expect(codes(found)).toEqual([]);
    expect(
      codes(
        measure(
          '{ a: __type(name: "Repo") { fields { name type { name fields { name } } } } b: __type(name: "User") { name } }',
        ),
      ),
    ).toEqual([]);
  });

  test('cycles of types and fields have a separate depth limit', () => {
    expect(measure(nested(1)).introspectionDepth).toBe(2);
    expect(codes(measure(nested(2)))).toEqual(['QUERY_INTROSPECTION_TOO_DEEP']);
    expect(codes(measure('{ __type(name: "A") { interfaces { possibleTypes { interfaces { name } } } } }'))).toEqual([
      'QUERY_INTROSPECTION_TOO_DEEP',
    ]);
  });

  test('aliases do not bypass the limit', () => {
    expect(codes(measure('{ a: __schema { types { name } } b: __schema { types { name } } }'))).toEqual([
      'QUERY_INTROSPECTION_ALIASED',
    ]);
    expect(codes(measure(`{ __schema { types { ${some(7, i => `a${i}: fields { name }`)} } } }`))).toEqual([
      'QUERY_INTROSPECTION_ALIASED',
    ]);
  });

  test('it is exempt only at the root of a query', () => {
    const free = measure('{ ...F } fragment F on Query { ... { __schema { types { kind name } } } }');
    expect(free).toMatchObject({ cost: 1, depth: 1 });
    const below = measure('{ repo { query { __schema { types { kind name } } } } }');
    expect(below).toMatchObject({ cost: 2 + 1 + 100, depth: 5 });
    expect(measure('mutation { touch { query { __schema { types { name } } } } }')).toMatchObject({
      cost: 103,
      depth: 5,
    });
    // The same fragment at the root and below it: the exemption applies only at the root.
    expect(
      measure('{ ...F repo { query { ...F } } } fragment F on Query { __schema { types { name } } }'),
    ).toMatchObject({ cost: 1 + 2 + 101, depth: 5 });
  });

  test.each(['__schema', '__type', '__typename', 'IntrospectionQuery'])(
    'a fragment, an operation or an alias named %s is not exempt',
    name => {
      const content =
        'repos(first: 100) { nodes { issues(first: 100) { nodes { author { repos(first: 100) { nodes { name } } } } } } }';
      const plain = measure(`{ ${content} }`);
      expect(codes(plain)).toContain('QUERY_TOO_EXPENSIVE');
      expect(measure(`query ${name} { ...${name} } fragment ${name} on Query { ${content} }`)).toEqual(plain);
      expect(measure(`{ ${name}: repos(first: 100) ${content.slice(content.indexOf('{'))} }`)).toEqual({
        ...plain,
        aliases: 1,
      });
    },
  );

  test('a field of that name elsewhere is not introspection', () => {
    expect(measure('{ repo { __schema { types { fields { type { fields { name } } } } } } }')).toMatchObject({
      depth: 2,
      cost: 1,
      fields: 2,
    });
    const sdl = parse('extend type Repo { __schema: Repo, types: Repo, fields: Repo }');
    const own = extendSchema(schema, sdl, { assumeValidSDL: true });
    const found = (query: string): QueryMeasure => measureQuery(own, parse(query), undefined, {});
    expect(found('{ repo { __schema { __schema { name } } } }')).toMatchObject({ depth: 4, cost: 3 });
    expect(found('{ repo { types { fields { types { a: name } } } } }')).toMatchObject({
      depth: 5,
      introspectionDepth: 0,
      introspectionAliases: 0,
    });
  });
});

describe('documents that are expensive to measure', () => {
  const doubling = (levels: number, from: (next: string) => string): string =>
    `{ repo { ...F0 } } ${some(levels, i => `fragment F${i} on Repo { ${from(`...F${i + 1}`)} }`)} fragment F${levels} on Repo { name }`;

  test('fragments that double 2,000 times are counted without expansion', () => {
    for (const [query, expected] of [
      [doubling(2_000, next => `${next} ${next}`), { cost: 1, depth: 2, fields: Number.MAX_SAFE_INTEGER }],
      [
        doubling(2_000, next => `a: parent { ${next} } b: parent { ${next} }`),
        { cost: Number.MAX_SAFE_INTEGER, depth: 2_002 },
      ],
      [
        doubling(2_000, next => `owner { repos(first: 100) { nodes { ${next} } } }`),
        { cost: Number.MAX_SAFE_INTEGER, depth: 6_002 },
      ],
    ] as const)
      expect(measure(query)).toMatchObject(expected);
  });

  test('counts below the saturation are exact', () => {
    expect(measure(doubling(50, next => `a: parent { ${next} } b: parent { ${next} }`))).toMatchObject({
      cost: 2 ** 51 - 1,
      fields: 1 + (2 ** 51 - 2) + 2 ** 50,
      aliases: 2 ** 51 - 2,
      depth: 52,
    });
  });

  test('visits grow linearly with the document', () => {
    for (const from of [
      (next: string) => `${next} ${next}`,
      (next: string) => `a: parent { ${next} } b: parent { ${next} ${next} }`,
      (next: string) =>
        `...on Named { ${next} ...on Repo { ${next} } } query { anything { ...on Repo { ${next} } ...on Named { ${next} } } }`,
    ]) {
      const [half, whole] = [200, 400].map(levels => visitsIn(parse(doubling(levels, from)))) as [number, number];
      expect(whole).toBeLessThan(half * 2.1);
    }
  });

  test.each([
    ['itself', 'fragment F on Repo { parent { ...F } }'],
    ['itself without a field', 'fragment F on Repo { name ...F }'],
    ['another', 'fragment F on Repo { parent { ...G } } fragment G on Repo { owner { repos { nodes { ...F } } } }'],
    [
      'two others, each many times',
      'fragment F on Repo { a: parent { ...G } b: parent { ...G } ...G } fragment G on Repo { ...F ...F c: parent { ...F } }',
    ],
    [
      'an introspection',
      'fragment F on Repo { query { __type(name: "A") { ...G } } } fragment G on __Type { ofType { ...G } }',
    ],
  ])('a fragment that contains %s is endless, not a hang', (_, fragments) => {
    expect(measure(`{ repo { ...F } } ${fragments}`)).toMatchObject({
      cost: Number.MAX_SAFE_INTEGER,
      fields: Number.MAX_SAFE_INTEGER,
    });
  });

  test('a fragment cycle that no type can follow is not a cycle', () => {
    const query = '{ anything { ...F } } fragment F on Found { ... on Repo { owner { ...F } } ... on User { login } }';
    expect(measure(query)).toMatchObject({ depth: 3, cost: 2, fields: 3 });
  });

  test('nesting deeper than the call stack', () => {
    let selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };
    const name = { kind: Kind.NAME, value: 'parent' } as const;
    for (let i = 0; i < 20_000; i++) {
      const inner: FieldNode = { kind: Kind.FIELD, name, selectionSet };
      selectionSet = {
        kind: Kind.SELECTION_SET,
        selections: [
          i % 2
            ? inner
            : { kind: Kind.INLINE_FRAGMENT, selectionSet: { kind: Kind.SELECTION_SET, selections: [inner] } },
        ],
      };
    }
    const repo: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'repo' }, selectionSet };
    const document: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [
        {
          kind: Kind.OPERATION_DEFINITION,
          operation: 'query' as never,
          selectionSet: { kind: Kind.SELECTION_SET, selections: [repo] },
        },
      ],
    };
    expect(measure(document).depth).toBe(20_001);
  });

  test('any document within the token limit can be parsed, validated and measured without overflowing the stack', () => {
    const { maxTokens } = defaultQueryLimits;
    const fill = (tokens: number): number => Math.floor((maxTokens - 20) / tokens);
    const nest = (open: string, middle: string, close: string, tokens: number): string =>
      open.repeat(fill(tokens)) + middle + close.repeat(fill(tokens));
    for (const query of [
      `{ repo { ${nest('parent {', 'name', '}', 3)} } }`,
      nest('{ ...', '{ __typename }', '}', 3),
      `{ repos(filter: ${nest('{not: ', '{}', '}', 4)}) { pageInfo { hasNext } } }`,
      `{ repos(filter: {and: ${nest('[', '', ']', 2)}}) { pageInfo { hasNext } } }`,
      `query ($v: ${nest('[', 'Int', ']', 2)}) { viewer { name } }`,
      `{ repo { ...F0 } } ${some(fill(8), i => `fragment F${i} on Repo { ...F${i + 1} }`)}`,
      `{ repo { ...F0 } } ${some(fill(11), i => `fragment F${i} on Repo { parent { ...F${(i + 1) % fill(11)} } }`)}`,
    ]) {
      const document = parse(query, parserOptions(defaultQueryLimits));
      expect(() => validate(schema, document)).not.toThrow();
      expect(() => measureQuery(schema, document, undefined, {})).not.toThrow();
    }
  });
});

describe('the default limits', () => {
  const within = (query: string, variables?: Record<string, unknown>): unknown[] => {
    const document = parse(query, parserOptions(defaultQueryLimits));
    expect(validate(schema, document)).toEqual([]);
    const known = { ...variables, ...Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`v${i}`, `${i}`])) };
    return codes(measure(document, known));
  };
  const pages = (...sizes: [number, number, number?]): string => {
    const inner = sizes[2] === undefined ? 'title' : `title labels(first: ${sizes[2]}) { nodes { title } }`;
    return `{ repos(first: ${sizes[0]}) { nodes { name issues(first: ${sizes[1]}) { nodes { ${inner} } } } } }`;
  };

  test('accept dashboards', () => {
    expect(cost(pages(30, 30))).toBe(961);
    expect(within(pages(30, 30))).toEqual([]);
    expect(cost(pages(30, 30, 20))).toBe(19_861);
    expect(within(pages(30, 30, 20))).toEqual([]);
    expect(cost(pages(100, 100))).toBe(10_201);
    expect(within(pages(100, 100))).toEqual([]);
    const months = some(
      12,
      i => `m${i}: repos(first: 30) { nodes { a: name b: topics owner { c: login } } pageInfo { hasNext } }`,
    );
    expect(within(`{ ${months} }`)).toEqual([]);
  });

  test('reject 100 × 100 × 100 in every notation', () => {
    expect(cost(pages(100, 100, 100))).toBe(1_020_201);
    expect(within(pages(100, 100, 100))).toEqual(['QUERY_TOO_EXPENSIVE']);
    const spoken = (value: string): string =>
      `query ($n: Int! = ${value}) { repos(first: $n) { nodes { issues(first: $n) { nodes { labels(first: $n) { nodes { title } } } } } } }`;
    expect(within(spoken('100'))).toEqual(['QUERY_TOO_EXPENSIVE']);
    expect(within(spoken('1'), { n: 100 })).toEqual(['QUERY_TOO_EXPENSIVE']);
    expect(within(spoken('1'))).toEqual([]);
  });

  test('reject depth, root fields, aliases, directives, lists and nested input, each with its own code', () => {
    expect(within(`{ repo { ${'parent { '.repeat(11)} name ${'} '.repeat(11)} } }`)).toEqual(['QUERY_TOO_DEEP']);
    expect(within(`{ ${some(21, i => `a${i}: __typename`)} }`)).toEqual(['QUERY_TOO_MANY_ROOT_FIELDS']);
    expect(within(`{ ...F } fragment F on Query { ${some(21, i => `a${i}: __typename`)} }`)).toEqual([
      'QUERY_TOO_MANY_ROOT_FIELDS',
    ]);
    expect(within(`{ viewer { ${some(101, i => `a${i}: name`)} } }`)).toEqual(['QUERY_TOO_MANY_ALIASES']);
    expect(within(`{ viewer { ${some(301, () => '...F')} } } fragment F on User { name @skip(if: true) }`)).toEqual([
      'QUERY_TOO_MANY_DIRECTIVES',
    ]);
    expect(
      within(
        `query (${some(101, i => `$v${i}: ID!`)}) { repos(filter: { ids: [${some(50, i => `$v${i}`)}], not: { ids: [${some(51, i => `$v${i + 50}`)}] } }) { pageInfo { hasNext } } }`,
      ),
    ).toEqual(['QUERY_TOO_MANY_VARIABLES']);
    expect(within(`{ repos(filter: {ids: [${some(101, i => `"${i}"`)}]}) { pageInfo { hasNext } } }`)).toEqual([
      'QUERY_LIST_TOO_LONG',
    ]);
    expect(within(`{ repos(filter: ${'{not: '.repeat(12)}{}${'}'.repeat(12)}) { pageInfo { hasNext } } }`)).toEqual([
      'QUERY_INPUT_TOO_DEEP',
    ]);
  });

  test('an error states the limit, the measured value and how to correct the document', () => {
    const [error] = queryLimitErrors(measure(pages(100, 100, 100)), defaultQueryLimits);
    expect(error?.message).toBe(
      'Objects that the answer can hold: 1,020,201; the limit (maxCost) is 25,000. Ask for smaller pages with first, nest fewer lists, or split the query.',
    );
    expect(error?.extensions).toEqual({
      code: 'QUERY_TOO_EXPENSIVE',
      limit: 'maxCost',
      measured: 1_020_201,
      allowed: 25_000,
      http: { status: 400 },
    });
    const [endless] = queryLimitErrors({ cost: Number.MAX_SAFE_INTEGER }, defaultQueryLimits);
    expect(endless?.message).toMatch('more than can be counted');
    expect(queryLimitErrors({}, defaultQueryLimits)).toEqual([]);
  });
});

describe('the server', () => {
  const measured: QueryMeasure[] = [];
  const { send: post } = bareGraphqlServer(withAnswers(schema), {
    onResponse: ({ measure }) => void (measure && measured.push(measure)),
  });

  async function send(
    query: string,
    variables: Record<string, unknown> = {},
    operationName?: string,
  ): Promise<{ status: number; body: string; codes: unknown[] }> {
    const { status, text, json } = await post({ query, variables, operationName });
    const { errors = [] } = json as { errors?: { extensions: { code: string } }[] };
    return { status, body: text, codes: errors.map(error => error.extensions.code) };
  }

  test('executes a document within the limits and returns its measures', async () => {
    measured.length = 0;
    expect(await send('{ viewer { login } }')).toMatchObject({ status: 200, codes: [] });
    expect(await send(getIntrospectionQuery())).toMatchObject({ status: 200, codes: [] });
    expect(measured.map(found => found.cost)).toEqual([1, 1]);
  });

  test('returns 400 with the code, without the `http` extension', async () => {
    const answer = await send(
      'query ($n: Int!) { repos(first: $n) { nodes { issues(first: $n) { nodes { labels(first: $n) { nodes { title } } } } } } }',
      { n: 100 },
    );
    expect(answer).toMatchObject({ status: 400, codes: ['QUERY_TOO_EXPENSIVE'] });
    expect(answer.body).not.toMatch('"http"');
  });

  test('lists all exceeded limits in one message', async () => {
    const answer = await send(`{ ${some(101, i => `a${i}: __typename`)} }`);
    expect(answer).toMatchObject({ status: 400, codes: ['QUERY_TOO_MANY_ROOT_FIELDS'] });
    expect(answer.body).toMatch('maxRootFields');
    expect(answer.body).toMatch('maxAliases');
  });

  test('measures the selected operation', async () => {
    const two =
      'query A { viewer { login } } query B { all { parent { all: parent { name } } } grid { name owner { repos(first: 100) { nodes { name } } } } }';
    expect(await send(two, {}, 'A')).toMatchObject({ status: 200, codes: [] });
    expect(await send(two, {}, 'B')).toMatchObject({ status: 400, codes: ['QUERY_TOO_EXPENSIVE'] });
    expect(await send(two)).toMatchObject({ status: 400, codes: ['OPERATION_RESOLUTION_FAILURE'] });
  });

  test('leaves invalid variables to the executor', async () => {
    expect(await send('query ($n: Int!) { repos(first: $n) { nodes { name } } }', { n: 'x' })).toMatchObject({
      status: 400,
      codes: ['BAD_USER_INPUT'],
    });
    expect(await send('query ($n: Int!) { repos(first: $n) { nodes { name } } }')).toMatchObject({
      status: 400,
      codes: ['BAD_USER_INPUT'],
    });
  });

  test('checks raw variables before coercion', async () => {
    const query = 'query ($f: Filter) { repos(filter: $f) { pageInfo { hasNext } } }';
    const deep = JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`);
    expect(await send(query, { f: deep })).toMatchObject({ status: 400, codes: ['QUERY_INPUT_TOO_DEEP'] });
    expect(await send(query, { f: { ids: new Array(10_000).fill('1') } })).toMatchObject({
      status: 400,
      codes: ['QUERY_LIST_TOO_LONG'],
    });
    expect(await send(query, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`v${i}`, 1])))).toMatchObject(
      { status: 400, codes: ['QUERY_TOO_MANY_VARIABLES'] },
    );
    expect(await send(query, JSON.parse('{"__proto__": {"f": {"ids": ["1"]}}}'))).toMatchObject({
      status: 200,
      codes: [],
    });
  });

  // The checks of graphql-cop that concern one document, in their sizes and in far larger ones. A field selected many times is
  // valid and merged, so it must only be fast; two seconds are a hundred times the duration of any case.
  test.each<[string, string, number, unknown[]]>([
    ['alias overloading', `{ ${some(100, i => `alias${i}: __typename`)} }`, 400, ['QUERY_TOO_MANY_ROOT_FIELDS']],
    ['alias overloading × 10', `{ ${some(1_000, i => `alias${i}: __typename`)} }`, 400, ['GRAPHQL_PARSE_FAILED']],
    [
      'directive overloading',
      `{ __typename ${'@aa'.repeat(10)} }`,
      400,
      new Array(10).fill('GRAPHQL_VALIDATION_FAILED'),
    ],
    [
      'directive overloading × 30',
      `{ viewer { ${'...F '.repeat(301)} } } fragment F on User { name @include(if: true) }`,
      400,
      ['QUERY_TOO_MANY_DIRECTIVES'],
    ],
    ['field duplication', `{ viewer { ${'name '.repeat(500)} } }`, 200, []],
    ['field duplication × 4', `{ ${'__typename '.repeat(2_000)} }`, 400, ['GRAPHQL_PARSE_FAILED']],
    ['object duplication', `{ repo { ${'parent { name } '.repeat(490)} } }`, 200, []],
    [
      'circular introspection',
      '{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }',
      400,
      ['GRAPHQL_VALIDATION_FAILED'],
    ],
    [
      'circular introspection below the limit of graphql-js',
      '{ __schema { types { fields { type { fields { type { name } } } } } } }',
      400,
      ['QUERY_INTROSPECTION_TOO_DEEP'],
    ],
    [
      'circular fragments',
      '{ repo { ...A } } fragment A on Repo { ...B } fragment B on Repo { ...A }',
      400,
      ['GRAPHQL_VALIDATION_FAILED'],
    ],
    ['many operations', some(390, i => `query Q${i} { __typename }`), 400, ['OPERATION_RESOLUTION_FAILURE']],
  ])('%s is dealt with quickly', async (_, query, status, expected) => {
    const start = performance.now();
    const answer = await send(query);
    expect(performance.now() - start).toBeLessThan(2_000);
    expect({ status: answer.status, codes: answer.codes }).toEqual({ status, codes: expected });
  });
});

/** Number of selection visits while a document is measured. */
function visitsIn(document: DocumentNode): number {
  let visits = 0;
  const watch = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      const { kind } = selection;
      const get = (): Kind => {
        visits++;
        return kind;
      };
      Object.defineProperty(selection, 'kind', { get });
      if (kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) watch(selection.selectionSet);
    }
  };
  for (const definition of document.definitions) if ('selectionSet' in definition) watch(definition.selectionSet);
  measureQuery(schema, document, undefined, {});
  return visits;
}

/** The schema with resolvers for the few fields that the tests above execute. */
function withAnswers(bare: GraphQLSchema): GraphQLSchema {
  const { viewer, repo, repos } = bare.getQueryType()?.getFields() ?? {};
  if (viewer) viewer.resolve = () => ({ login: 'ada', name: 'Ada' });
  if (repo) repo.resolve = () => ({ name: 'engine', parent: { name: 'loom' } });
  if (repos) repos.resolve = () => ({ nodes: [], pageInfo: { hasNext: false } });
  return bare;
}
