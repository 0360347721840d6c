import { describe, expect, test } from '@jest/globals';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { startTestFacade, type TestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  scalar SafeInt
  scalar JSON
  scalar Even
  enum Color { RED DARK_BLUE }
  input Point { x: Int!, y: Float, color: Color, colors: [Color!], deep: Deep }
  input Deep { text: String!, safe: SafeInt, flags: [Boolean!] }
  type Query { nothing: Int }
  type Mutation {
    put(text: String, id: ID, int: Int, safe: SafeInt, float: Float, boolean: Boolean, color: Color, even: Even, json: JSON,
      ints: [Int!], matrix: [[Int]], point: Point, points: [Point!]): String!
    need(text: String!, point: Point!): String!
  }`,
  {
    SafeInt: GraphQLSafeInt.toConfig(),
    JSON: GraphQLJSON.toConfig(),
    Even: {
      parseValue(value: unknown) {
        if (value === 'nothing') return undefined;
        if (typeof value !== 'number' || value % 2 !== 0) throw new TypeError('An even number is needed.');
        return value;
      },
    },
    Color: { RED: '#f00', DARK_BLUE: '#009' },
    Mutation: {
      put: echo,
      need: echo,
    },
  },
);

const operations = {
  'things/put.graphql': `
    mutation Put($text: String, $id: ID, $int: Int, $safe: SafeInt, $float: Float, $boolean: Boolean, $color: Color, $even: Even,
      $json: JSON, $ints: [Int!], $matrix: [[Int]], $point: Point, $points: [Point!])
    @rest(method: PUT, path: "/things/") {
      put(text: $text, id: $id, int: $int, safe: $safe, float: $float, boolean: $boolean, color: $color, even: $even,
        json: $json, ints: $ints, matrix: $matrix, point: $point, points: $points) @body
    }`,
  'things/need.graphql': `
    mutation Need($text: String!, $point: Point!) @rest(method: POST, path: "/things/") { need(text: $text, point: $point) @body }`,
};
const lenient = await startTestFacade({ graph, operations });
const strict = await startTestFacade({ graph, operations, product: 'hosting-like' });

async function seen(facade: TestFacade, name: string, value: unknown): Promise<unknown> {
  const { status, json, text } = await facade.send('PUT', facade === lenient ? '/api/v1/things/' : '/things/', {
    [name]: value,
  });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(json)[name];
}

async function refused(facade: TestFacade, name: string, value: unknown): Promise<unknown> {
  const { status, json } = await facade.send('PUT', facade === lenient ? '/api/v1/things/' : '/things/', {
    [name]: value,
  });
  expect(status).toBe(facade === lenient ? 400 : 422);
  return facade === lenient ? json[name] : json.message.replace('Invalid request.\n\n', '');
}

describe('in both products', () => {
  const values: [string, unknown][] = [
    ['text', ''],
    ['text', '0'],
    ['text', ' a '],
    ['id', 'x'],
    ['int', 0],
    ['int', -1],
    ['safe', 9007199254740991],
    ['float', 0],
    ['float', 1.5],
    ['float', 1e300],
    ['boolean', false],
    ['boolean', true],
    ['even', 0],
    ['ints', []],
    ['ints', [0, 1]],
    ['matrix', [[1, null], null, []]],
    ['json', { a: [1, null, { b: '' }] }],
    ['json', 0],
    ['json', false],
    ['point', { x: 0 }],
    ['point', { x: 1, y: null, deep: { text: '', flags: [] } }],
    ['points', []],
  ];
  test.each(values)('%s accepts %j unchanged', async (name, value) => {
    expect(await seen(lenient, name, value)).toEqual(value);
    expect(await seen(strict, name, value)).toEqual(value);
  });

  test('an integer may be written as an id, and a whole number with a fraction of zero is whole', async () => {
    for (const facade of [lenient, strict]) {
      expect(await seen(facade, 'id', 7)).toBe('7');
      const { json } = await facade.request(facade === lenient ? '/api/v1/things/' : '/things/', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: '{"int": 5.0, "safe": 1e3, "id": 9007199254740991}',
      });
      expect(JSON.parse(json)).toEqual({ int: 5, safe: 1000, id: '9007199254740991' });
    }
  });

  const wrong: [string, string, unknown][] = [
    ['an object for a text', 'text', {}],
    ['a list for a text', 'text', ['a']],
    ['a boolean for a text', 'text', true],
    ['a fraction for a whole number', 'int', 1.5],
    ['a boolean for a whole number', 'int', true],
    ['a list for a whole number', 'int', [1]],
    ['a fraction for an id', 'id', 1.5],
    ['a boolean for an id', 'id', true],
    ['an object for a number', 'float', {}],
    ['a number for an enum', 'color', 1],
    ['the inside of an enum', 'color', '#f00'],
    ["the graph's spelling of an enum", 'color', 'RED'],
    ['a name of JavaScript for an enum', 'color', 'constructor'],
    ['a list for an enum', 'color', ['red']],
    ['one item for a list', 'ints', 1],
    ['an object for a list', 'ints', { 0: 1, length: 1 }],
    ['null in a list of values', 'ints', [1, null]],
    ['a text for an object', 'point', 'x'],
    ['a list for an object', 'point', [{ x: 1 }]],
    ['an object without what it needs', 'point', {}],
    ['a null for what an object needs', 'point', { x: null }],
    ['a scalar that refuses', 'even', 3],
    ['a scalar that has nothing to say', 'even', 'nothing'],
  ];
  test.each(wrong)('%s is refused', async (_, name, value) => {
    expect(await refused(lenient, name, value)).toBeDefined();
    expect(await refused(strict, name, value)).not.toBe('');
  });

  test('numbers beyond 2^53 are refused', async () => {
    for (const facade of [lenient, strict]) {
      for (const [name, value] of [
        ['int', 2 ** 31],
        ['int', -(2 ** 31) - 1],
        ['safe', 2 ** 53],
        ['safe', -(2 ** 53)],
        ['safe', 1e300],
        ['id', 2 ** 53],
      ] as const) {
        expect([name, value, await refused(facade, name, value)]).toEqual([name, value, expect.anything()]);
      }
      for (const text of [
        '{"float": 1e999}',
        '{"int": 1e999}',
        '{"safe": -1e999}',
        '{"id": 12345678901234567890}',
        '{"safe": 9007199254740993}',
      ]) {
        const { status } = await facade.request(facade === lenient ? '/api/v1/things/' : '/things/', {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: text,
        });
        expect([text, status]).toEqual([text, facade === lenient ? 400 : 422]);
      }
    }
  });

  test('texts that PostgreSQL cannot store are refused at any depth', async () => {
    for (const bad of ['a\0b', '\ud800', 'x\udc00y']) {
      for (const [name, value] of [
        ['text', bad],
        ['id', bad],
        ['json', bad],
        ['json', { a: [{ b: bad }] }],
        ['json', { [bad]: 1 }],
        ['point', { x: 1, deep: { text: bad } }],
      ] as const) {
        expect(await refused(lenient, name, value)).toBeDefined();
        expect(await refused(strict, name, value)).toBeDefined();
      }
    }
    expect(await seen(lenient, 'text', '🐎')).toBe('🐎');
  });

  test('enums in objects and in lists of objects are in lower case, and resolvers get the internal value', async () => {
    const point = { x: 1, color: 'dark_blue', colors: ['red', 'dark_blue'] };
    const inside = { x: 1, color: '#009', colors: ['#f00', '#009'] };
    expect(await seen(lenient, 'point', point)).toEqual(inside);
    expect(await seen(strict, 'points', [point, { x: 0 }])).toEqual([inside, { x: 0 }]);
    expect(await refused(lenient, 'points', [{ x: 1, colors: ['RED'] }])).toEqual({
      0: { colors: { 0: ['"RED" is not a valid choice.'] } },
    });
  });

  test('every error is reported, with its path', async () => {
    const body = { int: 'x', point: { y: [], deep: { flags: [1, 'x'] } }, color: 'RED' };
    expect((await lenient.send('PUT', '/api/v1/things/', body)).json).toEqual({
      int: ['A valid integer is required.'],
      color: ['"RED" is not a valid choice.'],
      point: {
        x: ['This field is required.'],
        y: ['A valid number is required.'],
        deep: { text: ['This field is required.'], flags: { 1: ['Must be a valid boolean.'] } },
      },
    });
    const { json } = await strict.send('PUT', '/things/', { int: 'x', point: { y: [] }, color: 'RED', text: null });
    expect(json.message.split('\n')).toEqual([
      'Invalid request.',
      '',
      "For 'properties/int', x is not an integer.",
      'RED is not a member of ["red", "dark_blue"].',
      '"x" wasn\'t supplied.',
      "For 'properties/point/properties/y', [] is not a number.",
    ]);
  });

  test('a missing required parameter is reported, with or without a body', async () => {
    for (const body of [undefined, '{}', '']) {
      const { status, json } = await lenient.request('/api/v1/things/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      });
      expect([status, json]).toEqual([400, { text: ['This field is required.'], point: ['This field is required.'] }]);
    }
    const { status, json } = await strict.send('POST', '/things/', { text: null });
    expect(status).toBe(422);
    expect(json.message).toBe(
      "Invalid request.\n\nFor 'properties/text', nil is not a string.\n\"point\" wasn't supplied.",
    );
  });
});

describe('lenient JSON', () => {
  test('accepts numbers and booleans as text, and numbers as texts', async () => {
    expect(await seen(lenient, 'int', ' 5 ')).toBe(5);
    expect(await seen(lenient, 'safe', '9007199254740991')).toBe(9007199254740991);
    expect(await seen(lenient, 'float', '1.5')).toBe(1.5);
    expect(await seen(lenient, 'boolean', 'True')).toBe(true);
    expect(await seen(lenient, 'boolean', 0)).toBe(false);
    expect(await seen(lenient, 'boolean', 1)).toBe(true);
    expect(await seen(lenient, 'ints', ['1', 2])).toEqual([1, 2]);
    expect(await seen(lenient, 'text', 5)).toBe('5');
    expect(await seen(lenient, 'text', 1.5)).toBe('1.5');
    expect(await seen(lenient, 'point', { x: '0', deep: { text: 7 } })).toEqual({ x: 0, deep: { text: '7' } });
  });

  test('does not accept a number beyond 2^53 as a text', async () => {
    expect(await refused(lenient, 'text', 2 ** 60)).toBeDefined();
  });

  test('does not treat an empty text as null', async () => {
    expect(await refused(lenient, 'int', '')).toEqual(['A valid integer is required.']);
    expect(await refused(lenient, 'color', '')).toEqual(['"" is not a valid choice.']);
    expect(await refused(lenient, 'boolean', '')).toEqual(['Must be a valid boolean.']);
  });
});

describe('strict JSON', () => {
  test.each([
    ['int', '5'],
    ['safe', '5'],
    ['float', '1.5'],
    ['boolean', 'true'],
    ['boolean', 1],
    ['boolean', 0],
    ['text', 5],
    ['ints', ['1']],
  ])('does not accept %s from %j', async (name, value) => {
    expect(await refused(strict, name, value)).not.toBe('');
  });
});
