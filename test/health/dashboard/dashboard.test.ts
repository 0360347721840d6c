import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const now = '2026-11-01T12:00:00Z';
const gateway = await testGateway({ data: 'empty', now });
const hour = 3_600_000;
const ago = (days: number, hours = 0) => new Date(Date.parse(now) - days * 24 * hour - hours * hour).toISOString();

interface Told {
  person: TestAccount;
  dashboard(): Promise<Answer>;
  vitals(body: object): Promise<unknown>;
  symptom(symptom_name: string, severity: number, logged_at: string): Promise<unknown>;
  assessment(reported: string[], severity: number, at: string, level?: [string, string]): Promise<unknown>;
}
// biome-ignore lint/suspicious/noExplicitAny: a test reads into a JSON answer and says itself what must be there.
type Answer = any;

async function somebody(time_zone?: string): Promise<Told> {
  const [person] = (await createAccounts(gateway, 1)) as [TestAccount];
  if (time_zone) await send(gateway, 'PATCH', '/auth/me/', { time_zone }, person.access);
  const post = async (path: string, body: object) => {
    const { status, text } = await send(gateway, 'POST', path, body, person.access);
    if (status !== 201) throw new Error(`${path} gave ${status} ${text}`);
  };
  return {
    person,
    async dashboard() {
      const { status, json } = await send(gateway, 'GET', '/health/dashboard/', undefined, person.access);
      expect(status).toBe(200);
      return json;
    },
    vitals: body => post('/health/vitals/', body),
    symptom: (symptom_name, severity, logged_at) => post('/health/symptoms/', { symptom_name, severity, logged_at }),
    assessment: (reported, severity, at, [triage, urgency] = ['routine', 'low']) =>
      sql`insert into assessment (id, user_id, reported, triage_level, urgency, severity, status, created_at)
        values (gen_random_uuid(), ${person.id}, ${reported}, ${triage}, ${urgency}, ${severity}, 'completed', ${at})`.execute(
        gateway.database.sql,
      ),
  };
}

const nothing = {
  assessments: { total: 0, emergency: 0, by_urgency: { low: 0, medium: 0, high: 0 } },
  symptoms: { total: 0, unique: 0, avg_severity: null, top: [], trend: 'insufficient_data' },
  vitals: {
    readings: 0,
    avg_heart_rate: null,
    avg_systolic: null,
    avg_diastolic: null,
    bp_category: null,
    bp_scheme: 'ACC/AHA 2017',
    avg_oxygen_saturation: null,
    avg_blood_glucose: null,
    latest_weight: null,
    weight_change_kg: null,
    steps_total: 0,
  },
  goals: { active: 0, completed: 0, avg_progress: null },
  days_logged: 0,
};

test('without data there are zeros and nulls', async () => {
  const json = await (await somebody()).dashboard();
  expect(json).toEqual({
    generated_at: '2026-11-01T12:00:00.000000Z',
    period_days: 7,
    symptom_stats: { total: 0, avg_severity: null },
    vital_stats: { avg_heart_rate: null, avg_systolic: null, avg_diastolic: null, latest_weight: null },
    latest_summary: null,
    active_goals: [],
    recent_symptoms: [],
    last_7_days: { from: '2026-10-25T12:00:00.000000Z', to: '2026-11-01T12:00:00.000000Z', ...nothing },
    last_30_days: { from: '2026-10-02T12:00:00.000000Z', to: '2026-11-01T12:00:00.000000Z', ...nothing },
  });
});

test('the periods are rolling and count separately', async () => {
  const { dashboard, vitals, symptom, assessment } = await somebody();
  await vitals({ heart_rate: 60, measured_at: ago(7) });
  await vitals({ heart_rate: 80, measured_at: ago(7, 1 / 3600) });
  await vitals({ heart_rate: 100, measured_at: ago(30) });
  await vitals({ heart_rate: 200, measured_at: ago(30, 1 / 3600) });
  await symptom('cough', 4, ago(7));
  await symptom('cough', 7, ago(7, 1 / 3600));
  await symptom('cough', 10, ago(30, 1 / 3600));
  await assessment(['cough'], 5, ago(6), ['emergency', 'high']);
  await assessment(['cough'], 5, ago(8), ['urgent', 'medium']);
  await assessment(['cough'], 5, ago(31), ['emergency', 'high']);
  const { last_7_days: week, last_30_days: month, vital_stats, symptom_stats } = await dashboard();
  expect(week.vitals).toMatchObject({ readings: 1, avg_heart_rate: 60 });
  expect(month.vitals).toMatchObject({ readings: 3, avg_heart_rate: 80 });
  expect(vital_stats.avg_heart_rate).toBe(60);
  expect(week.symptoms).toMatchObject({ total: 2, avg_severity: 4.5 });
  expect(month.symptoms).toMatchObject({ total: 4, avg_severity: 5.3 });
  expect(symptom_stats).toEqual({ total: 2, avg_severity: 4.5 });
  expect(week.assessments).toEqual({ total: 1, emergency: 1, by_urgency: { low: 0, medium: 0, high: 1 } });
  expect(month.assessments).toEqual({ total: 2, emergency: 1, by_urgency: { low: 0, medium: 1, high: 1 } });
});

test('data of a client with a fast clock is included', async () => {
  const { dashboard, vitals } = await somebody();
  await vitals({ heart_rate: 60, measured_at: '2026-11-01T12:04:59Z' });
  expect((await dashboard()).last_7_days.vitals.readings).toBe(1);
});

describe('symptoms', () => {
  test('symptoms of assessments count with their severity; names ignore case', async () => {
    const { dashboard, symptom, assessment } = await somebody();
    await symptom('Headache', 6, ago(1));
    await symptom('headache', 8, ago(2));
    await symptom('nausea', 3, ago(2));
    await assessment([' headache', 'fever'], 4, ago(1));
    await assessment(['fever', 'chills', 'rash', 'itch'], 4, ago(1));
    const { last_7_days, recent_symptoms } = await dashboard();
    expect(last_7_days.symptoms).toMatchObject({
      total: 9,
      unique: 6,
      // Of 6, 8, 3 and six times 4.
      avg_severity: 4.6,
      top: [
        { name: 'headache', count: 3 },
        { name: 'fever', count: 2 },
        { name: 'chills', count: 1 },
        { name: 'itch', count: 1 },
        { name: 'nausea', count: 1 },
      ],
    });
    const at = (days: number) => ago(days).replace('.000', '.000000');
    expect(recent_symptoms).toEqual([
      { id: expect.any(Number), symptom_name: 'Headache', severity: 6, logged_at: at(1) },
      { id: expect.any(Number), symptom_name: 'nausea', severity: 3, logged_at: at(2) },
      { id: expect.any(Number), symptom_name: 'headache', severity: 8, logged_at: at(2) },
    ]);
  });

  test('recent symptoms are at most ten', async () => {
    const { dashboard, symptom } = await somebody();
    for (let at = 0; at < 12; at++) await symptom(`symptom ${at}`, 1, ago(0, at));
    const names = (await dashboard()).recent_symptoms.map((one: { symptom_name: string }) => one.symptom_name);
    expect(names).toEqual(Array.from({ length: 10 }, (_, at) => `symptom ${at}`));
  });

  test.each([
    ['improving', [6, 6], [5, 5]],
    ['worsening', [5, 6], [6, 7]],
    ['stable', [6, 6], [5, 6]],
    ['insufficient_data', [9], [1, 1]],
    ['insufficient_data', [9, 9], [1]],
  ])('%s: %j and then %j', async (trend, earlier, later) => {
    const { dashboard, symptom } = await somebody();
    for (const severity of earlier) await symptom('pain', severity, ago(5));
    for (const severity of later) await symptom('pain', severity, ago(1));
    expect((await dashboard()).last_7_days.symptoms.trend).toBe(trend);
  });
});

describe('measurements', () => {
  test('means have one decimal, each over the readings with that value', async () => {
    const { dashboard, vitals } = await somebody();
    await vitals({ heart_rate: 60, oxygen_saturation: 97, steps: 4000, measured_at: ago(3) });
    await vitals({ heart_rate: 61, blood_glucose: '100.5', steps: 2500, measured_at: ago(2) });
    await vitals({ heart_rate: 61, blood_glucose: 120, oxygen_saturation: 98, measured_at: ago(1) });
    const { last_7_days, vital_stats } = await dashboard();
    expect(last_7_days.vitals).toMatchObject({
      readings: 3,
      avg_heart_rate: 60.7,
      avg_oxygen_saturation: 97.5,
      avg_blood_glucose: 110.3,
      steps_total: 6500,
      avg_systolic: null,
      latest_weight: null,
    });
    expect(vital_stats).toEqual({ avg_heart_rate: 60.7, avg_systolic: null, avg_diastolic: null, latest_weight: null });
  });

  test('the weight is the latest by time of measurement, its change is from the first', async () => {
    const { dashboard, vitals } = await somebody();
    await vitals({ weight_kg: '70.40', measured_at: ago(1) });
    expect((await dashboard()).last_7_days.vitals).toMatchObject({ latest_weight: 70.4, weight_change_kg: null });
    await vitals({ weight_kg: '71.25', measured_at: ago(5) });
    await vitals({ weight_kg: '73.00', measured_at: ago(20) });
    await vitals({ heart_rate: 70 });
    const { last_7_days, last_30_days } = await dashboard();
    expect(last_7_days.vitals).toMatchObject({ latest_weight: 70.4, weight_change_kg: -0.85 });
    expect(last_30_days.vitals).toMatchObject({ latest_weight: 70.4, weight_change_kg: -2.6 });
  });

  test.each([
    [null, [[150, 95]]],
    [
      'normal',
      [
        [118, 78],
        [120, 76],
      ],
    ],
    [
      'elevated',
      [
        [120, 79],
        [120, 79],
      ],
    ],
    [
      'elevated',
      [
        [129, 79],
        [130, 79],
      ],
    ],
    [
      'stage_1',
      [
        [130, 70],
        [130, 70],
      ],
    ],
    [
      'stage_1',
      [
        [110, 80],
        [110, 80],
      ],
    ],
    [
      'stage_2',
      [
        [140, 70],
        [140, 70],
      ],
    ],
    [
      'stage_2',
      [
        [110, 90],
        [110, 90],
      ],
    ],
    [
      'stage_2',
      [
        [180, 120],
        [180, 120],
      ],
    ],
    [
      'severe',
      [
        [181, 80],
        [181, 80],
      ],
    ],
    [
      'severe',
      [
        [150, 121],
        [150, 121],
      ],
    ],
  ] as const)('blood pressure is %s for the mean of %j', async (category, readings) => {
    const { dashboard, vitals } = await somebody();
    for (const [at, [systolic_bp, diastolic_bp]] of readings.entries())
      await vitals({ systolic_bp, diastolic_bp, measured_at: ago(at + 1) });
    expect((await dashboard()).last_7_days.vitals.bp_category).toBe(category);
  });

  test('two readings of one day are one occasion; readings need both values', async () => {
    const { dashboard, vitals } = await somebody();
    await vitals({ systolic_bp: 150, diastolic_bp: 95, measured_at: ago(1) });
    await vitals({ systolic_bp: 150, diastolic_bp: 95, measured_at: ago(1, 1) });
    await vitals({ systolic_bp: 150, measured_at: ago(2) });
    expect((await dashboard()).last_7_days.vitals).toMatchObject({ bp_category: null, avg_systolic: 150 });
    await vitals({ systolic_bp: 150, diastolic_bp: 95, measured_at: ago(2) });
    expect((await dashboard()).last_7_days.vitals.bp_category).toBe('stage_2');
  });
});

test('goals are counted as of now', async () => {
  const { person, dashboard } = await somebody();
  const post = async (body: object) =>
    (await send(gateway, 'POST', '/health/goals/', { goal_type: 'custom', target_value: 10, ...body }, person.access))
      .json;
  const first = await post({ current_value: 10 });
  const second = await post({ current_value: 2.5 });
  const silent = await post({});
  await post({ current_value: 10, is_active: false });
  await post({ current_value: 1, is_active: false });
  const gone = await post({ current_value: 10 });
  await send(gateway, 'DELETE', `/health/goals/${gone.id}/`, undefined, person.access);
  const { active_goals, last_7_days, last_30_days } = await dashboard();
  expect(last_7_days.goals).toEqual({ active: 3, completed: 2, avg_progress: 62.5 });
  expect(last_30_days.goals).toEqual(last_7_days.goals);
  expect(active_goals).toEqual([silent, second, first]);
});

describe('days', () => {
  test("are local to the user's time zone", async () => {
    // 22:30 and 23:30 in Berlin on 30 October, and 00:30 there on 31 October: all on the 30th in UTC.
    const moments = ['2026-10-30T21:30:00Z', '2026-10-30T22:30:00Z', '2026-10-30T23:30:00Z'];
    const days: Record<string, number> = {};
    for (const zone of ['UTC', 'Europe/Berlin', 'Pacific/Auckland']) {
      const { dashboard, vitals } = await somebody(zone);
      for (const measured_at of moments) await vitals({ steps: 1, measured_at });
      days[zone] = (await dashboard()).last_7_days.days_logged;
    }
    expect(days).toEqual({ UTC: 1, 'Europe/Berlin': 2, 'Pacific/Auckland': 1 });
  });

  test('a reading at 23:30 belongs to the day it was made on, for lists, days and weeks alike', async () => {
    // Sunday 25 October, 23:30 in Chicago (daylight saving time), is Monday 26 October in UTC.
    const { person, dashboard, vitals } = await somebody('America/Chicago');
    await vitals({ steps: 700, measured_at: '2026-10-26T04:30:00Z' });
    await vitals({ steps: 800, measured_at: '2026-10-26T05:00:00Z' });
    const list = await send(gateway, 'GET', '/health/vitals/?from=2026-10-25&to=2026-10-25', undefined, person.access);
    expect(list.json.results.map((one: { steps: number }) => one.steps)).toEqual([700]);
    expect((await dashboard()).last_7_days.days_logged).toBe(2);
    const { json } = await send(gateway, 'GET', '/health/summaries/', undefined, person.access);
    expect(json.results.map((one: Answer) => [one.week, one.from, one.to, one.vitals.steps_total])).toEqual([
      ['2026-W44', '2026-10-26', '2026-11-01', 800],
      ['2026-W43', '2026-10-19', '2026-10-25', 700],
    ]);
  });

  test('with symptoms, readings and assessments count once', async () => {
    const { dashboard, vitals, symptom, assessment } = await somebody();
    await vitals({ steps: 1, measured_at: ago(1) });
    await symptom('cough', 1, ago(1));
    await assessment(['cough'], 1, ago(1));
    await symptom('cough', 1, ago(2));
    await assessment([], 1, ago(3));
    await vitals({ steps: 1, measured_at: ago(10) });
    const { last_7_days, last_30_days } = await dashboard();
    expect([last_7_days.days_logged, last_30_days.days_logged]).toEqual([3, 4]);
  });
});

describe('weekly summaries', () => {
  test('exist for weeks with data, and the dashboard has the newest', async () => {
    const { person, dashboard, vitals, symptom, assessment } = await somebody();
    const get = (path: string) => send(gateway, 'GET', path, undefined, person.access);
    expect((await get('/health/summaries/latest/')).status).toBe(404);
    expect((await get('/health/summaries/')).json).toEqual({ count: 0, next: null, previous: null, results: [] });
    await vitals({ weight_kg: 70, measured_at: '2025-12-31T10:00:00Z' });
    await symptom('cough', 4, '2026-10-12T00:00:00Z');
    await symptom('cough', 6, '2026-10-18T23:59:59Z');
    await assessment(['fever'], 8, '2026-10-14T10:00:00Z', ['emergency', 'high']);
    const { json } = await get('/health/summaries/');
    expect(json.count).toBe(2);
    expect(json.results.map((one: Answer) => [one.week, one.from, one.to, one.is_complete, one.days_logged])).toEqual([
      ['2026-W42', '2026-10-12', '2026-10-18', true, 3],
      ['2026-W01', '2025-12-29', '2026-01-04', true, 1],
    ]);
    expect(json.results[0]).toMatchObject({
      assessments: { total: 1, emergency: 1 },
      symptoms: { total: 3, unique: 2, avg_severity: 6, trend: 'insufficient_data' },
      vitals: { readings: 0 },
    });
    expect((await get('/health/summaries/latest/')).json).toEqual(json.results[0]);
    expect((await dashboard()).latest_summary).toEqual(json.results[0]);
    await vitals({ steps: 5 });
    const newest = (await dashboard()).latest_summary;
    expect(newest).toMatchObject({ week: '2026-W44', is_complete: false, vitals: { steps_total: 5 } });
    expect((await get('/health/summaries/?page_size=2&page=2')).json.results).toHaveLength(1);
    expect((await get('/health/summaries/?page=2')).status).toBe(404);
  });
});

test('users see their own data only', async () => {
  const one = await somebody();
  const other = await somebody();
  await one.vitals({ weight_kg: 70 });
  await one.symptom('cough', 3, ago(1));
  await one.assessment(['cough'], 3, ago(1));
  const json = await other.dashboard();
  expect(json.last_30_days).toMatchObject(nothing);
  expect(json.recent_symptoms).toEqual([]);
  expect((await send(gateway, 'GET', '/health/summaries/', undefined, other.person.access)).json.count).toBe(0);
});

test('takes one statement per group of figures besides the session, in GraphQL only for selected ones', async () => {
  const { person, dashboard } = await somebody();
  expect(await gateway.statements(dashboard)).toHaveLength(6);
  const graphql = (query: string) =>
    gateway.statements(async () => {
      const { json } = await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${person.access}` },
        body: JSON.stringify({ query }),
      });
      expect(json.errors).toBeUndefined();
    });
  expect(
    await graphql('{ healthViewer { dashboard { last7Days { vitals { bloodPressureCategory } } } } }'),
  ).toHaveLength(2);
  expect(
    await graphql('{ healthViewer { dashboard { last7Days { goals { averageProgressPercent } } } } }'),
  ).toHaveLength(2);
  expect(await graphql('{ healthViewer { dashboard { last30Days { loggedDayCount } } } }')).toHaveLength(4);
  expect(await graphql('{ healthViewer { latestSummary { week vitals { stepCount } } } }')).toHaveLength(2);
  expect(await graphql('{ healthViewer { weeklySummaries { nodes { week from to } } } }')).toHaveLength(2);
  const summaries = () => send(gateway, 'GET', '/health/summaries/', undefined, person.access);
  expect(await gateway.statements(summaries)).toHaveLength(3);
});
