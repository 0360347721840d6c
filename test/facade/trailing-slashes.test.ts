import { describe, expect, test } from '@jest/globals';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { rawRequest, sendRaw } from './raw-http.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `type Query { get(id: Int): String! } type Mutation { put(id: Int, text: String): String! }`,
  {
    Query: { get: echo },
    Mutation: { put: echo },
  },
);
const operations = (slash: string) => ({
  'a/get.graphql': `query Get($id: Int!) @rest(method: GET, path: "/things/{id}${slash}") { get(id: $id) @body }`,
  'a/put.graphql': `mutation Put($id: Int!, $text: String) @rest(method: PUT, path: "/things/{id}${slash}") { put(id: $id, text: $text) @body }`,
  'a/post.graphql': `mutation Post($id: Int!) @rest(method: POST, path: "/things/{id}/like${slash}") { put(id: $id) @body }`,
  'a/root.graphql': `query Root @rest(method: GET, path: "/") { get @body }`,
});
const health = await startTestFacade({ graph, operations: operations('/') });
const hosting = await startTestFacade({ graph, operations: operations(''), product: 'hosting-like' });

describe('where paths end in a slash', () => {
  test('a read without it is sent there, with its query as it was', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await health.request('/api/v1/things/1?a=%20b&c', { method });
      expect([status, text]).toEqual([301, '']);
      expect(headers.get('location')).toBe('https://api.example.org/api/v1/things/1/?a=%20b&c');
      expect(headers.get('content-length')).toBe('0');
    }
  });

  test('a write without it is served, for a redirect would lose its body', async () => {
    const { status, json } = await health.send('PUT', '/api/v1/things/1', { text: 'a' });
    expect([status, json]).toEqual([200, '{"id":1,"text":"a"}']);
    expect((await health.request('/api/v1/things/1/like', { method: 'POST' })).status).toBe(200);
  });

  test('OPTIONS without it is answered', async () => {
    expect((await health.request('/api/v1/things/1', { method: 'OPTIONS' })).headers.get('allow')).toBe(
      'GET, PUT, HEAD, OPTIONS',
    );
  });

  test('a read of a path that only takes writes is sent there all the same', async () => {
    expect((await health.request('/api/v1/things/1/like')).status).toBe(301);
    expect((await health.request('/api/v1/things/1/like/')).status).toBe(405);
  });

  test('what is unknown with the slash is unknown without it, and two slashes are one too many', async () => {
    for (const path of [
      '/things',
      '/things/',
      '/things/1/2',
      '/things/1//',
      '/things//1/',
      '//things/1/',
      '/nowhere',
    ]) {
      expect([path, (await health.request(`/api/v1${path}`)).status]).toEqual([path, 404]);
    }
  });

  test('a redirect never leads to another server', async () => {
    for (const target of ['//evil.example/things/1', '/api/v1//evil.example', '/api/v1/things/1?x=//evil.example']) {
      const answer = await sendRaw(health.url, rawRequest('GET', target));
      const location = /\r\nLocation: (.*)\r\n/.exec(answer)?.[1];
      if (location !== undefined) expect(new URL(location).origin).toBe('https://api.example.org');
    }
    const odd = await sendRaw(health.url, rawRequest('GET', '/api/v1/things/<">?<">'));
    expect(odd).toContain('\r\nLocation: https://api.example.org/api/v1/things/%3C%22%3E/?%3C%22%3E\r\n');
  });

  test('the base path itself needs one no more than anything else', async () => {
    expect((await health.request('/api/v1/')).status).toBe(200);
    expect((await health.request('/api/v1')).status).toBe(200);
  });
});

describe('where paths are exact', () => {
  test('a slash too many is 404, for reads and for writes', async () => {
    expect((await hosting.request('/things/1')).status).toBe(200);
    expect((await hosting.request('/things/1/')).status).toBe(404);
    expect((await hosting.send('PUT', '/things/1/', {})).status).toBe(404);
    expect((await hosting.request('/things/1//')).status).toBe(404);
  });

  test('every base path serves all of it', async () => {
    expect((await hosting.request('/api/v3/things/1')).json).toBe('{"id":1}');
    expect((await hosting.request('/api/v3')).status).toBe(200);
    expect((await hosting.request('/')).status).toBe(200);
    expect((await hosting.request('/api/v3/api/v3/things/1')).status).toBe(404);
  });
});
