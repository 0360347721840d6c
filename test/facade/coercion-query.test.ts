import { describe, expect, test } from '@jest/globals';
import { GraphQLSafeInt } from 'graphql-scalars';
import { parseQueryString, setQueryParameter } from 'operation-rest';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

/** Returns its arguments, so that a test sees what the resolver received. */
const graph = buildTestSchema(
  `
  scalar SafeInt
  scalar Even
  enum Color { RED DARK_BLUE }
  type Seen { args: String! }
  type Query {
    text(value: String, other: String): Seen!
    id(value: ID): Seen!
    int(value: Int): Seen!
    safe(value: SafeInt): Seen!
    float(value: Float): Seen!
    boolean(value: Boolean): Seen!
    color(value: Color): Seen!
    even(value: Even): Seen!
    ints(value: [Int!]): Seen!
    texts(value: [String!]): Seen!
    colors(value: [Color!]): Seen!
    defaults(text: String, int: Int!, color: Color, colors: [Color!]): Seen!
  }`,
  {
    SafeInt: { ...GraphQLSafeInt.toConfig() },
    Even: {
      parseValue(value: unknown) {
        if (Number(value) % 2 !== 0) throw new TypeError('An even number is needed.');
        return Number(value);
      },
    },
    Color: { RED: '#f00', DARK_BLUE: '#009' },
    Query: Object.fromEntries(
      ['text', 'id', 'int', 'safe', 'float', 'boolean', 'color', 'even', 'ints', 'texts', 'colors', 'defaults'].map(
        field => [field, (_: unknown, args: object) => ({ args: echo(_, args) })],
      ),
    ),
  },
);

const types = {
  text: 'String',
  id: 'ID',
  int: 'Int',
  safe: 'SafeInt',
  float: 'Float',
  boolean: 'Boolean',
  color: 'Color',
  even: 'Even',
  ints: '[Int!]',
  texts: '[String!]',
  colors: '[Color!]',
};

const operations = {
  ...Object.fromEntries(
    Object.entries(types).map(([field, type]) => [
      `things/${field}.graphql`,
      `query Get_${field}($value: ${type}) @rest(method: GET, path: "/${field}/") { ${field}(value: $value) @body { args } }`,
    ]),
  ),
  'things/defaults.graphql': `
    query Defaults($text: String = "none", $int: Int! = 7, $color: Color = DARK_BLUE, $colors: [Color!] = [RED])
    @rest(method: GET, path: "/defaults/") {
      defaults(text: $text, int: $int, color: $color, colors: $colors) @body { args }
    }`,
  'things/nothing.graphql': `
    query Nothing($color: Color = null) @rest(method: GET, path: "/nothing/") { color(value: $color) @body { args } }`,
  'things/needed.graphql': `
    query Needed($text: String!) @rest(method: GET, path: "/needed/") { text(value: $text) @body { args } }`,
};

const facade = await startTestFacade({ graph, operations });
const strict = await startTestFacade({ graph, operations, product: 'hosting-like' });

/** The argument that the resolver of `field` received for a query string; undefined if it was absent. */
async function seen(field: string, search: string): Promise<unknown> {
  const { status, json, text } = await facade.request(`/api/v1/${field}/${search}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(json.args).value;
}

/** The error JSON of an invalid query string. */
async function refused(field: string, search: string): Promise<unknown> {
  const { status, json } = await facade.request(`/api/v1/${field}/${search}`);
  expect(status).toBe(400);
  return json.value;
}

describe('values', () => {
  test('a text arrives decoded: spaces, plus signs, non-ASCII characters', async () => {
    expect(await seen('text', '?value=a+b%20c%2Bd')).toBe('a b c+d');
    expect(await seen('text', `?value=${encodeURIComponent('žluťoučký 🐎')}`)).toBe('žluťoučký 🐎');
  });

  test('0, false and the empty text are values', async () => {
    expect(await seen('int', '?value=0')).toBe(0);
    expect(await seen('float', '?value=0')).toBe(0);
    expect(await seen('boolean', '?value=false')).toBe(false);
    expect(await seen('text', '?value=')).toBe('');
    expect(await seen('text', '?value')).toBe('');
    expect(await seen('id', '?value=0')).toBe('0');
    expect(await seen('texts', '?value[]=')).toEqual(['']);
  });

  test('an empty value of a type other than text is absent', async () => {
    for (const field of ['int', 'safe', 'float', 'boolean', 'color', 'ints', 'colors']) {
      expect(await seen(field, '?value=')).toBeUndefined();
      expect(await seen(field, '?value[]=')).toBeUndefined();
    }
  });

  test('the text null is a text', async () => {
    expect(await seen('text', '?value=null')).toBe('null');
    expect(await refused('int', '?value=null')).toEqual(['A valid integer is required.']);
  });

  test('a missing required parameter is named', async () => {
    const { status, json } = await facade.request('/api/v1/needed/');
    expect([status, json]).toEqual([400, { text: ['This field is required.'] }]);
    expect((await facade.request('/api/v1/needed/?text=')).status).toBe(200);
  });

  test('the last of a repeated key wins', async () => {
    expect(await seen('int', '?value=1&value=2')).toBe(2);
    expect(await seen('int', '?value=1&value=')).toBeUndefined();
  });

  test('undeclared keys are ignored', async () => {
    expect(await seen('int', '?value=1&__proto__=2&constructor=3&hasOwnProperty=4&other=5&VALUE=6&%76alue2=7')).toBe(1);
    expect(await seen('text', '?__proto__[value]=1&constructor.prototype.value=2')).toBeUndefined();
    expect(({} as { value?: unknown }).value).toBeUndefined();
  });
});

describe('whole numbers', () => {
  test.each([
    ['5', 5],
    ['-5', -5],
    ['%2B5', 5],
    ['+5', 5],
    ['%205%20', 5],
    ['007', 7],
    ['-0', 0],
  ])('%s is %d', async (text, value) => {
    expect(await seen('int', `?value=${text}`)).toBe(value);
  });

  test.each(['5.0', '5e3', '0x10', 'five', '1_000', '٣', '--1', '5;', 'NaN', 'Infinity', '[1]', '{}'])(
    '%s is none',
    async text => {
      expect(await refused('int', `?value=${encodeURIComponent(text)}`)).toEqual(['A valid integer is required.']);
    },
  );

  test('an Int has 32 bits', async () => {
    expect(await seen('int', '?value=2147483647')).toBe(2147483647);
    expect(await seen('int', '?value=-2147483648')).toBe(-2147483648);
    for (const beyond of ['2147483648', '-2147483649', '99999999999999999999']) {
      expect(await refused('int', `?value=${beyond}`)).toEqual([
        'Ensure this value is within the range of whole numbers.',
      ]);
    }
  });

  test('a SafeInt is exact up to 2^53 - 1', async () => {
    for (const exact of ['2147483648', '9007199254740991', '-9007199254740991']) {
      expect(await seen('safe', `?value=${exact}`)).toBe(Number(exact));
    }
    for (const beyond of [
      '9007199254740992',
      '9007199254740993',
      '-9007199254740992',
      '-9007199254740993',
      '1'.repeat(40),
    ]) {
      expect(await refused('safe', `?value=${beyond}`)).toEqual([
        'Ensure this value is within the range of whole numbers.',
      ]);
    }
  });

  test('an overlong text of digits is refused', async () => {
    expect((await facade.request(`/api/v1/int/?value=${'9'.repeat(8_000)}`)).status).toBe(400);
    expect((await facade.request(`/api/v1/float/?value=${'9'.repeat(8_000)}`)).status).toBe(400);
  });
});

describe('decimal numbers and booleans', () => {
  test.each([
    ['1.5', 1.5],
    ['-.5', -0.5],
    ['1.', 1],
    ['1e3', 1000],
    ['2E-2', 0.02],
  ])('%s is the number %d', async (text, value) => {
    expect(await seen('float', `?value=${text}`)).toBe(value);
  });

  test.each(['1e999', '-1e999', 'NaN', 'Infinity', '1,5', '1.2.3', '0x1p3', 'e5', '.'])(
    '%s is no number',
    async text => {
      expect(await refused('float', `?value=${text}`)).toEqual(['A valid number is required.']);
    },
  );

  test.each(['true', 'True', 'TRUE', '1', 't', 'yes', 'on', 'Y'])('%s is true', async text => {
    expect(await seen('boolean', `?value=${text}`)).toBe(true);
  });

  test.each(['false', 'False', 'FALSE', '0', 'f', 'no', 'off', 'N'])('%s is false', async text => {
    expect(await seen('boolean', `?value=${text}`)).toBe(false);
  });

  test.each(['2', '-1', 'truee', 'null', '00'])('%s is neither', async text => {
    expect(await refused('boolean', `?value=${text}`)).toEqual(['Must be a valid boolean.']);
  });
});

describe('enums', () => {
  test('are published in lower case, and resolvers get the internal value', async () => {
    expect(await seen('color', '?value=red')).toBe('#f00');
    expect(await seen('color', '?value=dark_blue')).toBe('#009');
  });

  test.each(['RED', 'Red', 'DARK_BLUE', '#f00', '__proto__', 'constructor', 'toString'])(
    '%s is no spelling of one',
    async text => {
      expect(await refused('color', `?value=${encodeURIComponent(text)}`)).toEqual([
        `Select a valid choice. ${text} is not one of the available choices.`,
      ]);
    },
  );

  test('the choices are named where the contract names them', async () => {
    const { status, json } = await strict.request('/color/?value=RED');
    expect(status).toBe(422);
    expect(json.message).toBe('Invalid request.\n\nRED is not a member of ["red", "dark_blue"].');
  });
});

describe('lists', () => {
  test('are written with brackets, by repeating the key, or both', async () => {
    expect(await seen('ints', '?value[]=1&value[]=2')).toEqual([1, 2]);
    expect(await seen('ints', '?value=1&value=2')).toEqual([1, 2]);
    expect(await seen('ints', '?value%5B%5D=1&value=2')).toEqual([1, 2]);
    expect(await seen('ints', '?value=0')).toEqual([0]);
    expect(await seen('colors', '?value[]=red&value[]=dark_blue')).toEqual(['#f00', '#009']);
  });

  test('are absent when no key names them', async () => {
    expect(await seen('ints', '')).toBeUndefined();
    expect(await seen('ints', '?value[0]=1')).toBeUndefined();
  });

  test('skip empty items of what is no text', async () => {
    expect(await seen('ints', '?value[]=&value[]=3')).toEqual([3]);
    expect(await seen('texts', '?value[]=&value[]=3')).toEqual(['', '3']);
  });

  test('tell which item is wrong', async () => {
    expect(await refused('ints', '?value[]=1&value[]=x&value[]=y')).toEqual({
      1: ['A valid integer is required.'],
      2: ['A valid integer is required.'],
    });
    expect(await refused('colors', '?value[]=red&value[]=RED')).toEqual({
      1: ['Select a valid choice. RED is not one of the available choices.'],
    });
  });
});

describe('scalars of the graph', () => {
  test('read the text themselves, and their complaint is the answer', async () => {
    expect(await seen('even', '?value=4')).toBe(4);
    expect(await refused('even', '?value=5')).toEqual(['An even number is needed.']);
  });
});

describe('defaults', () => {
  test('stand in for what is absent, enums included, and for nothing else', async () => {
    const args = async (search: string): Promise<unknown> =>
      JSON.parse((await facade.request(`/api/v1/defaults/${search}`)).json.args);
    const all = { text: 'none', int: 7, color: '#009', colors: ['#f00'] };
    expect(await args('')).toEqual(all);
    expect(await args('?text=&int=0&color=red&colors[]=dark_blue')).toEqual({
      text: '',
      int: 0,
      color: '#f00',
      colors: ['#009'],
    });
    expect(await args('?int=&color=')).toEqual(all);
  });

  test('may be null', async () => {
    expect(JSON.parse((await facade.request('/api/v1/nothing/')).json.args)).toEqual({ value: null });
  });
});

describe('hostile texts', () => {
  test('a NUL character is refused in every kind of text', async () => {
    for (const field of ['text', 'id', 'texts', 'even']) {
      const said = JSON.stringify(await refused(field, '?value=a%00b'));
      expect(said).toContain('Null characters are not allowed.');
    }
    expect((await facade.request('/api/v1/color/?value=red%00')).status).toBe(400);
    expect((await facade.request('/api/v1/int/?value=1%00')).status).toBe(400);
    expect(await seen('int', '?a%00b=1&value=2')).toBe(2);
  });

  test.each(['a%FFb', '%ED%A0%80', '%C3', '%C3x%BC', '%EF%BF%BD%FF', '%F8%88%80%80%80'])(
    'bytes that are no UTF-8 are refused: %s',
    async text => {
      for (const field of ['text', 'id', 'texts', 'even']) {
        const { status, json } = await facade.request(`/api/v1/${field}/?value=${text}`);
        expect([status, json.code, json.detail]).toEqual([
          400,
          'parse_error',
          expect.stringMatching(/^Query parse error - .*UTF-8/i),
        ]);
      }
    },
  );

  test('bytes that are no UTF-8 are ignored in what is no parameter', async () => {
    expect(await seen('text', '?utm=a%FFb&%FF=1&value=a')).toBe('a');
  });

  test.each([
    ['%EF%BF%BD', '\ufffd'],
    ['%EF%BB%BFa', '\ufeffa'],
    ['%c3%BC+%F0%9F%98%80', 'ü 😀'],
    ['%C3%BC%zz', 'ü%zz'],
  ])('UTF-8 is decoded: %s', async (sent, text) => {
    expect(await seen('text', `?value=${sent}`)).toBe(text);
  });

  test('what is no percent-encoding stays as it is', async () => {
    expect(await seen('text', '?value=100%&x=%zz')).toBe('100%');
    expect(await seen('text', '?value=%zz%4')).toBe('%zz%4');
  });

  test('an encoded name is the name', async () => {
    expect(await seen('int', '?%76%61lue=3')).toBe(3);
  });
});

describe('many keys', () => {
  test('are all read, and of a hundred problems no more are told', async () => {
    // Node accepts 16 KB of request line and headers.
    expect(await seen('ints', `?${'value=1&'.repeat(1_900)}`)).toHaveLength(1_900);
    const { status, json } = await facade.request(`/api/v1/ints/?${'value=x&'.repeat(1_900)}`);
    expect(status).toBe(400);
    expect(Object.keys(json.value)).toHaveLength(100);
  });

  test.each(['a=1', 'page=1', 'page'])('cost time in proportion to their number, as with %s', pair => {
    const cost = (count: number, rounds: number): number => {
      const search = `?${Array(count).fill(pair).join('&')}`;
      const before = process.cpuUsage();
      for (let round = 0; round < rounds; round++) {
        parseQueryString(search);
        setQueryParameter(search, 'page', '2');
      }
      return process.cpuUsage(before).user;
    };
    cost(1_000, 10);
    // The same number of keys in many requests and in few: if parsing were quadratic, the few would cost 32 times as much.
    const ratios = Array.from({ length: 3 }, () => cost(32_000, 8) / cost(1_000, 8 * 32));
    expect(Math.min(...ratios)).toBeLessThan(10);
  });
});
