import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute as executeByGraphqlJs,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  responsePathAsArray,
} from 'graphql';
import { executeDocument } from 'operation-rest';

/** Generated documents over generated schemas, with values that fit or not, by plans and by graphql-js. */

interface Shape {
  /** Types of the fields f0, f1, …; a field of one name has one type, so that no selections conflict. */
  fields: { base: string; wrappers: ('list' | 'non-null')[] }[];
  /** Numbers of the fields of the interface, and of each object type beside them. */
  shared: number[];
  own: number[][];
}

interface Selected {
  kind: 'field' | 'typename' | 'inline' | 'spread';
  /** Picks a field, a type or a fragment among those that are possible. */
  pick: number;
  alias: string | undefined;
  condition: string;
  inner: Selected[];
}

const objectCount = 3;
const composite = ['T0', 'T1', 'T2', 'Shared', 'Any'];
const number = fc.nat({ max: 11 });
const shapes: fc.Arbitrary<Shape> = fc.record({
  fields: fc.array(
    fc.record({
      base: fc.constantFrom('Int', 'String', 'Boolean', 'Float', 'ID', 'Mood', ...composite),
      wrappers: fc.array(fc.constantFrom<'list' | 'non-null'>('list', 'non-null'), { maxLength: 4 }),
    }),
    { minLength: 12, maxLength: 12 },
  ),
  shared: fc.uniqueArray(number, { minLength: 1, maxLength: 3 }),
  own: fc.array(fc.uniqueArray(number, { maxLength: 6 }), { minLength: objectCount, maxLength: objectCount }),
});
const conditions = ['', '', '', '@skip(if: $yes)', '@include(if: $no)', '@include(if: true) @skip(if: $no)'];
const selections: fc.Arbitrary<Selected[]> = fc.letrec<{ set: Selected[] }>(tie => ({
  set: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant<Selected[]>([]),
    fc.array(
      fc.record<Selected>({
        kind: fc.constantFrom('field', 'field', 'field', 'typename', 'inline', 'spread'),
        pick: fc.nat({ max: 999 }),
        alias: fc.option(fc.constantFrom('a', 'constructor', '__proto__'), { nil: undefined, freq: 4 }),
        condition: fc.constantFrom(...conditions),
        inner: tie('set'),
      }),
      { maxLength: 5 },
    ),
  ),
})).set;

/** The type of a field as text: `non-null` twice says nothing more. */
const typeText = ({ base, wrappers }: Shape['fields'][number]): string =>
  wrappers.reduce((text, one) => (one === 'list' ? `[${text}]` : text.endsWith('!') ? text : `${text}!`), base);

function sdlOf({ fields, shared, own }: Shape): string {
  const list = (numbers: readonly number[]): string =>
    [...new Set(numbers)].map(at => `f${at}: ${typeText(fields[at] as Shape['fields'][number])}`).join(' ');
  const types = own.map((more, at) => `type T${at} implements Shared { ${list([...shared, ...more])} }`);
  const all = fields.map((_, at) => at);
  return `enum Mood { GOOD BAD } interface Shared { ${list(shared)} } union Any = T0 | T1 | T2
    ${types.join(' ')} type Query { ${list(all)} }`;
}

/** The document of a selection, whose spreads lead to the fragments before them. */
function documentOf(schema: GraphQLSchema, root: Selected[], fragments: Selected[][]): string {
  const set = (typeName: string, selected: readonly Selected[], usable: number): string => {
    const type = schema.getType(typeName);
    const names = type && 'getFields' in type ? Object.keys(type.getFields()) : [];
    const texts = selected.flatMap(({ kind, pick, alias, condition, inner }) => {
      if (kind === 'spread') return usable > 0 ? [`...F${pick % usable} ${condition}`] : [];
      if (kind === 'inline') {
        const on = composite[pick % composite.length] as string;
        const isSame = typeName === 'Query';
        return [`... on ${isSame ? 'Query' : on} ${condition} { ${set(isSame ? 'Query' : on, inner, usable)} }`];
      }
      const name = names[pick % Math.max(1, names.length)];
      if (kind === 'typename' || name === undefined) return [`__typename ${condition}`];
      const { [name]: field } = (type as { getFields(): Record<string, { type: GraphQLOutputType }> }).getFields();
      const named = String(field?.type).replaceAll(/[[\]!]/g, '');
      const below = composite.includes(named) ? `{ ${set(named, inner, usable)} }` : '';
      return [
        `${alias === undefined ? '' : `${alias}${alias === '__proto__' ? '' : name}: `}${name} ${condition} ${below}`,
      ];
    });
    return texts.length > 0 ? texts.join(' ') : '__typename';
  };
  const made = fragments.map((selected, at) => {
    const on = composite[at % composite.length] as string;
    return `fragment F${at} on ${on} { ${set(on, selected, at)} }`;
  });
  return `query ($yes: Boolean = true, $no: Boolean = false) { ${set('Query', root, fragments.length)} ...Q }
    fragment Q on Query { ${set('Query', root, fragments.length)} } ${made.join(' ')}`;
}

/** A number that depends on the place in the response alone. */
function hash(seed: number, path: readonly (string | number)[]): number {
  let value = seed;
  for (const character of path.join('.')) value = (Math.imul(value, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return Math.imul(value ^ (value >>> 13), 0x5bd1e995) >>> 0;
}

const wrongValues = [null, undefined, {}, 'x', 1.5, Number.NaN, []];

/** A value of the type, or one that does not fit it in one of `odds` places. */
function valueAt(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  seed: number,
  path: (string | number)[],
  odds: number,
): unknown {
  const chance = hash(seed, path);
  if (odds > 0 && chance % odds === 0) {
    const at = (chance >>> 8) % (wrongValues.length + 1);
    return at === wrongValues.length ? new Error(`At ${path.join('.')}.`) : wrongValues[at];
  }
  if (isNonNullType(type)) return valueAt(schema, type.ofType, seed, path, odds);
  if (isListType(type)) {
    return Array.from({ length: chance % 3 }, (_, at) => valueAt(schema, type.ofType, seed, [...path, at], odds));
  }
  const nullable = getNullableType(type);
  if (isLeafType(nullable))
    return { Int: 7, String: 'é"', Boolean: true, Float: 1.5, ID: 'id', Mood: 'BAD' }[nullable.name];
  const possible = isAbstractType(nullable) ? schema.getPossibleTypes(nullable) : [nullable];
  const chosen = possible[chance % possible.length];
  return isObjectType(chosen) ? { __typename: chosen.name } : undefined;
}

function schemaOf(shape: Shape, seed: number, isLater: boolean): GraphQLSchema {
  const schema = buildSchema(sdlOf(shape));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve = (_source, _args, _context, { path }) => {
        const value = valueAt(schema, field.type, seed, responsePathAsArray(path), isLater ? 0 : 9);
        if (value instanceof Error) throw value;
        return isLater ? new Promise(resolve => setImmediate(resolve, value)) : value;
      };
    }
  }
  return schema;
}

const text = ({ data, errors }: ExecutionResult): string => JSON.stringify({ data, errors });

test.each([
  ['at once, with values that do not fit', false],
  ['later', true],
])(
  'resolved %s',
  async (_, isLater) => {
    let [answered, failed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        shapes,
        selections,
        fc.array(selections, { maxLength: 5 }),
        fc.nat(),
        fc.constantFrom({}, { yes: false }, { no: true }, { yes: null }),
        async (shape, root, fragments, seed, variables) => {
          const schema = schemaOf(shape, seed, isLater);
          const document = parse(documentOf(schema, root, fragments));
          const args = { schema, document, variableValues: variables, contextValue: {} };
          const expected = await executeByGraphqlJs(args);
          for (const _time of ['first', 'second']) {
            expect(text(await executeDocument(schema, document, { variables, context: {} }))).toBe(text(expected));
          }
          if (expected.errors) failed++;
          else if (Object.keys(expected.data ?? {}).length > 1) answered++;
        },
      ),
      { numRuns: 300 },
    );
    // The property would hold as well if no document had a result.
    expect(answered).toBeGreaterThan(20);
    if (!isLater) expect(failed).toBeGreaterThan(20);
  },
  120_000,
);
