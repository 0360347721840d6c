import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { fuzzText } from './fuzz-values.ts';

const graph = buildGraph(readConfig({}));
const queryType = graph.getQueryType() as GraphQLObjectType;

/** Invalid documents, and valid ones with a small change. */
export const fuzzDocument: fc.Arbitrary<string> = fc.oneof(
  fuzzText,
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(
    ...[
      '{',
      '}',
      '{ }',
      '{ __typename',
      '{ __typename }}',
      'query',
      'mutation { __typename }',
      'subscription { __typename }',
    ],
    ...[
      '{ __proto__ }',
      '{ constructor { toString } }',
      '{ __schema }',
      '{ __type(name: "__proto__") { name } }',
      '{ _entities }',
    ],
    ...['fragment A on Query { ...A } { ...A }', 'fragment A on Query { ...B } fragment B on Query { ...A } { ...A }'],
    ...['{ ...Nothing }', 'query A { __typename } query A { __typename }', 'query ($a: Int, $a: Int) { __typename }'],
    ...[
      '{ articles(first: $nothing) { nodes { id } } }',
      'query ($x: Nothing) { __typename }',
      '{ articles { nodes { id { id } } } }',
    ],
    ...[
      '{ __typename @include }',
      '{ __typename @nothing }',
      '{ __typename @include(if: "yes") }',
      'schema { query: Query }',
    ],
    ...[
      '{ a: __typename a: articleCategories { id } }',
      'type A { a: Int }',
      'extend type Query { a: Int }',
      '"""open',
      '{ a(b: """',
    ],
    ...[
      '{ article(databaseId: 1e400) { id } }',
      '{ article(databaseId: -0) { id } }',
      '{ article(databaseId: {}) { id } }',
      '{ article(databaseId: [[[1]]]) { id } }',
    ],
    ...[
      '{ article(databaseId: 1) { ... on Category { id } } }',
      '{ article(databaseId: 00) { id } }',
      `{ ${'a'.repeat(10_000)} }`,
      '\ufeff{ __typename }',
    ],
    ...[
      `{ __typename ${'@include(if: true) '.repeat(60)}}`,
      `{ a(b: ${'['.repeat(900)}${']'.repeat(900)}) }`,
      '{ '.repeat(1_900),
    ],
    ...[
      `{ articles(search: ${JSON.stringify('x'.repeat(100_000))}) { nodes { id } } }`,
      `query ${'A'.repeat(5_000)} { __typename }`,
    ],
  ),
);

/** Undeclared variables of every size. */
export const fuzzVariables: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.dictionary(fuzzText, fc.jsonValue({ maxDepth: 3 })) },
  fc.constantFrom<unknown>(
    null,
    { list: Array.from({ length: 20_000 }, (_, at) => at) },
    { deep: JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`) },
    { deep: JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`) },
    Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`v${at}`, at])),
    { text: 'x'.repeat(200_000) },
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
  ),
);

// A lone surrogate is invalid in a document and in JSON; `fuzzVariables` sends it nevertheless.
const short = fuzzText.map(text => text.slice(0, 300).toWellFormed());
const shortText = (): fc.Arbitrary<string> => short;

export interface Query {
  query: string;
  variables: Record<string, unknown>;
}

/** Valid queries with boundary values, as literals or variables. */
export const validQuery: fc.Arbitrary<Query> = fc.gen().map(draw => {
  const writer = new QueryWriter(draw);
  return writer.write();
});

class QueryWriter {
  readonly #draw: fc.GeneratorValue;
  readonly #declared: string[] = [];
  readonly #variables: Record<string, unknown> = {};
  #names = 0;

  constructor(draw: fc.GeneratorValue) {
    this.#draw = draw;
  }

  write(): Query {
    const selection = this.#selection(queryType, 0);
    const declared = this.#declared.length > 0 ? `(${this.#declared.join(', ')})` : '';
    return { query: `query Q${declared} ${selection}`, variables: this.#variables };
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    // Only leaves at depth, so that most queries stay within the limits and are executed.
    const all = Object.values(type.getFields()).filter(field => depth < 4 || !isObjectType(getNamedType(field.type)));
    const names = all.map(field => field.name);
    const chosen = this.#draw(fc.subarray, names, { maxLength: Math.min(names.length, depth === 0 ? 2 : 4) });
    const parts = all.filter(field => chosen.includes(field.name)).map(field => this.#field(field, depth));
    if (parts.length === 0 || this.#draw(fc.boolean)) parts.push('__typename');
    return `{ ${parts.join(' ')} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const alias = this.#draw(fc.boolean) ? `f${this.#names++}: ` : '';
    const given = field.args
      .filter(({ type, defaultValue }) => (isNonNullType(type) && defaultValue === undefined) || this.#draw(fc.boolean))
      .map(({ name, type, defaultValue }) => `${name}: ${this.#value(type, defaultValue !== undefined)}`);
    const type = getNamedType(field.type);
    const condition = this.#draw(fc.nat, 9) === 0 ? ' @include(if: true)' : '';
    const below = isObjectType(type) ? ` ${this.#selection(type, depth + 1)}` : '';
    return `${alias}${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''}${condition}${below}`;
  }

  #value(type: GraphQLInputType, hasDefault: boolean): string {
    const value = this.#json(getNullableType(type) as GraphQLInputType);
    const mayBeNull = !isNonNullType(type);
    if (mayBeNull && this.#draw(fc.nat, 9) === 0) return 'null';
    if (isEnumType(getNamedType(type))) return String(value);
    if (this.#draw(fc.boolean)) return JSON.stringify(value);
    const name = `v${this.#names++}`;
    // A variable with a default may be null even in a non-null position.
    const nullable = hasDefault && this.#draw(fc.boolean);
    const written = String(type);
    this.#declared.push(
      nullable ? `$${name}: ${written.replace(/!$/, '')} = ${JSON.stringify(value)}` : `$${name}: ${written}`,
    );
    this.#variables[name] = nullable && this.#draw(fc.boolean) ? null : value;
    return `$${name}`;
  }

  #json(type: GraphQLInputType): unknown {
    if (isListType(type)) return [this.#json(getNullableType(type.ofType) as GraphQLInputType)];
    if (isEnumType(type)) return this.#draw(fc.constantFrom, ...type.getValues().map(value => value.name));
    switch (getNamedType(type).name) {
      case 'Int':
        return this.#draw(fc.constantFrom, 1, 2, 5, 1, 2, 5, 0, -1, 100, 101, 2 ** 31 - 1, -(2 ** 31));
      case 'Boolean':
        return this.#draw(fc.boolean);
      case 'String':
      case 'ID':
        return this.#draw(shortText);
      default:
        // Ids are numbers; another scalar refuses one, which is a valid response too.
        return this.#draw(fc.constantFrom, 1, 2, 30, 60, 0, -1, 61, 2 ** 53 - 1, -(2 ** 53) + 1);
    }
  }
}
