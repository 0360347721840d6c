import { describe, expect, test } from '@jest/globals';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  enum Color { RED DARK_BLUE }
  enum YesNo { Y N DK }
  enum Size { SMALL LARGE HUGE }
  input Answers { smoker: YesNo, color: Color }
  type Mine { smoker: YesNo, color: Color }
  type Query { get(text: String, int: Int, smoker: YesNo, color: Color, answers: Answers): String!, mine: Mine, list(smoker: YesNo = N): [YesNo], sized(size: Size, color: Color): String }
  type Mutation { put(text: String, int: Int, smoker: YesNo, answers: Answers): String! }`,
  {
    YesNo: { Y: true, N: false, DK: null },
    Query: {
      get: echo,
      mine: () => ({ smoker: true, color: 'DARK_BLUE' }),
      sized: echo,
      list: (_: unknown, { smoker }: { smoker: unknown }) => [smoker],
    },
    Mutation: { put: echo },
  },
);
const operations = {
  'a/get.graphql': `query Get($text: String @aliases(names: ["words", "q"]), $int: Int = 3 @aliases(names: ["number"]))
    @rest(method: GET, path: "/get/") { get(text: $text, int: $int) @body }`,
  'a/headers.graphql': `query Headers($text: String @fromHeader(name: "X-Text", orParameter: true), $int: Int = 3 @fromHeader(name: "X-Number"))
    @rest(method: GET, path: "/headers/") { get(text: $text, int: $int) @body }`,
  'a/put-headers.graphql': `mutation PutHeaders($text: String @fromHeader(name: "X-Text", orParameter: true), $int: Int @fromQuery)
    @rest(method: POST, path: "/put-headers/") { put(text: $text, int: $int) @body }`,
  'a/put.graphql': `mutation Put("Words." $text: String! @aliases(names: ["words"]), $int: Int @aliases(names: ["number"]), $smoker: YesNo = Y, $answers: Answers)
    @rest(method: POST, path: "/put/") { put(text: $text, int: $int, smoker: $smoker, answers: $answers) @body }`,
  'a/spelled.graphql': `query Spelled($smoker: YesNo = DK, $color: Color = DARK_BLUE) @rest(method: GET, path: "/spelled/") {
    get(smoker: $smoker, color: $color, answers: { smoker: N, color: RED }) @body }`,
  'a/mine.graphql': `query Mine @rest(method: GET, path: "/mine/") { mine @body { smoker color } }`,
  'a/sized.graphql': `query Sized($size: Size! @as(type: "String!"), $color: Color = RED @as(type: "Shade"))
    @rest(method: GET, path: "/sized/{size}/") { sized(size: $size, color: $color) @body }`,
  'a/list.graphql': `query List @rest(method: GET, path: "/list/") { list @body }`,
};
const facade = await startTestFacade({
  graph,
  operations,
  overrides: {
    enumSpellings: {
      YesNo: { Y: 'Y', N: 'N', DK: 'DK' },
      Size: { LARGE: 'big', HUGE: null },
      Color: { DARK_BLUE: 'navy' },
    },
  },
});
const get = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
  const { status, json } = await facade.request(`/api/v1${path}`, { headers });
  return status === 200 ? JSON.parse(json) : [status, json];
};
const put = async (body: unknown, headers: Record<string, string> = {}, path = '/put/'): Promise<unknown> => {
  const { status, json } = await facade.request(`/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return status === 200 ? JSON.parse(json) : [status, json];
};

describe('@aliases', () => {
  test('accepts a parameter under other names; its own name takes precedence', async () => {
    expect(await get('/get/?words=a')).toEqual({ text: 'a', int: 3 });
    expect(await get('/get/?q=a&number=0')).toEqual({ text: 'a', int: 0 });
    expect(await get('/get/?q=c&words=b&text=a')).toEqual({ text: 'a', int: 3 });
    expect(await get('/get/?q=c&words=')).toEqual({ text: '', int: 3 });
    expect(await put({ words: 'a', number: null })).toEqual({ text: 'a', int: null, smoker: true });
    expect(await put({ words: 'b', text: 'a' })).toEqual({ text: 'a', smoker: true });
  });

  test('reports errors under the name of the parameter', async () => {
    expect(await put({ words: {} })).toEqual([400, { text: ['Not a valid string.'] }]);
    expect(await put({})).toEqual([400, { text: ['This field is required.'] }]);
  });
});

describe('@fromHeader', () => {
  test('reads the header, and nothing else', async () => {
    expect(await get('/headers/', { 'x-number': '5' })).toEqual({ int: 5 });
    expect(await get('/headers/?int=4', { 'x-number': '5' })).toEqual({ int: 5 });
    expect(await get('/headers/?int=4')).toEqual({ int: 3 });
  });

  test('with orParameter, the parameter takes precedence unless it is absent or null', async () => {
    expect(await get('/headers/?text=q', { 'x-text': 'h' })).toEqual({ text: 'q', int: 3 });
    expect(await put({}, { 'x-text': 'h' }, '/put-headers/')).toEqual({ text: 'h' });
    expect(await put({ text: null }, { 'x-text': 'h' }, '/put-headers/')).toEqual({ text: 'h' });
    expect(await put({ text: 'b' }, { 'x-text': 'h' }, '/put-headers/')).toEqual({ text: 'b' });
  });

  test('is coerced like any other parameter', async () => {
    expect(await get('/headers/', { 'x-number': 'five' })).toEqual([400, { int: ['A valid integer is required.'] }]);
  });
});

describe('parameters of a write', () => {
  test('are read from the body alone', async () => {
    expect(await put({}, {}, '/put/?text=q&words=q')).toEqual([400, { text: ['This field is required.'] }]);
    expect(await put({ text: 'b' }, {}, '/put/?text=q&int=5')).toEqual({ text: 'b', smoker: true });
  });

  test('with @fromQuery are read from the query string alone', async () => {
    expect(await put({ int: 4 }, {}, '/put-headers/?int=5&text=q')).toEqual({ int: 5 });
    expect(await put({ int: 4 }, {}, '/put-headers/')).toEqual({});
  });
});

describe('enums that are published in upper case', () => {
  test('keep their case in values, literals and defaults; others are in lower case', async () => {
    expect(await get('/spelled/')).toEqual({
      smoker: null,
      color: 'DARK_BLUE',
      answers: { smoker: false, color: 'RED' },
    });
    expect(await get('/spelled/?smoker=Y&color=red')).toEqual({
      smoker: true,
      color: 'RED',
      answers: { smoker: false, color: 'RED' },
    });
    expect(await get('/spelled/?smoker=y')).toEqual([
      400,
      { smoker: ['Select a valid choice. y is not one of the available choices.'] },
    ]);
    expect(await put({ text: 'a', answers: { smoker: 'N', color: 'navy' } })).toEqual({
      text: 'a',
      smoker: true,
      answers: { smoker: false, color: 'DARK_BLUE' },
    });
    expect((await facade.request('/api/v1/mine/')).json).toEqual({ smoker: 'Y', color: 'navy' });
    expect((await facade.request('/api/v1/list/')).json).toEqual(['N']);
  });

  test('are documented in upper case', () => {
    const { components, paths } = facade.document() as {
      components: { schemas: Record<string, unknown> };
      paths: Record<string, Record<string, { parameters: unknown[] }>>;
    };
    expect(components.schemas).toMatchObject({
      YesNo: { enum: ['Y', 'N', 'DK'] },
      Color: { enum: ['red', 'navy'] },
    });
    expect(paths['/spelled/']?.get?.parameters).toMatchObject([
      { name: 'smoker', schema: { default: 'DK' } },
      { name: 'color', schema: { default: 'navy' } },
    ]);
  });
});

test('a value without a spelling is not published', async () => {
  expect(await get('/sized/big/')).toEqual({ size: 'LARGE', color: 'RED' });
  for (const size of ['huge', 'HUGE', 'null', 'large'])
    expect(await get(`/sized/${size}/`)).toEqual([404, expect.anything()]);
});

test('@as at a variable is its type in the document alone', async () => {
  expect(await get('/sized/small/?color=navy')).toEqual({ size: 'SMALL', color: 'DARK_BLUE' });
  expect(await get('/sized/small/?color=blue')).toEqual([400, expect.anything()]);
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document.
  const { components, paths } = facade.document() as any;
  expect(paths['/sized/{size}/'].get.parameters).toMatchObject([
    { name: 'size', schema: { type: 'string' } },
    { name: 'color', schema: { $ref: '#/components/schemas/Shade', default: 'red' } },
  ]);
  expect(components.schemas).toMatchObject({ Shade: { enum: ['red', 'navy'] } });
  expect(components.schemas).not.toHaveProperty('Size');
});

test('the document has aliases, and headers as parameters', () => {
  const { paths } = facade.document() as {
    paths: Record<
      string,
      Record<
        string,
        { parameters: unknown[]; requestBody: { required: boolean; content: Record<string, { schema: object }> } }
      >
    >;
  };
  expect(paths['/get/']?.get?.parameters).toEqual([
    {
      name: 'text',
      in: 'query',
      required: false,
      description: 'Also taken as `words`, `q`.',
      schema: { type: 'string' },
    },
    {
      name: 'int',
      in: 'query',
      required: false,
      description: 'Also taken as `number`.',
      schema: expect.objectContaining({ type: 'integer' }),
    },
  ]);
  expect(paths['/headers/']?.get?.parameters).toMatchObject([
    { name: 'text', in: 'query' },
    { name: 'X-Text', in: 'header' },
    { name: 'X-Number', in: 'header', schema: { type: 'integer' } },
  ]);
  expect(paths['/put-headers/']?.post).toMatchObject({
    parameters: [
      { name: 'int', in: 'query' },
      { name: 'X-Text', in: 'header' },
      { name: 'Idempotency-Key', in: 'header' },
    ],
    requestBody: { required: false, content: { 'application/json': { schema: { properties: { text: {} } } } } },
  });
  const post = paths['/put/']?.post;
  expect(post?.requestBody.required).toBe(true);
  expect(post?.requestBody.content['application/json']?.schema).toMatchObject({
    properties: { text: { type: 'string', description: 'Words. Also taken as `words`.' } },
  });
});

test.each([
  [
    'an alias that is another variable',
    '$text: String @aliases(names: ["int"]), $int: Int',
    'Two variables have the name int.',
  ],
  [
    'an alias of two',
    '$text: String @aliases(names: ["a"]), $int: Int @aliases(names: ["a"])',
    'Two variables have the name a.',
  ],
  [
    'a parameter of two places',
    '$text: String @fromHeader(name: "X") @fromQuery, $int: Int',
    '$text would be read from header and query: one place only.',
  ],
  [
    'a required parameter beside a header',
    '$text: String! @fromHeader(name: "X", orParameter: true), $int: Int',
    '$text has @fromHeader(orParameter: true), and must be nullable.',
  ],
  [
    'a list from a header',
    '$text: String, $int: Int, $list: [Int] @fromHeader(name: "X")',
    '$list is not a single value and cannot be read from a header.',
  ],
])('%s stops the boot', (_, variables, reason) => {
  const list = variables.includes('$list') ? 'list(ints: $list)' : '';
  const withList = buildTestSchema(`type Query { get(text: String, int: Int): String!, list(ints: [Int]): Int }`);
  const text = `query Get(${variables}) @rest(method: GET, path: "/x/") { get(text: $text, int: $int) @body ${list} }`;
  expect(bootError({ graph: withList, operations: { 'a/get.graphql': text } })).toBe(`test/a/get.graphql:1: ${reason}`);
});
