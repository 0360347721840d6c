import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { buildTestSchema } from './build-test-schema.ts';
import { startTestFacade } from './test-facade.ts';

/** Refuses the inputs whose paths are in `at`, which are joined by dots. */
function refuse(_: unknown, { at }: { at: string[] }): never {
  const problems = at.map(one => ({
    path: one === '' ? [] : one.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step)),
    code: 'INVALID',
    message: `${one} is wrong.`,
  }));
  throw new GraphQLError('wrong', { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 }, problems } });
}

function refuseRange(): never {
  const named = ['from', 'to'];
  const problems = [
    {
      path: ['from'],
      code: 'INVALID',
      message: 'from must not be later than to, nor tomorrow.',
      named,
      resource: 'Range',
    },
    { path: ['to'], code: 'INVALID', message: 'Send to or from.' },
  ];
  throw new GraphQLError('wrong', { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 }, problems } });
}

const graph = buildTestSchema(
  `
  input Row { startsAt: String }
  input ChangeInput { oldPassword: String, rows: [Row!], goalId: ID, deep: Row, fixed: Int }
  type Owner { search(at: [String!]!, sortBy: String): Int }
  type Query { owners: [Owner!]!, search(at: [String!]!, sortBy: String): Int, range(from: Int, to: Int): Int }
  type Mutation {
    change(at: [String!]!, input: ChangeInput, isFlat: Boolean): Int
    replace(at: [String!]!, input: ChangeInput): Int
  }`,
  {
    Query: { search: refuse, owners: () => [{}], range: refuseRange },
    Owner: { search: refuse },
    Mutation: { change: refuse, replace: refuse },
  },
);
const operations = {
  'a/change.graphql': `mutation Change($at: [String!]!, $old_password: String, $entries: [Row!], $goal_id: ID, $starts: String, $flat: Boolean, $last: String)
    @rest(method: POST, path: "/change") {
      change(at: $at, input: { oldPassword: $old_password, rows: $entries, goalId: $goal_id, deep: { startsAt: $starts }, fixed: 1 }, isFlat: $flat) @body
      search: replace(at: [], input: { rows: [{ startsAt: "x" }, { startsAt: $last }] }) }`,
  'a/replace.graphql': `mutation Replace($at: [String!]!, $change: ChangeInput) @rest(method: PUT, path: "/change") {
      replace(at: $at, input: $change) @body }`,
  'a/search.graphql': `query Search($at: [String!]!, $sort_by: String) @rest(method: GET, path: "/search") { ...Root }
    fragment Root on Query { found: search(at: $at, sortBy: $sort_by) @body }`,
  'a/range.graphql': `query Range($since: Int, $to: Int) @rest(method: GET, path: "/range") {
      range(from: $since, to: $to) @body }`,
  'a/owners.graphql': `query Owners($at: [String!]!, $order: String) @rest(method: GET, path: "/owners") {
      owners @body { search(at: $at, sortBy: $order) } }`,
};
const facade = await startTestFacade({ graph, operations, overrides: { basePaths: [''], trailingSlash: 'exact' } });
const change = async (at: string[], method = 'POST'): Promise<unknown> =>
  (await facade.send(method, '/change', { at })).json;

describe('a refused input is published under the name of the parameter', () => {
  test('from a path into the argument `input` and from a name in it', async () => {
    expect(await change(['oldPassword', 'input.goalId'])).toEqual({
      old_password: ['oldPassword is wrong.'],
      goal_id: ['input.goalId is wrong.'],
    });
    expect(await change(['deep.startsAt', 'rows.3.startsAt', 'oldPassword', 'oldPassword'])).toEqual({
      starts: ['deep.startsAt is wrong.'],
      entries: { 3: { startsAt: ['rows.3.startsAt is wrong.'] } },
      old_password: ['oldPassword is wrong.', 'oldPassword is wrong.'],
    });
  });

  test('from an argument of its own', async () => {
    expect(await change(['isFlat'])).toEqual({ flat: ['isFlat is wrong.'] });
  });

  test('from a variable that is the whole input', async () => {
    expect(await change(['oldPassword'], 'PUT')).toEqual({
      change: { oldPassword: ['oldPassword is wrong.'] },
    });
  });

  test('of a query, and of a field in a list', async () => {
    expect((await facade.request('/search?at=sortBy')).json).toEqual({ sort_by: ['sortBy is wrong.'] });
    expect((await facade.request('/owners?at=sortBy')).json).toEqual({ order: ['sortBy is wrong.'] });
  });

  test('unless no variable feeds it', async () => {
    expect(await change(['fixed', 'password', 'rows'])).toEqual({
      fixed: ['fixed is wrong.'],
      password: ['password is wrong.'],
      entries: ['rows is wrong.'],
    });
  });

  test('also in the words of a message that are said to name arguments', async () => {
    expect((await facade.request('/range')).json).toEqual({
      since: ['since must not be later than to, nor tomorrow.'],
      to: ['Send to or from.'],
    });
  });

  test('the input as a whole has no name', async () => {
    expect(await change([''])).toEqual({ non_field_errors: [' is wrong.'] });
  });
});

test('the code hosting API publishes entries', async () => {
  const hosting = await startTestFacade({ graph, operations, product: 'hosting-like' });
  const body = JSON.stringify({ at: ['oldPassword', ''] });
  const { status, json } = await hosting.request('/change', { method: 'POST', headers: { 'user-agent': 'x' }, body });
  expect(status).toBe(422);
  expect(json.errors).toEqual([
    { field: 'old_password', code: 'custom', message: 'oldPassword is wrong.' },
    { code: 'custom', message: ' is wrong.' },
  ]);
  const range = await hosting.request('/range', { headers: { 'user-agent': 'x' } });
  expect(range.json.errors[0]).toEqual({
    resource: 'Range',
    field: 'since',
    code: 'custom',
    message: 'since must not be later than to, nor tomorrow.',
  });
});
