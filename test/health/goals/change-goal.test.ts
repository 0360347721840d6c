import { describe, expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { goalRequests, path, steps } from './goal-requests.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:00:00Z' });
const [ada, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const mine = goalRequests(gateway, ada);
const theirs = goalRequests(gateway, other);

describe('PUT /health/goals/{id}/', () => {
  test('absent fields get the defaults of a new goal, and the start date stays', async () => {
    const { id } = (
      await mine.post({
        goal_type: 'water',
        target_value: '8',
        unit: 'cups',
        description: 'Drink',
        is_active: false,
        current_value: '2',
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
      created_at: '2026-11-01T12:00:00.000000Z',
      updated_at: '2026-11-03T12:00:00.000000Z',
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
    await mine.patch(id, { unit: 'glasses', target_value: '8' });
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
      mine.patch(id, { unit: 'step' }),
    ]);
    expect((await mine.get(`${path}${id}/`)).json).toMatchObject({
      description: 'Walk',
      target_value: '7.00',
      unit: 'step',
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
  expect(json.goals.find((goal: { id: number }) => goal.id === id).deleted_at).toBe('2026-11-01T12:00:00.000000Z');
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
      query: 'mutation($goalId: ID!) { deleteHealthGoal(input: { goalId: $goalId }) { deletedId } }',
      variables: { goalId: encodeGlobalId('HealthGoal', goal.id) },
    }),
  });
  expect(answer.json.errors[0].extensions.code).toBe('NOT_FOUND');
});

test('GraphQL creates, updates and reads a goal', async () => {
  const graphql = async (query: string) => {
    const { json } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${other.access}` },
      body: JSON.stringify({ query }),
    });
    expect(json.errors).toBeUndefined();
    return json.data;
  };
  const { createHealthGoal } = await graphql(
    'mutation { createHealthGoal(input: { goalType: BLOOD_SUGAR, targetValue: "100", currentValue: 150 }) { goal { id goalType unit startValue startOn targetOn progressPercent } } }',
  );
  const { id } = createHealthGoal.goal;
  expect(createHealthGoal.goal).toEqual({
    id,
    goalType: 'BLOOD_SUGAR',
    unit: 'mg/dL',
    startValue: '150.00',
    startOn: '2026-11-01',
    targetOn: null,
    progressPercent: 0,
  });
  const change = await graphql(
    `mutation { updateHealthGoal(input: { goalId: "${id}", currentValue: "125", clientMutationId: "x" }) { clientMutationId goal { progressPercent currentValue } } }`,
  );
  expect(change.updateHealthGoal).toEqual({
    clientMutationId: 'x',
    goal: { progressPercent: 50, currentValue: '125.00' },
  });
  const retyped = await graphql(
    `mutation { updateHealthGoal(input: { goalId: "${id}", goalType: WATER, targetOn: "2026-12-24" }) { goal { progressPercent startValue targetOn } } }`,
  );
  expect(retyped.updateHealthGoal).toEqual({
    goal: { progressPercent: 100, startValue: null, targetOn: '2026-12-24' },
  });
  const query = `{ healthViewer { goal(id: "${id}") { goalType } goals { totalCount edges { cursor node { id } } } } node(id: "${id}") { ... on HealthGoal { goalType } } }`;
  const { healthViewer, node } = await graphql(query);
  expect(healthViewer.goal).toEqual({ goalType: 'WATER' });
  expect(healthViewer.goals).toMatchObject({ totalCount: 1, edges: [{ node: { id } }] });
  expect(node).toEqual({ goalType: 'WATER' });
});
