import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { goalRequests, path, steps } from './goal-requests.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:00:00Z' });
const as = (person: TestAccount) => goalRequests(gateway, person);

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

  test('measurements are converted to the unit of the goal', async () => {
    const { own, look, record } = await fresh();
    await record({ weight_kg: 80, blood_glucose: 180, systolic_bp: 150, diastolic_bp: 90 });
    const made = async (goal_type: string, target_value: number, unit?: string) =>
      look((await own.post({ goal_type, target_value, ...(unit ? { unit } : {}) })).json.id);
    expect(await made('weight', 150, 'LB')).toEqual(['176.37', 0]);
    expect(await made('weight', 11, 'stone')).toEqual(['12.60', 0]);
    expect(await made('blood_sugar', 5.5, 'mmol/L')).toEqual(['9.99', 0]);
    expect(await made('blood_sugar', 100)).toEqual(['180.00', 0]);
    expect(await made('blood_pressure', 120)).toEqual(['150.00', 0]);
    await record({ steps: 4000 });
    expect(await made('steps', 8000, 'steps per day')).toEqual(['4000.00', 50]);
    expect(await made('steps', 8000, 'Steps/day')).toEqual(['4000.00', 50]);
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
