import { describe, expect, test } from '@jest/globals';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  input Patch { name: String, size: Int, tags: [String], inner: Patch }
  type Query { list(first: Int!, size: Int = 4): String! }
  type Mutation {
    patch(id: Int!, name: String, size: Int, patch: Patch): String!
    whole(id: Int!, patch: Patch!): String!
    needs(first: Int!, note: String): String!
    defaulted(size: Int = 4, first: Int! = 9): String!
  }`,
  {
    Query: { list: echo },
    Mutation: { patch: echo, whole: echo, needs: echo, defaulted: echo },
  },
);

const operations = {
  'a/patch.graphql': `mutation DoPatch($id: Int!, $name: String, $size: Int, $patch: Patch) @rest(method: PATCH, path: "/flat/{id}/") {
    patch(id: $id, name: $name, size: $size, patch: $patch) @body }`,
  'a/whole.graphql': `mutation DoWhole($id: Int!, $name: String, $size: Int, $tags: [String], $inner: Patch) @rest(method: PATCH, path: "/whole/{id}/") {
    whole(id: $id, patch: { name: $name, size: $size, tags: $tags, inner: $inner }) @body }`,
  'a/list.graphql': `query List($per_page: Int = 30, $size: Int) @rest(method: GET, path: "/list/") {
    list(first: $per_page, size: $size) @body }`,
  'a/needs.graphql': `mutation Needs($first: Int = 3, $note: String = "n") @rest(method: POST, path: "/needs/") {
    needs(first: $first, note: $note) @body }`,
  'a/defaulted.graphql': `mutation Defaulted($size: Int, $first: Int) @rest(method: POST, path: "/defaulted/") {
    defaulted(size: $size, first: $first) @body }`,
};
const facade = await startTestFacade({ graph, operations });
const send = async (method: string, path: string, body: unknown): Promise<unknown> => {
  const { status, json, text } = await facade.send(method, `/api/v1${path}`, body);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(json);
};

describe('PATCH is exact', () => {
  test('an omitted key stays absent and null stays null', async () => {
    expect(await send('PATCH', '/flat/1/', {})).toEqual({ id: 1 });
    expect(await send('PATCH', '/flat/1/', { name: null })).toEqual({ id: 1, name: null });
    expect(await send('PATCH', '/flat/1/', { size: 0, name: '' })).toEqual({ id: 1, name: '', size: 0 });
  });

  test('inside objects and lists too', async () => {
    const patch = { name: null, tags: [null, ''], inner: { size: null, inner: {} } };
    expect(await send('PATCH', '/flat/1/', { patch })).toEqual({ id: 1, patch });
    expect(await send('PATCH', '/flat/1/', { patch: {} })).toEqual({ id: 1, patch: {} });
    expect(await send('PATCH', '/flat/1/', { patch: null })).toEqual({ id: 1, patch: null });
  });

  test('if the operation makes the object from parameters', async () => {
    expect(await send('PATCH', '/whole/1/', {})).toEqual({ id: 1, patch: {} });
    expect(await send('PATCH', '/whole/1/', { name: null, inner: { tags: null } })).toEqual({
      id: 1,
      patch: { name: null, inner: { tags: null } },
    });
  });

  test('undeclared keys are ignored at any depth', async () => {
    const body = { other: 1, patch: { name: 'n', other: 2, inner: { other: 3 } }, id: 5, toString: 'x' };
    expect(await send('PATCH', '/flat/1/', body)).toEqual({ id: 1, patch: { name: 'n', inner: {} } });
  });
});

describe('names of Object.prototype', () => {
  test('as keys have no effect at any depth', async () => {
    const { status, json } = await facade.request('/api/v1/flat/1/', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: `{"__proto__": {"name": "evil", "polluted": 1}, "constructor": {"prototype": {"polluted": 1}},
        "patch": {"__proto__": {"name": "evil", "polluted": 1}, "constructor": 1, "inner": {"__proto__": {"size": 1}, "size": 2}}}`,
    });
    expect(status).toBe(200);
    expect(JSON.parse(json)).toEqual({ id: 1, patch: { inner: { size: 2 } } });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(({} as { name?: unknown }).name).toBeUndefined();
  });
});

describe('defaults', () => {
  test('of the operation replace absence, not null', async () => {
    expect(await send('POST', '/needs/', {})).toEqual({ first: 3, note: 'n' });
    expect(await send('POST', '/needs/', { note: null })).toEqual({ first: 3, note: null });
  });

  test('do not make null valid in a non-null position', async () => {
    const { status, json } = await facade.send('POST', '/api/v1/needs/', { first: null });
    expect([status, json]).toEqual([400, { first: ['This field may not be null.'] }]);
  });

  test('of the graph apply if a parameter without a default is absent', async () => {
    expect(await send('POST', '/defaulted/', {})).toEqual({ size: 4, first: 9 });
    expect(await send('POST', '/defaulted/', { size: null })).toEqual({ size: null, first: 9 });
    expect(await send('POST', '/defaulted/', { size: 0, first: 0 })).toEqual({ size: 0, first: 0 });
    const { status, json } = await facade.send('POST', '/api/v1/defaulted/', { first: null });
    expect([status, json]).toEqual([400, { first: ['This field may not be null.'] }]);
    expect(JSON.parse((await facade.request('/api/v1/list/')).json)).toEqual({ first: 30, size: 4 });
  });
});
