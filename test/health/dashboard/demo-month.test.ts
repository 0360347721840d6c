import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { demoCredentials } from '../../../seeds/health/people.ts';
import { deriveKeys } from '../../../src/auth/derived-keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { testSecret } from '../../harness/secret.ts';

// When the demo data of the test database was seeded.
const seededAt = '2026-10-01T08:00:00Z';
const gateway = await testGateway({ data: 'demo', now: seededAt });
const people = demoCredentials(deriveKeys(readConfig({ SECRET_KEY: testSecret })));

async function signedIn(name: keyof typeof people) {
  const { json } = await send(gateway, 'POST', '/auth/login/', people[name]);
  return (path: string) => send(gateway, 'GET', path, undefined, json.access).then(answer => answer.json);
}

describe('the month of the demo people', () => {
  test('amira: fasting glucose comes down, and with it fatigue and thirst', async () => {
    const get = await signedIn('amira');
    const {
      last_7_days: week,
      last_30_days: month,
      active_goals: goals,
      latest_summary,
    } = await get('/health/dashboard/');
    expect(week.vitals.avg_blood_glucose).toBeLessThan(month.vitals.avg_blood_glucose);
    expect(month.vitals.avg_blood_glucose).toBeGreaterThan(120);
    expect(month.vitals).toMatchObject({ bp_category: null, weight_change_kg: expect.any(Number) });
    expect(month.vitals.weight_change_kg).toBeLessThan(0);
    expect(month.symptoms.top.map((one: { name: string }) => one.name).toSorted()).toEqual([
      'blocked nose',
      'fatigue',
      'peeing a lot',
      'sore throat',
      'thirst',
    ]);
    expect(month.symptoms.trend).toBe('improving');
    expect(month.days_logged).toBeGreaterThanOrEqual(29);
    expect(goals.map((goal: { goal_type: string }) => goal.goal_type)).toEqual([
      'water',
      'weight',
      'steps',
      'blood_sugar',
    ]);
    for (const { progress } of goals) expect(progress).toBeGreaterThan(0);
    expect(latest_summary.week).toBe('2026-W40');
    expect((await get('/auth/me/')).time_zone).toBe('Europe/Madrid');
  });

  test('benedikt: blood pressure every morning, too high and getting better', async () => {
    const get = await signedIn('benedikt');
    const { last_7_days: week, last_30_days: month } = await get('/health/dashboard/');
    expect(month.vitals.bp_category).toBe('stage_2');
    expect(week.vitals.avg_systolic).toBeLessThan(month.vitals.avg_systolic);
    expect(month.symptoms.top[0].name).toBe('knee pain');
    expect((await get('/health/goals/?is_active=false')).count).toBe(1);
  });

  test('chiara: migraine once a week, and the saturation of an asthmatic', async () => {
    const get = await signedIn('chiara');
    const { last_30_days: month } = await get('/health/dashboard/');
    expect(month.symptoms.top.map((one: { name: string }) => one.name)).toEqual(
      expect.arrayContaining(['headache', 'visual aura', 'nausea']),
    );
    expect(month.vitals.avg_oxygen_saturation).toBeGreaterThan(94);
    expect(
      (await get('/health/symptoms/?search=headache&ordering=-severity')).results[0].severity,
    ).toBeGreaterThanOrEqual(7);
  });

  test('no data is after the time of seeding or before the month', async () => {
    const { rows } = await sql<{ first: string; last: string; written: string }>`
      select min(at) as first, max(at) as last, max(created_at) as written from (
        select measured_at as at, created_at from vital_reading union all select logged_at, created_at from symptom_log) told`.execute(
      gateway.database.sql,
    );
    const [{ first = '', last = '', written = '' } = {}] = rows;
    expect(Date.parse(last)).toBeLessThanOrEqual(Date.parse(seededAt));
    expect(Date.parse(written)).toBeLessThanOrEqual(Date.parse(seededAt));
    expect(Date.parse(first)).toBeGreaterThan(Date.parse(seededAt) - 31 * 24 * 3_600_000);
  });
});
