import { describe, expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

let thing: Record<string, unknown> | null = {};
const full = {
  id: 0,
  name: '',
  flag: false,
  ratio: 0,
  color: '#f00',
  colors: ['#f00', '#009'],
  none: null,
  empty: [],
  inner: { id: 1, name: null, none: null, inner: { id: 2, none: null } },
  list: [{ id: 3, none: null, name: 'a' }, null, { id: 4, none: 'there', name: null }],
  matrix: [[{ id: 5, none: null }], null, []],
};
const graph = buildTestSchema(
  `
  enum Color { RED DARK_BLUE }
  interface Named { name: String }
  type Thing implements Named {
    id: Int, name: String, flag: Boolean, ratio: Float, color: Color, colors: [Color!], none: String, empty: [Int!],
    inner: Thing, list: [Thing], matrix: [[Thing]], named: Named
  }
  type Query { thing: Thing, things: [Thing], color: Color, colors: [Color], ids: [Int], count: Int, deep: Deep }
  type Deep { deep: Deep, thing: Thing, things: [Thing!], count: Int }
  type Mutation { touch: Boolean! }`,
  {
    Color: { RED: '#f00', DARK_BLUE: '#009' },
    Thing: { named: () => ({ __typename: 'Thing', name: 'n', id: 1 }) },
    Query: {
      thing: () => thing && structuredClone(thing),
      things: () => [structuredClone(full), null],
      color: () => '#009',
      colors: () => ['#f00', null, '#009'],
      ids: () => [0, null, 1],
      count: () => 0,
      deep: () => ({ deep: { deep: { thing: structuredClone(full), things: [], count: 0 } } }),
    },
    Mutation: { touch: () => true },
  },
);

const facade = await startTestFacade({
  graph,
  operations: {
    'a/shapes.graphql': `
      fragment Small on Thing { id none @omitNull }
      fragment Other on Thing { inner { id ...Small name } name }
      fragment Both on Thing { ...Small ...Other inner { inner { ...Small } } }
      fragment OnNamed on Named { name ... on Thing { id } }`,
    'a/all.graphql': `query All @rest(method: GET, path: "/all/") {
      thing @body { ratio id name flag color colors none empty inner { id } list { id } matrix { id } } }`,
    'a/renamed.graphql': `query Renamed @rest(method: GET, path: "/renamed/") {
      x: thing @body { z_id: id a_name: name type: __typename null: none inner_thing: inner { the_id: id } } }`,
    'a/omit.graphql': `query Omit @rest(method: GET, path: "/omit/") {
      thing @body { id none @omitNull inner @omitNull { none @omitNull inner { none @omitNull id } } list @omitNull { id none @omitNull name } matrix { none @omitNull id } } }`,
    'a/omit-list.graphql': `query OmitList @rest(method: GET, path: "/omit-list/") { things @body { id none @omitNull list { none @omitNull } } }`,
    'a/both.graphql': `query TheBoth @rest(method: GET, path: "/both/") { thing @body { ...Both ...Small ...Other } }`,
    'a/named.graphql': `query TheNamed @rest(method: GET, path: "/named/") { thing @body { ...OnNamed named { ...OnNamed } } }`,
    'a/list.graphql': `query List @rest(method: GET, path: "/list/") { things @body { ...Small } }`,
    'a/color.graphql': `query TheColor @rest(method: GET, path: "/color/") { color @body }`,
    'a/colors.graphql': `query Colors @rest(method: GET, path: "/colors/") { colors @body }`,
    'a/ids.graphql': `query Ids @rest(method: GET, path: "/ids/") { ids @body }`,
    'a/count.graphql': `query Count @rest(method: GET, path: "/count/") { count @body }`,
    'a/deep.graphql': `query Deepest @rest(method: GET, path: "/deep/") { deep { deep { d: deep { thing @body { id } } } } }`,
    'a/deep-count.graphql': `query DeepCount @rest(method: GET, path: "/deep-count/") { deep { deep { deep { c: count @body } } } }`,
    'a/deep-list.graphql': `query DeepList @rest(method: GET, path: "/deep-list/") { deep { deep { deep { things @body { id } } } } }`,
    'a/touch.graphql': `mutation Touch @rest(method: POST, path: "/touch/", status: 204) { touch }`,
    'a/touched.graphql': `mutation Touched @rest(method: PUT, path: "/touch/", status: 201) { touch @body }`,
  },
});
const text = async (path: string): Promise<string> => {
  const answer = await facade.request(`/api/v1${path}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.text;
};

describe('@body', () => {
  test('sends the selection in its order, including falsy values', async () => {
    thing = full;
    expect(await text('/all/')).toBe(
      '{"ratio":0.0,"id":0,"name":"","flag":false,"color":"red","colors":["red","dark_blue"],"none":null,"empty":[],' +
        '"inner":{"id":1},"list":[{"id":3},null,{"id":4}],"matrix":[[{"id":5}],null,[]]}',
    );
  });

  test('sends keys by their aliases, and no names above the body', async () => {
    expect(await text('/renamed/')).toBe(
      '{"z_id":0,"a_name":"","type":"Thing","null":null,"inner_thing":{"the_id":1}}',
    );
  });

  test('may be on a root field, a scalar, a list, and nested', async () => {
    expect(await text('/color/')).toBe('"dark_blue"');
    expect(await text('/colors/')).toBe('["red",null,"dark_blue"]');
    expect(await text('/ids/')).toBe('[0,null,1]');
    expect(await text('/count/')).toBe('0');
    expect(await text('/deep/')).toBe('{"id":0}');
    expect(await text('/deep-count/')).toBe('0');
    expect(await text('/deep-list/')).toBe('[]');
  });

  test('is JSON with Content-Length', async () => {
    const { headers, text: body } = await facade.request('/api/v1/all/');
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  });
});

describe('a response without a body', () => {
  test('is 204, with neither type nor length', async () => {
    const { status, text: body, headers } = await facade.request('/api/v1/touch/', { method: 'POST' });
    expect([status, body, headers.get('content-type'), headers.get('content-length')]).toEqual([204, '', null, null]);
  });

  test('and one with a body has the operation’s status', async () => {
    const { status, json } = await facade.request('/api/v1/touch/', { method: 'PUT' });
    expect([status, json]).toEqual([201, true]);
  });
});

describe('@omitNull', () => {
  test('omits null keys at every depth, and nothing else', async () => {
    thing = full;
    expect(await text('/omit/')).toBe(
      '{"id":0,"inner":{"inner":{"id":2}},"list":[{"id":3,"name":"a"},null,{"id":4,"none":"there","name":null}],"matrix":[[{"id":5}],null,[]]}',
    );
    thing = { ...full, inner: null, list: null, none: '', matrix: null };
    expect(await text('/omit/')).toBe('{"id":0,"none":"","matrix":null}');
  });

  test('works in a list body', async () => {
    expect(await text('/omit-list/')).toBe('[{"id":0,"list":[{},null,{"none":"there"}]},null]');
  });
});

describe('fragments', () => {
  test('may share fields with others and with the operation, nested ones merged', async () => {
    thing = full;
    expect(await text('/both/')).toBe('{"id":0,"inner":{"id":1,"name":null,"inner":{"id":2}},"name":""}');
    thing = { ...full, inner: { id: 1, name: 'x', none: 'y', inner: { id: 2, none: 'z' } } };
    expect(await text('/both/')).toBe(
      '{"id":0,"inner":{"id":1,"none":"y","name":"x","inner":{"id":2,"none":"z"}},"name":""}',
    );
  });

  test('may be on an interface and shared by operations', async () => {
    thing = full;
    expect(await text('/named/')).toBe('{"name":"","id":0,"named":{"name":"n","id":1}}');
    expect(await text('/list/')).toBe('[{"id":0},null]');
  });
});
