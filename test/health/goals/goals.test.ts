import { describe, expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { goalRequests, path, steps } from './goal-requests.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:00:00Z' });
const [ada, _other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const as = (person: TestAccount) => goalRequests(gateway, person);
const mine = goalRequests(gateway, ada);
const keys =
  'id goal_type target_value unit description is_active current_value progress start_date target_date created_at updated_at'.split(
    ' ',
  );

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
      created_at: '2026-11-01T12:00:00.000000Z',
      updated_at: '2026-11-01T12:00:00.000000Z',
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
    const target_value = goal_type === 'sleep' ? '8' : '100';
    expect((await mine.post({ goal_type, target_value })).json).toMatchObject({ goal_type, unit });
    expect((await mine.post({ goal_type, target_value, unit: '' })).json.unit).toBe(unit);
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
    expect((await mine.post({ goal_type: 'custom', target_value })).json.target_value).toBe(stored);
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
