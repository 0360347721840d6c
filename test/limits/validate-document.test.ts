import { describe, expect, test } from '@jest/globals';
import {
  buildSchema,
  type DocumentNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { overlappingFieldErrors } from '../../src/limits/overlapping-fields.ts';
import { validateDocument } from '../../src/limits/validate-document.ts';

const schema = buildSchema(`
  type Query { a(x: Int, y: [In]): A  b: B  node: Node  any: Any  list: [A!]!  name: String  count: Int }
  input In { p: Int q: String r: [In] }
  interface Node { id: ID!  name: String  node: Node  same: String }
  type A implements Node { id: ID!  name: String  node: Node  a(x: Int): A  b: B  n: Int  nn: Int!  same: String  list: [Int] }
  type B implements Node { id: ID!  name: String  node: Node  a(x: Int): A  b: B  n: String  nn: Int  same: String  list: [Int!] }
  union Any = A | B
`);
const others = specifiedRules.filter(rule => rule !== OverlappingFieldsCanBeMergedRule);
const parsed = (text: string): DocumentNode => parse(text, { noLocation: true });
const conflicts = (text: string) => overlappingFieldErrors(schema, parsed(text), 10_000);

describe('Fields of one response name', () => {
  test.each([
    '{ a { id } a { name } }',
    '{ a(x: 1, y: [{p: 1, q: "z"}]) { id } a(y: [{q: "z", p: 1}], x: 1) { id } }',
    '{ any { ...on A { x: n } ...on B { y: n } } }',
    '{ any { ...on A { x: id } ...on B { x: id } } }',
    '{ any { ...on A { a(x: 1) { id } } ...on B { a(x: 2) { id } } } }',
    '{ any { ...on A { x: node { id } } ...on B { x: b { id } } } }',
    '{ node { id ...F ...on A { ...F } } } fragment F on Node { id node { ...G } } fragment G on Node { name }',
    'query ($x: Int) { a(x: $x) { id } a(x: $x) { n } }',
  ])('can be merged: %s', text => expect(conflicts(text)).toEqual([]));

  test.each([
    ['{ a { id } a: b { id } }', /"a" and "b" are different fields/],
    ['{ a(x: 1) { id } a(x: 2) { id } }', /differing arguments/],
    ['{ a(x: 1) { id } a { id } }', /differing arguments/],
    ['{ a(y: [{p: 1}]) { id } a(y: [{p: 2}]) { id } }', /differing arguments/],
    ['query ($x: Int, $z: Int) { a(x: $x) { id } a(x: $z) { n } }', /differing arguments/],
    ['{ any { ...on A { n } ...on B { n } } }', /conflicting types "Int" and "String"/],
    ['{ any { ...on A { nn } ...on B { nn } } }', /conflicting types "Int!" and "Int"/],
    ['{ any { ...on A { list } ...on B { list } } }', /conflicting types/],
    ['{ any { ...on A { x: b { y: n } } ...on B { x: a { y: n } } } }', /conflicting types/],
    ['{ node { x: same ...on A { x: name } } }', /different fields/],
    ['{ a { b { n } ...F } } fragment F on A { b { n: id } }', /different fields/],
    ['{ a { ...F ...G } } fragment F on A { x: id } fragment G on A { x: n }', /different fields/],
    ['{ a { id } } query B { a { x: id x: n } }', /different fields/],
  ])('conflict: %s', (text, message) => {
    const errors = conflicts(text);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toMatch(message);
  });

  test('have the same result as in graphql-js, for 4,000 random documents', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const one = <T>(list: readonly T[]): T => list[random(list.length)] as T;
    const shared = ['id', 'name', 'same', 'x: id', 'x: name', 'y: same'];
    const own = ['n', 'nn', 'list', 'x: n', 'y: nn'];
    const types: Record<string, [leaves: string[], fields: [name: string, type: string][]]> = {
      Node: [
        shared,
        [
          ['node', 'Node'],
          ['x: node', 'Node'],
          ['... on A', 'A'],
          ['... on B', 'B'],
        ],
      ],
      A: [
        [...shared, ...own],
        [
          ['a', 'A'],
          ['a(x: 1)', 'A'],
          ['b', 'B'],
          ['x: b', 'B'],
          ['y: node', 'Node'],
          ['... on Node', 'Node'],
        ],
      ],
      B: [
        [...shared, ...own],
        [
          ['a', 'A'],
          ['x: a(x: 1)', 'A'],
          ['b', 'B'],
          ['y: b', 'B'],
          ['node', 'Node'],
          ['... on Node', 'Node'],
        ],
      ],
    };
    const inner = (type: string, depth: number): string => {
      const [leaves, fields] = types[type] ?? [[], []];
      const parts = Array.from({ length: 1 + random(2) }, () => {
        if (depth === 0 || random(3) === 0) return one(leaves);
        if (type === 'Node' && random(3) === 0) return one(['...F', '...G']);
        const [field, next] = one(fields);
        return `${field} { ${inner(next, depth - 1)} }`;
      });
      return parts.join(' ');
    };
    const judged = { valid: 0, conflict: 0 };
    for (let at = 0; at < 4_000; at++) {
      const [f, g] = [one(['A', 'B', 'Node']), one(['A', 'B', 'Node'])];
      const text = `{ node { ${inner('Node', 3)} ...F } ${one(['node', 'x: node'])} { ${inner('Node', 3)} ...G } a { ${inner('A', 2)} } }
        fragment F on ${f} { ${inner(f, 0)} } fragment G on ${g} { ${inner(g, 0)} }`;
      const document = parsed(text);
      if (validate(schema, document, others).length > 0) continue;
      const expected = validate(schema, document, [OverlappingFieldsCanBeMergedRule]).length > 0;
      judged[expected ? 'conflict' : 'valid']++;
      expect([text, overlappingFieldErrors(schema, document, 100_000).length > 0]).toEqual([text, expected]);
    }
    expect(Math.min(judged.valid, judged.conflict)).toBeGreaterThan(100);
  });
});

describe('Work is bounded', () => {
  const codes = (text: string) => validateDocument(schema, parsed(text)).map(({ extensions }) => extensions.code);

  test('visits grow linearly with the document', () => {
    // Visited once in the set and once in each merged set: 1,000 fields of one name are 2,000 visits; comparing pairs would be
    // 500,000.
    const same = `{ ${'a { id } '.repeat(500)} }`;
    expect(overlappingFieldErrors(schema, parsed(same), 1_000)).toEqual([]);
    const nested = `{ ${`a { ${'b { id } '.repeat(20)} } `.repeat(20)} }`;
    expect(overlappingFieldErrors(schema, parsed(nested), 1_000)).toEqual([]);
  });

  test('fragments that each spread the next one twice are checked once each', () => {
    const chain = Array.from(
      { length: 60 },
      (_, at) => `fragment F${at} on A { x: a { ...F${at + 1} } y: a { ...F${at + 1} } }`,
    );
    expect(conflicts(`{ a { ...F0 } } ${chain.join(' ')} fragment F60 on A { id }`)).toEqual([]);
  });

  test('many operations over many fragments are rejected', () => {
    const fragments = Array.from({ length: 130 }, (_, at) => `fragment F${at} on A { id ...F${at + 1} }`).join(' ');
    const operations = Array.from({ length: 90 }, (_, at) => `query Q${at} { a { ...F0 } }`).join(' ');
    expect(codes(`${operations} ${fragments} fragment F130 on A { id }`)).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test('ten errors are reported, without suggestions', () => {
    const errors = validateDocument(schema, parsed(`{ ${'nam coun '.repeat(100)} }`));
    expect(errors).toHaveLength(11);
    expect(errors[0]?.message).toBe('Cannot query field "nam" on type "Query".');
    expect(errors[10]?.message).toMatch(/Too many validation errors/);
  });
});
