import { describe, expect, test } from '@jest/globals';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

const outcome = (_: unknown, { how }: { how: string }) =>
  how === 'None' ? null : { __typename: how, id: 7, note: null, why: 'so', version: 2 };
const graph = buildTestSchema(
  `
  interface Result { id: Int! }
  type Created implements Result { id: Int!, note: String }
  type Updated implements Result { id: Int!, note: String, version: Int! }
  type Unchanged implements Result { id: Int! }
  type Refused { why: String! }
  union Outcome = Created | Updated | Unchanged | Refused
  type Box { outcome(how: String!): Outcome, many: [Outcome!], matrix: [[Outcome]] }
  type Query {
    outcome(how: String!): Outcome
    result(how: String!): Result
    many: [Outcome]
    box: Box!
    plain: Created
  }
  type Mutation { save(how: String!): Outcome! }`,
  {
    Query: {
      outcome,
      result: outcome,
      many: () => [outcome(0, { how: 'Created' }), null, outcome(0, { how: 'Refused' })],
      box: () => ({}),
      plain: () => ({ id: 1, note: 'x' }),
    },
    Box: {
      outcome,
      many: () => [outcome(0, { how: 'Updated' })],
      matrix: () => [[outcome(0, { how: 'Updated' }), null], null],
    },
    Mutation: { save: outcome },
  },
);

const facade = await startTestFacade({
  graph,
  operations: {
    'a/fragments.graphql': `
      fragment MadeShape on Created { id note }
      fragment ResultShape on Result { id ... on Updated { version } }`,
    'a/save.graphql': `mutation Save($how: String!) @rest(method: PUT, path: "/save/{how}/") {
      save(how: $how) @body {
        ... on Created @status(code: 201) { id note }
        ... on Updated { id version }
        ... on Unchanged @status(code: 204) { id }
        ... on Refused @status(code: 409) { why }
      } }`,
    'a/spread.graphql': `query Spread($how: String!) @rest(method: GET, path: "/spread/{how}/", status: 202) {
      outcome(how: $how) @body { ...MadeShape @status(code: 201) ...ResultShape ... on Refused @status(code: 409) { why } } }`,
    'a/interface.graphql': `query AnInterface($how: String!) @rest(method: GET, path: "/interface/{how}/") {
      result(how: $how) @body { id ... on Created @status(code: 201) { note } ... on Updated { version } } }`,
    'a/abstract.graphql': `query OnAbstract($how: String!) @rest(method: GET, path: "/abstract/{how}/") {
      outcome(how: $how) @body { ... on Result @status(code: 203) { id } ... on Refused @status(code: 409) { why } } }`,
    'a/inside.graphql': `query Inside($how: String!) @rest(method: GET, path: "/inside/{how}/") {
      box { ... on Box { outcome(how: $how) @body { ... on Created @status(code: 201) { id } ... on Refused { why } } } } }`,
    'a/aliased.graphql': `query Aliased($how: String!) @rest(method: GET, path: "/aliased/{how}/") {
      first: outcome(how: "Created") { __typename } second: outcome(how: $how) @body { kind: __typename ... on Refused @status(code: 409) { why } } }`,
    'a/nullable.graphql': `query Nullable($how: String!) @rest(method: GET, path: "/nullable/{how}/") {
      outcome(how: $how) @body(nullable: true) { ... on Created @status(code: 201) { id } } }`,
    'a/plain.graphql': `query Plain @rest(method: GET, path: "/plain/") { plain @body { ...MadeShape @status(code: 206) } }`,
    'a/many.graphql': `query Many @rest(method: GET, path: "/many/") { many @body { ...MadeShape ... on Refused { why } } }`,
    'a/box.graphql': `query ABox @rest(method: GET, path: "/box/") { box @body { many { ...ResultShape } matrix { ...ResultShape } outcome(how: "Created") { ...MadeShape } } }`,
    'a/matrix.graphql': `query Matrix @rest(method: GET, path: "/matrix/") { box { matrix @body { ...ResultShape } } }`,
  },
});
const get = async (path: string): Promise<[number, unknown]> => {
  const { status, json } = await facade.request(`/api/v1${path}`);
  return [status, json];
};

describe('an operation with several outcomes', () => {
  test('sends each with its own status and schema', async () => {
    const put = async (how: string): Promise<[number, string]> => {
      const { status, text } = await facade.request(`/api/v1/save/${how}/`, { method: 'PUT' });
      return [status, text];
    };
    expect(await put('Created')).toEqual([201, '{"id":7,"note":null}']);
    expect(await put('Updated')).toEqual([200, '{"id":7,"version":2}']);
    expect(await put('Refused')).toEqual([409, '{"why":"so"}']);
    expect(await put('Unchanged')).toEqual([204, '']);
  });

  test('a 204 outcome has neither length nor type, and the connection stays usable', async () => {
    const { headers } = await facade.request('/api/v1/save/Unchanged/', { method: 'PUT' });
    expect([headers.get('content-length'), headers.get('content-type')]).toEqual([null, null]);
    expect((await facade.request('/api/v1/save/Created/', { method: 'PUT' })).status).toBe(201);
  });

  test("takes the status from a spread fragment as from an inline one, and the operation's where none is said", async () => {
    expect(await get('/spread/Created/')).toEqual([201, { id: 7, note: null }]);
    expect(await get('/spread/Updated/')).toEqual([202, { id: 7, version: 2 }]);
    expect(await get('/spread/Unchanged/')).toEqual([202, { id: 7 }]);
    expect(await get('/spread/Refused/')).toEqual([409, { why: 'so' }]);
  });

  test('may be an interface', async () => {
    expect(await get('/interface/Created/')).toEqual([201, { id: 7, note: null }]);
    expect(await get('/interface/Updated/')).toEqual([200, { id: 7, version: 2 }]);
    expect(await get('/interface/Unchanged/')).toEqual([200, { id: 7 }]);
  });

  test('may set the status of all types of an interface', async () => {
    expect(await get('/abstract/Created/')).toEqual([203, { id: 7 }]);
    expect(await get('/abstract/Unchanged/')).toEqual([203, { id: 7 }]);
    expect(await get('/abstract/Refused/')).toEqual([409, { why: 'so' }]);
  });

  test('may be nested, also inside a fragment', async () => {
    expect(await get('/inside/Created/')).toEqual([201, { id: 7 }]);
    expect(await get('/inside/Refused/')).toEqual([200, { why: 'so' }]);
    expect(await get('/inside/Updated/')).toEqual([200, {}]);
    expect((await get('/inside/None/'))[0]).toBe(404);
  });

  test('is selected by its alias', async () => {
    expect(await get('/aliased/Refused/')).toEqual([409, { kind: 'Refused', why: 'so' }]);
    expect(await get('/aliased/Created/')).toEqual([200, { kind: 'Created' }]);
  });

  test('may be null if the body is nullable', async () => {
    expect(await get('/nullable/None/')).toEqual([200, null]);
    expect(await get('/nullable/Created/')).toEqual([201, { id: 7 }]);
    expect((await get('/abstract/None/'))[0]).toBe(404);
  });

  test('and a single type may have a status too', async () => {
    expect(await get('/plain/')).toEqual([206, { id: 1, note: 'x' }]);
  });
});

describe('unions elsewhere', () => {
  test('in a list body have no extra key', async () => {
    expect(await get('/many/')).toEqual([200, [{ id: 7, note: null }, null, { why: 'so' }]]);
    expect(await get('/matrix/')).toEqual([200, [[{ id: 7, version: 2 }, null], null]]);
  });

  test('inside the body have no extra key', async () => {
    expect(await get('/box/')).toEqual([
      200,
      { many: [{ id: 7, version: 2 }], matrix: [[{ id: 7, version: 2 }, null], null], outcome: { id: 7, note: null } },
    ]);
  });
});
