import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:00:00Z' });
const [ada, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const path = '/health/goals/';
const as = (person: TestAccount) => ({
  get: (at: string) => send(gateway, 'GET', at, undefined, person.access),
  post: (body: unknown) => send(gateway, 'POST', path, body, person.access),
  put: (id: number, body?: unknown) => send(gateway, 'PUT', `${path}${id}/`, body, person.access),
  patch: (id: number, body?: unknown) => send(gateway, 'PATCH', `${path}${id}/`, body, person.access),
  remove: (id: number) => send(gateway, 'DELETE', `${path}${id}/`, undefined, person.access),
});
const mine = as(ada);
const theirs = as(other);
const keys =
  'id goal_type target_value unit description is_active current_value progress start_date target_date created_at updated_at'.split(
    ' ',
  );
const steps = { goal_type: 'steps', target_value: 10000 };

describe('POST /health/goals/', () => {
  test('only type and target are required; other fields have defaults', async () => {
    const { status, json } = await mine.post({ ...steps, id: 5, progress: 99, nonsense: true });
    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(keys);
    expect(json).toEqual({
      id: json.id,
      goal_type: 'steps',
      target_value: '10000.00',
      unit: 'steps',
      description: '',
      is_active: true,
      current_value: null,
      progress: null,
      start_date: '2026-11-01',
      target_date: null,
      created_at: '2026-11-01T12:00:00Z',
      updated_at: '2026-11-01T12:00:00Z',
    });
    expect((await mine.get(`${path}${json.id}/`)).json).toEqual(json);
  });

  test('accepts all fields and trims texts', async () => {
    const goal = {
      goal_type: 'custom',
      target_value: '12.5',
      unit: ' pages ',
      description: ' Read before bed ',
      is_active: false,
      current_value: '3',
      start_date: '2026-10-01',
      target_date: '2026-12-31',
    };
    expect(await mine.post(goal)).toMatchObject({
      status: 201,
      json: {
        ...goal,
        target_value: '12.50',
        current_value: '3.00',
        unit: 'pages',
        description: 'Read before bed',
        progress: 24,
      },
    });
  });

  test.each([
    ['sleep', 'hours'],
    ['steps', 'steps'],
    ['water', 'ml'],
    ['weight', 'kg'],
    ['calories', 'kcal'],
    ['blood_sugar', 'mg/dL'],
    ['blood_pressure', 'mmHg'],
    ['custom', ''],
  ])('the unit of %s is %j unless given', async (goal_type, unit) => {
    expect((await mine.post({ goal_type, target_value: '1' })).json).toMatchObject({ goal_type, unit });
    expect((await mine.post({ goal_type, target_value: '1', unit: '' })).json.unit).toBe(unit);
  });

  test.each([
    [10000, '10000.00'],
    ['10000', '10000.00'],
    ['1e3', '1000.00'],
    [1e3, '1000.00'],
    ['1.5E1', '15.00'],
    ['125e-1', '12.50'],
    ['+7', '7.00'],
    ['.5', '0.50'],
    ['0.01', '0.01'],
    ['99999999.99', '99999999.99'],
    ['0000000000000000000001.5000', '1.50'],
  ])('the target %j is %s', async (target_value, stored) => {
    expect((await mine.post({ ...steps, target_value })).json.target_value).toBe(stored);
  });

  const tooManyDigits = ['Ensure that there are no more than 10 digits in total.'];
  const notANumber = ['A valid number is required.'];
  const notPositive = ['Ensure this value is greater than or equal to 0.01.'];
  test.each([
    ['9'.repeat(40), tooManyDigits],
    ['12345678901', tooManyDigits],
    [1e21, tooManyDigits],
    ['1e300', tooManyDigits],
    ['1.234567890123', tooManyDigits],
    ['1.234', ['Ensure that there are no more than 2 decimal places.']],
    ['1e-3', ['Ensure that there are no more than 2 decimal places.']],
    ['123456789', ['Ensure that there are no more than 8 digits before the decimal point.']],
    ['0', notPositive],
    [0, notPositive],
    ['-0', notPositive],
    ['-5', notPositive],
    ['NaN', notANumber],
    ['Infinity', notANumber],
    ['-Infinity', notANumber],
    ['ten', notANumber],
    ['', notANumber],
    ['.', notANumber],
    ['1e', notANumber],
    ['1e99999', notANumber],
    ['0x10', notANumber],
    ['1,5', notANumber],
    ['٣', notANumber],
    [true, notANumber],
    [[1], notANumber],
    [{}, notANumber],
    [null, ['This field may not be null.']],
  ])('the target %j is 400', async (target_value, problem) => {
    expect(await mine.post({ ...steps, target_value })).toMatchObject({ status: 400, json: { target_value: problem } });
  });

  test('all invalid fields are reported together', async () => {
    expect(await mine.post({})).toMatchObject({
      status: 400,
      json: { goal_type: ['This field is required.'], target_value: ['This field is required.'] },
    });
    expect((await mine.post({ goal_type: 'STEPS', target_value: 1 })).json).toEqual({
      goal_type: ['"STEPS" is not a valid choice.'],
    });
    expect((await mine.post({ goal_type: 'jumps', target_value: 1 })).json).toEqual({
      goal_type: ['"jumps" is not a valid choice.'],
    });
    const problems = await mine.post({
      ...steps,
      target_value: '-1',
      unit: 'x'.repeat(21),
      description: 'x'.repeat(256),
      is_active: null,
      current_value: '-0.5',
    });
    expect(problems.json).toEqual({
      target_value: notPositive,
      unit: ['Ensure this field has no more than 20 characters.'],
      description: ['Ensure this field has no more than 255 characters.'],
      is_active: ['This field may not be null.'],
      current_value: ['Ensure this value is greater than or equal to 0.'],
    });
  });

  test.each([
    [{ start_date: '9999-01-01' }, { start_date: ['Ensure this date is not after 2199-12-31.'] }],
    [{ target_date: '9999-12-31' }, { target_date: ['Ensure this date is not after 2199-12-31.'] }],
    [{ start_date: '1899-12-31' }, { start_date: ['Ensure this date is not before 1900-01-01.'] }],
    [{ target_date: '0001-01-01' }, { target_date: ['Ensure this date is not before 1900-01-01.'] }],
    [{ target_date: '2026-10-31' }, { target_date: ['Ensure the target date is not before the start date.'] }],
    [
      { start_date: '2026-12-01', target_date: '2026-11-30' },
      { target_date: ['Ensure the target date is not before the start date.'] },
    ],
    [
      { target_date: '2026-02-30' },
      { target_date: ['Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'] },
    ],
    [{ start_date: null }, { start_date: ['This field may not be null.'] }],
  ])('%j is 400', async (dates, problems) => {
    expect(await mine.post({ ...steps, ...dates })).toMatchObject({ status: 400, json: problems });
  });

  test('the start date is today in the time zone of the profile', async () => {
    const [far] = (await createAccounts(gateway, 1)) as [TestAccount];
    await send(gateway, 'PATCH', '/auth/me/', { time_zone: 'Pacific/Kiritimati' }, far.access);
    expect((await as(far).post(steps)).json.start_date).toBe('2026-11-02');
  });
});

describe('PUT /health/goals/{id}/', () => {
  test('absent fields get the defaults of a new goal, and the start date stays', async () => {
    const { id } = (
      await mine.post({
        goal_type: 'water',
        target_value: '2000',
        unit: 'cups',
        description: 'Drink',
        is_active: false,
        current_value: '500',
        start_date: '2026-10-01',
        target_date: '2026-12-01',
      })
    ).json;
    gateway.clock.now = new Date('2026-11-03T12:00:00Z');
    const first = await mine.put(id, { goal_type: 'sleep', target_value: '8' });
    expect(first.status).toBe(200);
    expect(first.json).toEqual({
      id,
      goal_type: 'sleep',
      target_value: '8.00',
      unit: 'hours',
      description: '',
      is_active: true,
      current_value: null,
      progress: null,
      start_date: '2026-11-01',
      target_date: null,
      created_at: '2026-11-01T12:00:00Z',
      updated_at: '2026-11-03T12:00:00Z',
    });
    expect((await mine.put(id, { goal_type: 'sleep', target_value: '8' })).json).toEqual(first.json);
    gateway.clock.now = new Date('2026-11-01T12:00:00Z');
  });

  test('type and target are required, and a body', async () => {
    const { id } = (await mine.post(steps)).json;
    const required = ['This field is required.'];
    expect(await mine.put(id, { goal_type: 'steps' })).toMatchObject({ status: 400, json: { target_value: required } });
    expect(await mine.put(id, {})).toMatchObject({
      status: 400,
      json: { goal_type: required, target_value: required },
    });
    expect(await mine.put(id)).toMatchObject({ status: 400, json: { goal_type: required, target_value: required } });
  });
});

describe('PATCH /health/goals/{id}/', () => {
  test('absent fields stay, null clears nullable ones', async () => {
    const { json: goal } = await mine.post({
      goal_type: 'custom',
      target_value: '10',
      unit: 'pages',
      description: 'Read',
      current_value: '4',
      target_date: '2026-12-24',
    });
    expect(await mine.patch(goal.id, {})).toMatchObject({ status: 200, json: goal });
    expect((await mine.patch(goal.id, { description: 'Write' })).json).toEqual({ ...goal, description: 'Write' });
    expect((await mine.patch(goal.id, { current_value: null, target_date: null })).json).toEqual({
      ...goal,
      description: 'Write',
      current_value: null,
      progress: null,
      target_date: null,
    });
    expect((await mine.patch(goal.id, { current_value: 10, is_active: 'false' })).json).toMatchObject({
      current_value: '10.00',
      progress: 100,
      is_active: false,
    });
  });

  test.each(['goal_type', 'target_value', 'unit', 'description', 'is_active', 'start_date'])(
    '%s may not be null',
    async field => {
      const { json: goal } = await mine.post(steps);
      const answer = await mine.patch(goal.id, { [field]: null, target_date: '2027-01-01' });
      expect(answer).toMatchObject({ status: 400, json: { [field]: ['This field may not be null.'] } });
      expect((await mine.get(`${path}${goal.id}/`)).json).toEqual(goal);
    },
  );

  test('a body is required', async () => {
    const { id } = (await mine.post(steps)).json;
    expect(await mine.patch(id)).toMatchObject({ status: 400, json: { non_field_errors: ['No data provided'] } });
    expect((await mine.patch(id, '[]')).status).toBe(400);
    expect((await mine.patch(id, '')).status).toBe(400);
  });

  test('a default unit changes with the type; a custom unit stays', async () => {
    const { id } = (await mine.post(steps)).json;
    expect((await mine.patch(id, { goal_type: 'water' })).json).toMatchObject({ goal_type: 'water', unit: 'ml' });
    await mine.patch(id, { unit: 'glasses' });
    expect((await mine.patch(id, { goal_type: 'custom' })).json.unit).toBe('glasses');
  });

  test('dates are validated against the stored ones', async () => {
    const { id } = (await mine.post({ ...steps, target_date: '2026-12-01' })).json;
    expect(await mine.patch(id, { start_date: '2026-12-02' })).toMatchObject({
      status: 400,
      json: { start_date: ['Ensure the start date is not after the target date.'] },
    });
    expect(await mine.patch(id, { target_date: '2026-10-31' })).toMatchObject({
      status: 400,
      json: { target_date: ['Ensure the target date is not before the start date.'] },
    });
    expect((await mine.patch(id, { start_date: '2026-12-02', target_date: '2026-12-02' })).status).toBe(200);
  });

  test('concurrent changes are both kept', async () => {
    const { id } = (await mine.post(steps)).json;
    await Promise.all([
      mine.patch(id, { description: 'Walk' }),
      mine.patch(id, { target_value: '7' }),
      mine.patch(id, { unit: 'km' }),
    ]);
    expect((await mine.get(`${path}${id}/`)).json).toMatchObject({
      description: 'Walk',
      target_value: '7.00',
      unit: 'km',
    });
  });
});

test('DELETE returns 204 once, then 404; only the export still has the goal', async () => {
  const { id } = (await mine.post({ ...steps, description: 'to be deleted' })).json;
  expect(await mine.remove(id)).toMatchObject({ status: 204, text: '' });
  for (const answer of [
    await mine.remove(id),
    await mine.get(`${path}${id}/`),
    await mine.put(id, steps),
    await mine.patch(id, {}),
  ]) {
    expect(answer).toMatchObject({ status: 404, json: { detail: 'Not found.', code: 'not_found' } });
  }
  expect((await mine.get(`${path}?search=%22to be deleted%22`)).json.count).toBe(0);
  const { json } = await mine.get('/auth/me/export/');
  expect(json.goals.find((goal: { id: number }) => goal.id === id).deleted_at).toBe('2026-11-01T12:00:00Z');
});

test('goals of other users do not exist, for every method and in GraphQL', async () => {
  const { json: goal } = await mine.post(steps);
  for (const answer of [
    await theirs.get(`${path}${goal.id}/`),
    await theirs.put(goal.id, steps),
    await theirs.patch(goal.id, { description: 'mine now' }),
    await theirs.remove(goal.id),
    await theirs.get(`${path}x/`),
  ]) {
    expect(answer.status).toBe(404);
  }
  expect((await theirs.get(path)).json.count).toBe(0);
  expect((await mine.get(`${path}${goal.id}/`)).json).toEqual(goal);
  const answer = await gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${other.access}` },
    body: JSON.stringify({
      query: `mutation($id: SafeInt!) { deleteHealthGoal(id: $id) }`,
      variables: { id: goal.id },
    }),
  });
  expect(answer.json.errors[0].extensions.code).toBe('NOT_FOUND');
});

test('GraphQL creates, updates, replaces and reads a goal', async () => {
  const graphql = async (query: string) => {
    const { json } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${other.access}` },
      body: JSON.stringify({ query }),
    });
    expect(json.errors).toBeUndefined();
    return json.data;
  };
  const { createHealthGoal: made } = await graphql(
    'mutation { createHealthGoal(input: { goalType: BLOOD_SUGAR, targetValue: "100", currentValue: 150 }) { id goalType unit startValue progress } }',
  );
  expect(made).toEqual({ id: made.id, goalType: 'BLOOD_SUGAR', unit: 'mg/dL', startValue: '150.00', progress: 0 });
  const change = await graphql(
    `mutation { updateHealthGoal(id: ${made.id}, input: { currentValue: "125" }) { progress currentValue } }`,
  );
  expect(change.updateHealthGoal).toEqual({ progress: 50, currentValue: '125.00' });
  const replaced = await graphql(
    `mutation { replaceHealthGoal(id: ${made.id}, input: { goalType: WATER, targetValue: 5 }) { progress startValue } }`,
  );
  expect(replaced.replaceHealthGoal).toEqual({ progress: null, startValue: null });
  expect(await graphql(`{ healthGoal(id: ${made.id}) { goalType } healthGoals { pageInfo { total } } }`)).toEqual({
    healthGoal: { goalType: 'WATER' },
    healthGoals: { pageInfo: { total: 1 } },
  });
});

describe('GET /health/goals/', () => {
  test('filters, searches, orders and pages', async () => {
    const [someone] = (await createAccounts(gateway, 1)) as [TestAccount];
    const own = as(someone);
    const goals = [
      { goal_type: 'steps', target_value: '9000', description: 'Walk the dog', target_date: '2026-12-01' },
      { goal_type: 'weight', target_value: '70', description: 'Lose 100% of it', is_active: false },
      { goal_type: 'water', target_value: '2000', description: 'Drink, drink', target_date: '2026-11-20' },
      { goal_type: 'sleep', target_value: '8', description: 'Go to bed' },
    ];
    for (const goal of goals) await own.post(goal);
    const types = async (query: string) =>
      (await own.get(`${path}${query}`)).json.results.map((goal: { goal_type: string }) => goal.goal_type);
    expect(await types('')).toEqual(['sleep', 'water', 'weight', 'steps']);
    expect(await types('?is_active=false')).toEqual(['weight']);
    expect(await types('?is_active=true&ordering=target_value')).toEqual(['sleep', 'water', 'steps']);
    expect(await types('?is_active=')).toHaveLength(4);
    expect(await types('?search=drink')).toEqual(['water']);
    expect(await types('?search=WEIGHT')).toEqual(['weight']);
    expect(await types('?search=100%25')).toEqual(['weight']);
    expect(await types('?search=walk,dog')).toEqual(['steps']);
    expect(await types('?search=walk cat')).toEqual([]);
    expect(await types('?ordering=-target_value')).toEqual(['steps', 'water', 'weight', 'sleep']);
    expect(await types('?ordering=goal_type')).toEqual(['sleep', 'steps', 'water', 'weight']);
    expect(await types('?ordering=target_date')).toEqual(['water', 'steps', 'weight', 'sleep']);
    expect(await types('?ordering=created_at,nonsense')).toEqual(['steps', 'weight', 'water', 'sleep']);
    expect(await types('?ordering=constructor')).toEqual(['sleep', 'water', 'weight', 'steps']);
    const page = (await own.get(`${path}?page_size=3&page=2&ordering=-id`)).json;
    expect(page).toMatchObject({ count: 4, next: null });
    expect(page.previous).toMatch(/page_size=3&ordering=-id$/);
    expect((await own.get(`${path}?page=3`)).status).toBe(404);
    expect((await own.get(`${path}?is_active=perhaps`)).json).toEqual({ is_active: ['Must be a valid boolean.'] });
  });

  test('takes two statements besides the session, for any number of goals', async () => {
    for (const size of [1, 20]) {
      const statements = await gateway.statements(() => mine.get(`${path}?page_size=${size}`));
      expect(statements).toHaveLength(3);
    }
  });
});

describe('current value and progress', () => {
  const vitals = (person: TestAccount, body: object) => send(gateway, 'POST', '/health/vitals/', body, person.access);
  const fresh = async () => {
    const [person] = (await createAccounts(gateway, 1)) as [TestAccount];
    const own = as(person);
    const look = async (id: number) => {
      const { current_value, progress } = (await own.get(`${path}${id}/`)).json;
      return [current_value, progress];
    };
    return { person, own, look, record: (body: object) => vitals(person, body) };
  };

  test('progress of a weight is the share of the distance from start to target, up or down', async () => {
    const { own, look, record } = await fresh();
    await record({ weight_kg: 90, measured_at: '2026-10-20T08:00:00Z' });
    const { id: down } = (await own.post({ goal_type: 'weight', target_value: 80 })).json;
    const { id: up } = (await own.post({ goal_type: 'weight', target_value: 100 })).json;
    expect(await look(down)).toEqual(['90.00', 0]);
    await record({ weight_kg: 87.5, measured_at: '2026-10-25T08:00:00Z' });
    expect(await look(down)).toEqual(['87.50', 25]);
    expect(await look(up)).toEqual(['87.50', 0]);
    await record({ weight_kg: 80.01 });
    expect(await look(down)).toEqual(['80.01', 99]);
    await record({ weight_kg: 79 });
    expect(await look(down)).toEqual(['79.00', 100]);
    // An older reading that is entered later changes nothing.
    await record({ weight_kg: 85, measured_at: '2026-10-22T08:00:00Z' });
    expect(await look(down)).toEqual(['79.00', 100]);
  });

  test('a goal without a start value gets the first later weight; one that starts at its target is reached', async () => {
    const { own, look, record } = await fresh();
    const { id } = (await own.post({ goal_type: 'weight', target_value: 60 })).json;
    expect(await look(id)).toEqual([null, null]);
    await record({ heart_rate: 60 });
    expect(await look(id)).toEqual([null, null]);
    await record({ weight_kg: 64, measured_at: '2026-11-01T10:00:00Z' });
    await record({ weight_kg: 62, measured_at: '2026-11-01T11:00:00Z' });
    expect(await look(id)).toEqual(['62.00', 50]);
    const { id: keep } = (await own.post({ goal_type: 'weight', target_value: 62 })).json;
    expect(await look(keep)).toEqual(['62.00', 100]);
    await record({ weight_kg: 63 });
    expect(await look(keep)).toEqual(['63.00', 0]);
  });

  test('without measurements the weight of the profile counts', async () => {
    const { person, own, look, record } = await fresh();
    const { id } = (await own.post({ goal_type: 'weight', target_value: 70 })).json;
    await send(gateway, 'PATCH', '/auth/me/', { weight_kg: '80' }, person.access);
    expect(await look(id)).toEqual(['80.00', 0]);
    await send(gateway, 'PATCH', '/auth/me/', { weight_kg: '75' }, person.access);
    expect(await look(id)).toEqual(['75.00', 50]);
    await record({ weight_kg: 72 });
    expect(await look(id)).toEqual(['72.00', 80]);
  });

  test('the later of given and measured value counts', async () => {
    const { own, look, record } = await fresh();
    await record({ weight_kg: 90, measured_at: '2026-10-31T08:00:00Z' });
    const { id } = (await own.post({ goal_type: 'weight', target_value: 80, current_value: 88 })).json;
    expect(await look(id)).toEqual(['88.00', 0]);
    gateway.clock.now = new Date('2026-11-01T12:01:00Z');
    await record({ weight_kg: 86 });
    expect(await look(id)).toEqual(['86.00', 25]);
    gateway.clock.now = new Date('2026-11-01T12:00:00Z');
    await own.patch(id, { current_value: null });
    expect(await look(id)).toEqual(['86.00', 25]);
  });

  test('measurements are converted to the unit of the goal, or ignored', async () => {
    const { own, look, record } = await fresh();
    await record({ weight_kg: 80, blood_glucose: 180, systolic_bp: 150, diastolic_bp: 90 });
    const made = async (goal_type: string, target_value: number, unit?: string) =>
      look((await own.post({ goal_type, target_value, ...(unit ? { unit } : {}) })).json.id);
    expect(await made('weight', 150, 'LB')).toEqual(['176.37', 0]);
    expect(await made('weight', 11, 'stone')).toEqual([null, null]);
    expect(await made('blood_sugar', 5.5, 'mmol/L')).toEqual(['9.99', 0]);
    expect(await made('blood_sugar', 100)).toEqual(['180.00', 0]);
    expect(await made('blood_pressure', 120)).toEqual(['150.00', 0]);
  });

  test('steps are the mean of the last seven days with readings, in the time zone of the profile', async () => {
    const { person, own, look, record } = await fresh();
    await send(gateway, 'PATCH', '/auth/me/', { time_zone: 'America/New_York' }, person.access);
    const { id } = (await own.post(steps)).json;
    await record({ steps: 90_000, measured_at: '2026-10-20T12:00:00Z' });
    expect(await look(id)).toEqual([null, null]);
    // 03:30 UTC is the evening before in New York: one day of 8,000 and one of 4,000.
    await record({ steps: 5000, measured_at: '2026-10-30T16:00:00Z' });
    await record({ steps: 3000, measured_at: '2026-10-31T03:30:00Z' });
    await record({ steps: 4000, measured_at: '2026-10-31T16:00:00Z' });
    expect(await look(id)).toEqual(['6000.00', 60]);
    await record({ steps: 200_000 });
    expect((await look(id))[1]).toBe(100);
  });

  test('another type or unit resets the start value', async () => {
    const { own, look, record } = await fresh();
    await record({ weight_kg: 90, blood_glucose: 200 });
    const { id } = (await own.post({ goal_type: 'weight', target_value: 80 })).json;
    await record({ weight_kg: 85, blood_glucose: 150 });
    expect(await look(id)).toEqual(['85.00', 50]);
    await own.patch(id, { target_value: 70 });
    expect(await look(id)).toEqual(['85.00', 25]);
    await own.patch(id, { goal_type: 'blood_sugar', target_value: 100 });
    expect(await look(id)).toEqual(['150.00', 0]);
  });
});

test('goals are erased with the account', async () => {
  const [leaver] = (await createAccounts(gateway, 1)) as [TestAccount];
  await as(leaver).post(steps);
  await sql`delete from users where id = ${leaver.id}`.execute(gateway.database.sql);
  const left = await sql`select 1 from health_goal where user_id = ${leaver.id}`.execute(gateway.database.sql);
  expect(left.rows).toEqual([]);
});
