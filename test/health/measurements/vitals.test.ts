import { describe, expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:00:00Z' });
const [ada, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const path = '/health/vitals/';
const get = (at: string, person = ada) => send(gateway, 'GET', at, undefined, person.access);
const post = (body: unknown, person = ada) => send(gateway, 'POST', path, body, person.access);
const remove = (id: number, person = ada) => send(gateway, 'DELETE', `${path}${id}/`, undefined, person.access);

const everything = {
  systolic_bp: 128,
  diastolic_bp: 82,
  heart_rate: 71,
  temperature_c: '36.65',
  oxygen_saturation: 98,
  blood_glucose: '104.50',
  weight_kg: '71.20',
  steps: 4312,
  notes: 'After breakfast',
  measured_at: '2026-10-31T07:30:00.000000Z',
};

test('a reading has the values sent, and separate times of entry and measurement', async () => {
  const { status, json } = await post({ ...everything, created_at: '1999-01-01T00:00:00Z', id: 7 });
  expect(status).toBe(201);
  expect(Object.keys(json)).toEqual(['id', ...Object.keys(everything), 'created_at']);
  expect(json).toEqual({ ...everything, id: json.id, created_at: '2026-11-01T12:00:00.000000Z' });
  expect((await get(`${path}${json.id}/`)).json).toEqual(json);
});

test('one value is enough; others are null, and the time is now', async () => {
  expect(await post({ heart_rate: '60', weight_kg: 70, measured_at: null })).toMatchObject({
    status: 201,
    json: {
      heart_rate: 60,
      weight_kg: '70.00',
      systolic_bp: null,
      temperature_c: null,
      steps: null,
      notes: '',
      measured_at: '2026-11-01T12:00:00.000000Z',
    },
  });
  expect(await post({ steps: 0 })).toMatchObject({ status: 201, json: { steps: 0 } });
});

test.each([
  [{}, { non_field_errors: ['Provide at least one measurement.'] }],
  [{ notes: 'nothing else' }, { non_field_errors: ['Provide at least one measurement.'] }],
  [{ heart_rate: null }, { non_field_errors: ['Provide at least one measurement.'] }],
  [{ heart_rate: 19 }, { heart_rate: ['Ensure this value is between 20 and 250 beats per minute.'] }],
  [{ heart_rate: 251 }, { heart_rate: ['Ensure this value is between 20 and 250 beats per minute.'] }],
  [{ heart_rate: 70.5 }, { heart_rate: ['A valid integer is required.'] }],
  [{ oxygen_saturation: 49 }, { oxygen_saturation: ['Ensure this value is between 50 and 100 %.'] }],
  [{ oxygen_saturation: 101 }, { oxygen_saturation: ['Ensure this value is between 50 and 100 %.'] }],
  [{ temperature_c: 29.99 }, { temperature_c: ['Ensure this value is between 30 and 45 °C.'] }],
  [{ temperature_c: '45.01' }, { temperature_c: ['Ensure this value is between 30 and 45 °C.'] }],
  [{ temperature_c: '98.6' }, { temperature_c: ['Ensure this value is between 30 and 45 °C.'] }],
  [{ blood_glucose: 19 }, { blood_glucose: ['Ensure this value is between 20 and 800 mg/dL.'] }],
  [{ blood_glucose: 801 }, { blood_glucose: ['Ensure this value is between 20 and 800 mg/dL.'] }],
  [{ blood_glucose: 'NaN' }, { blood_glucose: ['A valid number is required.'] }],
  [{ systolic_bp: 49 }, { systolic_bp: ['Ensure this value is between 50 and 300 mmHg.'] }],
  [{ systolic_bp: 301 }, { systolic_bp: ['Ensure this value is between 50 and 300 mmHg.'] }],
  [{ diastolic_bp: 19 }, { diastolic_bp: ['Ensure this value is between 20 and 200 mmHg.'] }],
  [{ diastolic_bp: 201 }, { diastolic_bp: ['Ensure this value is between 20 and 200 mmHg.'] }],
  [
    { systolic_bp: 80, diastolic_bp: 120 },
    { diastolic_bp: ['Ensure the diastolic pressure is below the systolic pressure.'] },
  ],
  [
    { systolic_bp: 80, diastolic_bp: 80 },
    { diastolic_bp: ['Ensure the diastolic pressure is below the systolic pressure.'] },
  ],
  [{ weight_kg: 0.99 }, { weight_kg: ['Ensure this value is between 1 and 500 kg.'] }],
  [{ weight_kg: '501' }, { weight_kg: ['Ensure this value is between 1 and 500 kg.'] }],
  [{ weight_kg: '70.123' }, { weight_kg: ['Ensure that there are no more than 2 decimal places.'] }],
  [{ steps: -1 }, { steps: ['Ensure this value is between 0 and 200000 steps.'] }],
  [{ steps: 200_001 }, { steps: ['Ensure this value is between 0 and 200000 steps.'] }],
  [{ steps: 1, notes: 'x'.repeat(1001) }, { notes: ['Ensure this field has no more than 1000 characters.'] }],
  [{ steps: 1, measured_at: '2026-11-01T12:05:01Z' }, { measured_at: ['Ensure this time is not in the future.'] }],
  [{ steps: 1, measured_at: '9999-12-31T23:59:59Z' }, { measured_at: ['Ensure this time is not in the future.'] }],
  [{ steps: 1, measured_at: '1899-12-31T23:59:59Z' }, { measured_at: ['Ensure this time is not before 1900.'] }],
  [
    { heart_rate: 0, steps: -1 },
    {
      heart_rate: ['Ensure this value is between 20 and 250 beats per minute.'],
      steps: ['Ensure this value is between 0 and 200000 steps.'],
    },
  ],
])('%j is 400 and nothing is kept', async (body, problems) => {
  const before = (await get(path)).json.count;
  expect(await post(body)).toMatchObject({ status: 400, json: problems });
  expect((await get(path)).json.count).toBe(before);
});

test('bounds are inclusive, and a clock five minutes ahead is accepted', async () => {
  const low = { systolic_bp: 50, diastolic_bp: 20, heart_rate: 20, temperature_c: 30, oxygen_saturation: 50 };
  const high = { systolic_bp: 300, diastolic_bp: 200, heart_rate: 250, temperature_c: 45, oxygen_saturation: 100 };
  expect((await post({ ...low, blood_glucose: 20, weight_kg: 1, steps: 0 })).status).toBe(201);
  expect((await post({ ...high, blood_glucose: 800, weight_kg: 500, steps: 200_000 })).status).toBe(201);
  expect((await post({ steps: 1, measured_at: '2026-11-01T12:05:00Z' })).status).toBe(201);
});

test('DELETE returns 204 once, then 404', async () => {
  const { id } = (await post({ steps: 5 })).json;
  expect(await remove(id)).toMatchObject({ status: 204, text: '' });
  expect((await remove(id)).status).toBe(404);
  expect((await get(`${path}${id}/`)).status).toBe(404);
});

test('readings of other users do not exist', async () => {
  const { id } = (await post({ steps: 5 })).json;
  expect((await get(`${path}${id}/`, other)).status).toBe(404);
  expect((await remove(id, other)).status).toBe(404);
  expect((await get(path, other)).json.count).toBe(0);
  expect((await get(`${path}${id}/`)).status).toBe(200);
});

describe('the list', () => {
  test('is the newest first, filtered by local days, searched and ordered', async () => {
    const [someone] = (await createAccounts(gateway, 1)) as [TestAccount];
    await send(gateway, 'PATCH', '/auth/me/', { time_zone: 'America/Los_Angeles' }, someone.access);
    // 06:30 UTC is 23:30 of the day before in California.
    const readings = [
      { steps: 1, measured_at: '2026-10-30T06:30:00Z', notes: 'late walk' },
      { steps: 2, measured_at: '2026-10-30T18:00:00Z', notes: 'lunch walk' },
      { steps: 3, measured_at: '2026-10-31T06:59:59Z', notes: 'bed' },
      { steps: 4, measured_at: '2026-10-31T07:00:00Z' },
    ];
    for (const reading of readings) await post(reading, someone);
    const steps = async (query: string) =>
      (await get(`${path}${query}`, someone)).json.results.map((one: { steps: number }) => one.steps);
    expect(await steps('')).toEqual([4, 3, 2, 1]);
    expect(await steps('?ordering=measured_at')).toEqual([1, 2, 3, 4]);
    expect(await steps('?ordering=-created_at')).toEqual([4, 3, 2, 1]);
    expect(await steps('?from=2026-10-30&to=2026-10-30')).toEqual([3, 2]);
    expect(await steps('?to=2026-10-29')).toEqual([1]);
    expect(await steps('?from=2026-10-31')).toEqual([4]);
    expect(await steps('?from=2026-11-01&to=2026-10-01')).toEqual([]);
    expect(await steps('?from=&to=')).toHaveLength(4);
    expect(await steps('?search=WALK')).toEqual([2, 1]);
    expect(await steps('?search=walk,late')).toEqual([1]);
    expect((await get(`${path}?page_size=3`, someone)).json).toMatchObject({ count: 4, previous: null });
    expect((await get(`${path}?from=yesterday`, someone)).json).toEqual({
      from: ['Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'],
    });
    expect((await get(`${path}?from=0000-01-01&to=9999-12-31`, someone)).status).toBeLessThan(500);
  });

  test('takes two statements besides the session', async () => {
    for (const query of ['?page_size=1', '?page_size=100', '?from=2026-10-01&to=2026-11-01&search=x']) {
      expect(await gateway.statements(() => get(`${path}${query}`))).toHaveLength(3);
    }
  });
});

test('GraphQL records, reads and deletes', async () => {
  const graphql = async (query: string) =>
    (
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${other.access}` },
        body: JSON.stringify({ query }),
      })
    ).json;
  const { data } = await graphql(
    'mutation { recordVitalReading(input: { stepCount: 4000, weightKg: "71.2" }) { vitalReading { id stepCount weightKg heartRate } } }',
  );
  const { id, ...values } = data.recordVitalReading.vitalReading;
  expect(values).toEqual({ stepCount: 4000, weightKg: '71.20', heartRate: null });
  const read = () =>
    graphql(`{ healthViewer {
      vitalReading(id: "${id}") { stepCount }
      vitalReadings(orderBy: [CREATED_AT_ASC]) { totalCount nodes { id } }
    } node(id: "${id}") { ... on VitalReading { stepCount } } }`);
  expect(await read()).toEqual({
    data: {
      healthViewer: { vitalReading: { stepCount: 4000 }, vitalReadings: { totalCount: 1, nodes: [{ id }] } },
      node: { stepCount: 4000 },
    },
  });
  const remove = `mutation { deleteVitalReading(input: { vitalReadingId: "${id}" }) { deletedId } }`;
  expect(await graphql(remove)).toEqual({ data: { deleteVitalReading: { deletedId: id } } });
  expect(await read()).toEqual({
    data: { healthViewer: { vitalReading: null, vitalReadings: { totalCount: 0, nodes: [] } }, node: null },
  });
});
