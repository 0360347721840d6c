import { expect, test } from '@jest/globals';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  'type Query { get(id: Int): String! } type Mutation { change(id: Int!, text: String): String! }',
  {
    Query: { get: echo },
    Mutation: { change: echo },
  },
);
const operations = {
  'a/change.graphql': `mutation Change($id: Int!, $text: String)
    @rest(method: PATCH, path: "/things/{id}/", needsBody: true) { change(id: $id, text: $text) @body }`,
  'a/touch.graphql': `mutation Touch($id: Int!, $text: String)
    @rest(method: POST, path: "/things/{id}/", status: 201) { change(id: $id, text: $text) @body }`,
};
const health = await startTestFacade({ graph, operations });
const hosting = await startTestFacade({ graph, operations, product: 'hosting-like' });
const path = '/api/v1/things/5/';
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('a missing required body is refused with each product’s message', async () => {
  for (const init of [
    { method: 'PATCH' },
    { method: 'PATCH', body: '', headers: json },
    { method: 'PATCH', body: '', headers: form },
  ]) {
    expect(await health.request(path, init)).toMatchObject({
      status: 400,
      json: { non_field_errors: ['No data provided'] },
    });
  }
  expect(await hosting.request('/things/5/', { method: 'PATCH' })).toMatchObject({
    status: 400,
    json: { message: 'Body should be a JSON object' },
  });
});

test('query parameters do not replace it', async () => {
  expect((await health.request(`${path}?text=a`, { method: 'PATCH' })).status).toBe(400);
});

test('an empty object is a body, and an optional body may be missing', async () => {
  expect(await health.send('PATCH', path, {})).toMatchObject({ status: 200, json: '{"id":5}' });
  expect(await health.send('PATCH', path, { text: 'a' })).toMatchObject({ status: 200, json: '{"id":5,"text":"a"}' });
  expect((await health.request(path, { method: 'POST' })).status).toBe(201);
});

test('an invalid path parameter takes precedence', async () => {
  expect((await health.request('/api/v1/things/x/', { method: 'PATCH' })).status).toBe(404);
});

test('is documented as required', () => {
  const document = health.document() as { paths: Record<string, Record<string, { requestBody: object }>> };
  const bodies = document.paths['/things/{id}/'];
  expect(bodies?.patch?.requestBody).toMatchObject({ required: true });
  expect(bodies?.post?.requestBody).toMatchObject({ required: false });
});

test('a method without a body cannot require one', () => {
  const get = 'query Get($id: Int) @rest(method: GET, path: "/things/", needsBody: true) { get(id: $id) @body }';
  expect(bootError({ graph, operations: { 'a/get.graphql': get } })).toBe(
    'test/a/get.graphql:1: A GET has no body that could be required.',
  );
});
