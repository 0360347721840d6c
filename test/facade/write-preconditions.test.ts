import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

let text: string | null = 'first';
const graph = buildTestSchema(
  `type Query { text(id: Int): String, hidden: String } type Mutation { write(id: Int, text: String!): String, erase: Boolean }`,
  {
    Query: {
      text: () => text,
      hidden: () => {
        throw new GraphQLError('No.', { extensions: { code: 'FORBIDDEN', http: { status: 403 } } });
      },
    },
    Mutation: {
      write: (_: unknown, input: { text: string }) => {
        text = input.text;
        return text;
      },
      erase: () => {
        text = null;
        return true;
      },
    },
  },
);
const operations = (slash: string) => ({
  'a/get.graphql': `query Get($id: Int!) @rest(method: GET, path: "/texts/{id}${slash}") { text(id: $id) @body }`,
  'a/put.graphql': `mutation Put($id: Int!, $text: String!) @rest(method: PUT, path: "/texts/{id}${slash}") { write(id: $id, text: $text) @body }`,
  'a/patch.graphql': `mutation Patch($id: Int!, $text: String!) @rest(method: PATCH, path: "/texts/{id}${slash}") { write(id: $id, text: $text) @body }`,
  'a/post.graphql': `mutation Post($id: Int!, $text: String!) @rest(method: POST, path: "/texts/{id}${slash}") { write(id: $id, text: $text) @body }`,
  'a/delete.graphql': `mutation Delete($id: Int!) @rest(method: DELETE, path: "/texts/{id}${slash}", status: 204) { write(id: $id, text: "gone") erase }`,
  'a/hidden.graphql': `query Hidden @rest(method: GET, path: "/hidden${slash}") { hidden @body }`,
  'a/erase-hidden.graphql': `mutation EraseHidden @rest(method: DELETE, path: "/hidden${slash}", status: 204) { erase }`,
  'a/erase.graphql': `mutation Erase @rest(method: DELETE, path: "/write-only${slash}", status: 204) { erase }`,
});
// One executor: the resolvers keep the text.
const hosting = await startTestFacade({
  graph,
  product: 'hosting-like',
  operations: operations(''),
  executor: 'own',
});
const health = await startTestFacade({ graph, operations: operations('/'), executor: 'own' });

const etag = async (): Promise<string> => (await hosting.request('/texts/1')).headers.get('etag') ?? '';
const send = async (method: string, ifMatch: string, body?: unknown) => {
  const headers = { 'if-match': ifMatch, 'content-type': 'application/json' };
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  return hosting.request('/texts/1', { method, headers, ...init });
};

describe('If-Match of a write', () => {
  test.each(['PUT', 'PATCH', 'DELETE'])('%s with an old tag is 412 and writes nothing', async method => {
    text = 'first';
    const old = await etag();
    text = 'second';
    const { status, json } = await send(method, old, { text: 'third' });
    expect([status, json.status, json.message]).toEqual([
      412,
      '412',
      'Precondition Failed: If-Match names no current version of the resource.',
    ]);
    expect(text).toBe('second');
  });

  test('with the current tag, weak, in a list or without quotes, writes', async () => {
    const forms = (tag: string) => [tag, `W/${tag}`, `"x", ${tag}`, tag.slice(1, -1), '*'];
    for (const at of forms('""').keys()) {
      text = 'first';
      const form = forms(await etag())[at] ?? '';
      expect([form, (await send('PUT', form, { text: `written ${at}` })).status]).toEqual([form, 200]);
      expect(text).toBe(`written ${at}`);
    }
  });

  test('is decided before the body is read', async () => {
    text = 'first';
    expect((await send('PATCH', '"old"', { text: 5 })).status).toBe(412);
    expect((await send('PATCH', '*', { text: 5 })).status).toBe(422);
  });

  test('of something absent: PUT would create it, the others find nothing', async () => {
    for (const ifMatch of ['*', '"x"']) {
      text = null;
      expect((await send('PUT', ifMatch, { text: 'new' })).status).toBe(412);
      expect((await send('PATCH', ifMatch, { text: 'new' })).status).toBe(404);
      expect((await send('DELETE', ifMatch)).status).toBe(404);
      expect(text).toBeNull();
    }
  });

  test('is the error of the read for a caller who may not read', async () => {
    text = 'first';
    const { status } = await hosting.request('/hidden', { method: 'DELETE', headers: { 'if-match': '*' } });
    expect([status, text]).toEqual([403, 'first']);
  });

  test('has no effect on POST and on a path without GET', async () => {
    expect((await send('POST', '"old"', { text: 'posted' })).status).toBe(200);
    const { status } = await hosting.request('/write-only', { method: 'DELETE', headers: { 'if-match': '"old"' } });
    expect(status).toBe(204);
  });

  test('has the error JSON of the health API, whose resources have no tags', async () => {
    text = 'first';
    const request = (ifMatch: string) =>
      health.request('/api/v1/texts/1/', { method: 'DELETE', headers: { 'if-match': ifMatch } });
    const { status, json } = await request('"x"');
    expect([status, json]).toEqual([
      412,
      { detail: 'The condition of If-Match is not met.', code: 'precondition_failed' },
    ]);
    expect(text).toBe('first');
    expect((await request('*')).status).toBe(204);
  });

  test('is documented where GET serves the path', () => {
    type Described = { parameters?: { name?: string }[]; responses: Record<string, unknown> };
    const paths = hosting.document().paths as Record<string, Record<string, Described>>;
    const documented = (path: string, method: string) => {
      const { parameters = [], responses } = paths[path]?.[method] ?? { responses: {} };
      return [parameters.some(one => one.name === 'If-Match'), '412' in responses];
    };
    for (const method of ['put', 'patch', 'delete']) expect(documented('/texts/{id}', method)).toEqual([true, true]);
    for (const method of ['get', 'post']) expect(documented('/texts/{id}', method)).toEqual([false, false]);
    expect(documented('/write-only', 'delete')).toEqual([false, false]);
  });
});
