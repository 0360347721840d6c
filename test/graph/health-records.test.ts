import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { printSchema } from 'graphql';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';
import { publicSchema } from './public-schema.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-11-01T12:00:00Z' });
/** `few` has one row of each noun, `many` has 100. */
const [few, many, other] = (await createAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
const rowsOfMany = 100;

async function ask(person: TestAccount, query: string, variables: object = {}): Promise<Answer> {
  return gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${person.access}` },
    body: JSON.stringify({ query, variables }),
  });
}

beforeAll(async () => {
  for (const person of [few, many]) {
    const post = (path: string, body: object) => send(gateway, 'POST', path, body, person.access);
    await post('/health/goals/', { goal_type: 'weight', target_value: 60, description: 'for the wedding' });
    await post('/health/symptoms/', { symptom_name: 'hay fever', severity: 4 });
    await post('/health/vitals/', { weight_kg: 66, steps: 4000 });
    await post('/assessments/', { symptoms: ['headache', 'light hurts my eyes'] });
  }
  // Copies, an hour apart from each other.
  const copies = sql`generate_series(1, ${rowsOfMany - 1}::int) n where user_id = ${many.id}`;
  const at = sql`created_at - n * interval '1 hour'`;
  for (const statement of [
    sql`insert into health_goal (user_id, goal_type, target_value, unit, start_date, created_at, updated_at)
      select user_id, goal_type, target_value, unit, start_date, ${at}, updated_at from health_goal, ${copies}`,
    sql`insert into symptom_log (user_id, symptom_name, severity, logged_at, created_at)
      select user_id, symptom_name, severity, ${at}, created_at from symptom_log, ${copies}`,
    sql`insert into vital_reading (user_id, weight_kg, measured_at, created_at)
      select user_id, weight_kg, ${at}, created_at from vital_reading, ${copies}`,
    sql`insert into assessment (id, user_id, symptoms, severity, status, result, triage_level, urgency, created_at)
      select gen_random_uuid(), user_id, symptoms, severity, status, result, triage_level, urgency, ${at}
      from assessment, ${copies}`,
  ]) {
    await statement.execute(gateway.database.sql);
  }
});

const lists = [
  ['goals', 'HealthGoal', '{ id description currentValue progressPercent }'],
  ['symptomLogs', 'SymptomLog', '{ id symptomName loggedAt }'],
  ['vitalReadings', 'VitalReading', '{ id weightKg stepCount measuredAt }'],
  ['assessments', 'Assessment', '{ id symptoms result { possibleCauses { sources { article { headline } } } } }'],
] as const;

describe.each(lists)('%s', (list, type, selection) => {
  const read = `query ($first: Int, $after: String, $last: Int, $before: String) { healthViewer {
    ${list}(first: $first, after: $after, last: $last, before: $before) {
      totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor } nodes ${selection}
    }
  } }`;
  const page = async (person: TestAccount, variables: object) => {
    const { json } = await ask(person, read, variables);
    expect(json.errors).toBeUndefined();
    return json.data.healthViewer[list];
  };

  test('takes as many statements for 100 rows as for one', async () => {
    const counts: number[] = [];
    for (const person of [few, many]) {
      let rows = 0;
      const statements = await gateway.statements(async () => {
        rows = (await page(person, { first: 100 })).nodes.length;
      });
      counts.push(rows, statements.length);
    }
    const articles = list === 'assessments' ? 1 : 0;
    // The session, the rows and the total.
    expect(counts).toEqual([1, 3 + articles, rowsOfMany, 3 + articles]);
  });

  test('is walked forward and backward', async () => {
    const first = await page(many, { first: 60 });
    const rest = await page(many, { first: 60, after: first.pageInfo.endCursor });
    const ids = [...first.nodes, ...rest.nodes].map((node: { id: string }) => node.id);
    expect(new Set(ids).size).toBe(rowsOfMany);
    expect([first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false]);
    const last = await page(many, { last: 40 });
    expect(last.nodes).toEqual(rest.nodes);
    const before = await page(many, { last: 60, before: last.pageInfo.startCursor });
    expect(before.nodes).toEqual(first.nodes);
  });

  test.each([
    [{ first: 101 }, 'first must be from 1 to 100, not 101.'],
    [{ first: 0 }, 'first must be from 1 to 100, not 0.'],
    [{ last: 101 }, 'last must be from 1 to 100, not 101.'],
    [{ first: 1, last: 1 }, 'first and last cannot be combined.'],
    [{ after: 'nonsense' }, 'after is no cursor of this list.'],
    [{ before: Buffer.from('ArticleConnection:1').toString('base64url') }, 'before is no cursor of this list.'],
  ])('%j is refused', async (variables, message) => {
    const { status, json } = await ask(few, read, variables);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      data: { healthViewer: { [list]: null } },
      errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  test('a row has a global id, for its owner alone', async () => {
    const [{ id }] = (await page(few, { first: 1 })).nodes;
    const field = list.slice(0, -1);
    const one = `query ($id: ID!) { node(id: $id) { __typename id } nodes(ids: [$id, $id]) { id }
      healthViewer { ${field}(id: $id) { id } } }`;
    expect((await ask(few, one, { id })).json).toEqual({
      data: { node: { __typename: type, id }, nodes: [{ id }, { id }], healthViewer: { [field]: { id } } },
    });
    const absent = { data: { node: null, nodes: [null, null], healthViewer: { [field]: null } } };
    expect((await ask(other, one, { id })).json).toEqual(absent);
    const key = type === 'Assessment' ? '00000000-0000-4000-8000-000000000000' : 2 ** 40;
    expect((await ask(few, one, { id: encodeGlobalId(type, key) })).json).toEqual(absent);
  });

  test.each([
    ['another type', encodeGlobalId('Person', 1)],
    ['no type', 'nonsense'],
    ['a key of another kind', encodeGlobalId(type, 'x')],
  ])('an id of %s is refused', async (_, id) => {
    const { json } = await ask(few, `query ($id: ID!) { healthViewer { ${list.slice(0, -1)}(id: $id) { id } } }`, {
      id,
    });
    expect(json).toMatchObject({
      errors: [{ message: `id is no global id of the type ${type}.`, extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  test('is refused to guests and to anonymous callers, whose other fields still resolve', async () => {
    const { access } = (await send(gateway, 'POST', '/auth/guest/')).json;
    const { json } = await ask({ ...other, access }, `{ healthViewer { isGuest ${list} { totalCount } } }`);
    expect(json).toMatchObject({
      data: { healthViewer: { isGuest: true, [list]: null } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    const anonymous = await gateway.graphql(`{ healthViewer { ${list} { totalCount } } }`);
    expect(anonymous.json).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});

describe.each([
  ['deleteHealthGoal', 'goalId', 'HealthGoal'],
  ['deleteSymptomLog', 'symptomLogId', 'SymptomLog'],
  ['deleteVitalReading', 'vitalReadingId', 'VitalReading'],
  ['deleteAssessment', 'assessmentId', 'Assessment'],
])('%s', (mutation, field, type) => {
  const remove = async (id: string) =>
    (await ask(few, `mutation ($id: ID!) { ${mutation}(input: { ${field}: $id }) { deletedId } }`, { id })).json;

  test('refuses an id of another type and does not find an unknown one', async () => {
    expect(await remove(encodeGlobalId('Person', 1))).toMatchObject({
      data: { [mutation]: null },
      errors: [{ message: `${field} is no global id of the type ${type}.`, extensions: { code: 'BAD_USER_INPUT' } }],
    });
    const key = type === 'Assessment' ? '00000000-0000-4000-8000-000000000000' : 2 ** 40;
    expect(await remove(encodeGlobalId(type, key))).toMatchObject({
      data: { [mutation]: null },
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });
});

test.each(['goals', 'symptoms', 'vitals'])('a path of %s with a number that no row has is 404', async records => {
  for (const id of ['0', '-1', '999999999', 'x']) {
    for (const method of ['GET', 'DELETE']) {
      const { status, json } = await send(gateway, method, `/health/${records}/${id}/`, undefined, few.access);
      expect({ id, method, status, json }).toEqual({
        id,
        method,
        status: 404,
        json: { detail: 'Not found.', code: 'not_found' },
      });
    }
  }
});

test.each(['active-goals', 'health-week'])('the listed operation %s runs', async name => {
  const text = readFileSync(join(import.meta.dirname, `../../examples/operations/${name}.graphql`), 'utf8');
  const { json } = await ask(few, text);
  expect(json.errors).toBeUndefined();
  expect(json.data.healthViewer).toMatchObject(
    name === 'active-goals'
      ? { goals: { nodes: [{ description: 'for the wedding', progressPercent: expect.any(Number), targetOn: null }] } }
      : { symptomLogs: { nodes: [{ symptomName: 'hay fever', severity: 4 }] } },
  );
});

test.each([
  ['goals', '{ goals(isActive: true) { nodes { description progressPercent } } }', 2],
  [
    'the dashboard',
    `{ dashboard { generatedAt last7Days { from to symptoms { averageSeverity mostFrequent { name reportCount } }
      vitals { averageSystolic latestWeightKg } goals { activeCount averageProgressPercent } } } }`,
    4,
  ],
  ['weekly summaries', '{ weeklySummaries(first: 10) { nodes { week from to vitals { stepCount } } } }', 2],
  ['the latest summary', '{ latestSummary { week assessments { byUrgency { highCount } } } }', 2],
])('%s take as many statements for many rows as for one', async (_, selection, expected) => {
  for (const person of [few, many]) {
    const statements = await gateway.statements(async () => {
      const { json } = await ask(person, `{ healthViewer ${selection} }`);
      expect(json.errors).toBeUndefined();
    });
    expect(statements).toHaveLength(expected);
  }
});

test.each(['likelihoodText', 'uuidText', 'directionName', 'periodDays'])(
  '%s is a directive of the REST contract',
  name => {
    expect(printSchema(publicSchema)).not.toContain(name);
  },
);
