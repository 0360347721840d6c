import { describe, expect, test } from '@jest/globals';
import { isInputObjectType } from 'graphql';
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
  input Contents { airMail: AirMail, books: Books }
  input AirMail { grams: Int! }
  input Books { titles: [String!]! }
  input Order { type: String!, contents: Contents, internal: String, note: String }
  type Query { nothing: Int }
  type Mutation { send(parcel: Parcel, letter: Letter): String!  order(orders: [Order!]!): String! }`,
  {
    Mutation: {
      send: (_: unknown, given: object) => JSON.stringify(given),
      order: (_: unknown, { orders }: { orders: object[] }) => JSON.stringify(orders),
    },
  },
);
const airMail = graph.getType('AirMail');
const grams = isInputObjectType(airMail) ? airMail.getFields().grams : undefined;
if (grams) grams.extensions = { jsonSchema: { minimum: 1, maximum: 20 } };
const facade = await startTestFacade({
  graph,
  operations: {
    'a/send.graphql': `mutation Send($parcel: Parcel, $letter: Letter) @rest(method: POST, path: "/sent/") {
      send(parcel: $parcel, letter: $letter) @body }`,
    'a/order.graphql': `mutation Order($orders: [Order!]!) @rest(method: POST, path: "/orders/") {
      order(orders: $orders) @body }`,
  },
  overrides: {
    inputSpellings: {
      Parcel: { sentTo: 'sent_to', isFragile: 'is_fragile' },
      Order: { internal: null, contents: 'what' },
    },
    inputVariants: { Order: { contents: 'type' } },
  },
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

describe('an input with one field for each type', () => {
  const order = (...orders: unknown[]) => facade.send('POST', '/api/v1/orders/', { orders });

  test('is published without the level of the types', async () => {
    const { json } = await order(
      { type: 'air_mail', what: { grams: 20 } },
      { type: 'books', what: { titles: ['a'], grams: 7 }, note: 'x' },
      { type: 'books', what: null },
      { type: 'books' },
    );
    expect(JSON.parse(json)).toEqual([
      { type: 'air_mail', contents: { airMail: { grams: 20 } } },
      { type: 'books', contents: { books: { titles: ['a'] } }, note: 'x' },
      { type: 'books', contents: null },
      { type: 'books' },
    ]);
  });

  test('ignores what is beside a name of no field, and fields that bodies lack', async () => {
    const { json } = await order(
      { type: 'nothing', what: 7 },
      { type: '__proto__', what: { x: 1 } },
      { type: 'constructor', what: {}, internal: 'x' },
    );
    expect(JSON.parse(json)).toEqual([{ type: 'nothing' }, { type: '__proto__' }, { type: 'constructor' }]);
  });

  test.each([
    ['a value of another type', { type: 'books', what: { grams: 1 } }, '"titles"'],
    ['a value below the least', { type: 'air_mail', what: { grams: 0 } }, '"grams"'],
    ['a value above the greatest', { type: 'air_mail', what: { grams: 21 } }, '"grams"'],
    ['a type that is no text', { type: { toString: 1 }, what: {} }, '"type"'],
  ])('refuses %s', async (_, one, named) => {
    const { status, text } = await order(one);
    expect(status).toBe(400);
    expect(text).toContain(named);
  });
});
