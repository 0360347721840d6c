import { expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `
  input Parcel {
    "Where it goes."
    sentTo: String!
    isFragile: Boolean
    within: Parcel
  }
  input Letter { sentTo: String }
  type Query { nothing: Int }
  type Mutation { send(parcel: Parcel, letter: Letter): String! }`,
  { Mutation: { send: (_: unknown, given: object) => JSON.stringify(given) } },
);
const facade = await startTestFacade({
  graph,
  operations: {
    'a/send.graphql': `mutation Send($parcel: Parcel, $letter: Letter) @rest(method: POST, path: "/sent/") {
      send(parcel: $parcel, letter: $letter) @body }`,
  },
  overrides: { inputSpellings: { Parcel: { sentTo: 'sent_to', isFragile: 'is_fragile' } } },
});

test('fields of bodies have their published names, and the graph has its own', async () => {
  const { json } = await facade.send('POST', '/api/v1/sent/', {
    parcel: { sent_to: 'Wren', is_fragile: true, within: { sent_to: 'Juniper' } },
    letter: { sentTo: 'Tomas' },
  });
  expect(JSON.parse(json)).toEqual({
    parcel: { sentTo: 'Wren', isFragile: true, within: { sentTo: 'Juniper' } },
    letter: { sentTo: 'Tomas' },
  });
});

test('the names of the graph are unknown, and problems name the published ones', async () => {
  const { status, text } = await facade.send('POST', '/api/v1/sent/', { parcel: { sentTo: 'Wren', is_fragile: 7 } });
  expect(status).toBe(400);
  expect(text).toContain('"sent_to"');
  expect(text).toContain('"is_fragile"');
});

test('the OpenAPI document has the published names', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document.
  const { schemas } = (facade.document() as any).components;
  expect(Object.keys(schemas.Parcel.properties)).toEqual(['sent_to', 'is_fragile', 'within']);
  expect(schemas.Parcel.properties.sent_to.description).toBe('Where it goes.');
  expect(schemas.Parcel.required).toEqual(['sent_to']);
  expect(Object.keys(schemas.Letter.properties)).toEqual(['sentTo']);
});
