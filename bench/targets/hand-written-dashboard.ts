import type { Express } from 'express';
import { jwtVerify } from 'jose';
import pg from 'pg';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { benchSecret } from '../load-build.ts';
import type { Target } from '../target.ts';
import { listen, withProductionSteps } from './production-steps.ts';

/**
 * A hand-written server for the dashboard: jose, the session lookup, and six concurrent statements that build JSON in
 * PostgreSQL. Its responses equal the gateway's except for timestamps.
 */

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const zone = `(select coalesce(time_zone, 'UTC') from users where id = $1)`;

/** The periods of the dashboard; $2 is now. */
const periods = `(values ('week', $2::timestamptz - interval '168 hours', $2::timestamptz - interval '84 hours', $2::timestamptz + interval '5 minutes'),
  ('month', $2::timestamptz - interval '720 hours', $2::timestamptz - interval '360 hours', $2::timestamptz + interval '5 minutes'))
  w(key, since, middle, until)`;

const assessments = `
  select json_build_object('total', count(*), 'emergency', count(*) filter (where triage_level = 'emergency'),
      'by_urgency', json_build_object('low', count(*) filter (where urgency = 'low'),
        'medium', count(*) filter (where urgency = 'medium'), 'high', count(*) filter (where urgency = 'high'))),
    coalesce(array_agg(distinct (created_at at time zone ${zone})::date::text), '{}')
  from assessment where user_id = $1 and subject = 'myself' and created_at >= w.since and created_at < w.until`;

const symptoms = `
  with m as materialized (
    select symptom_name as name, severity, logged_at as at, true as logged from symptom_log
    where user_id = $1 and logged_at >= w.since and logged_at < w.until
    union all
    select trim(symptom), severity, created_at, false from assessment cross join unnest(reported) symptom
    where user_id = $1 and subject = 'myself' and created_at >= w.since and created_at < w.until),
  t as (select mode() within group (order by name) as name, count(*) as count from m group by lower(name)
    order by count(*) desc, lower(name) limit 5)
  select json_build_object('total', count(*), 'unique', count(distinct lower(name)), 'avg_severity', round(avg(severity), 1),
      'top', (select coalesce(json_agg(json_build_object('name', name, 'count', count) order by count desc, lower(name)), '[]') from t),
      'trend', case when count(severity) filter (where at < w.middle) < 2 or count(severity) filter (where at >= w.middle) < 2
        then 'insufficient_data'
        when avg(severity) filter (where at >= w.middle) - avg(severity) filter (where at < w.middle) <= -1 then 'improving'
        when avg(severity) filter (where at >= w.middle) - avg(severity) filter (where at < w.middle) >= 1 then 'worsening'
        else 'stable' end),
    coalesce(array_agg(distinct (at at time zone ${zone})::date::text) filter (where logged), '{}')
  from m`;

const vitals = `
  select json_build_object('readings', count(*), 'avg_heart_rate', round(avg(heart_rate), 1),
      'avg_systolic', round(avg(systolic_bp), 1), 'avg_diastolic', round(avg(diastolic_bp), 1),
      'bp_category', case when count(*) filter (where paired) < 2 or count(distinct day) filter (where paired) < 2 then null
        when avg(systolic_bp) filter (where paired) > 180 or avg(diastolic_bp) filter (where paired) > 120 then 'severe'
        when avg(systolic_bp) filter (where paired) >= 140 or avg(diastolic_bp) filter (where paired) >= 90 then 'stage_2'
        when avg(systolic_bp) filter (where paired) >= 130 or avg(diastolic_bp) filter (where paired) >= 80 then 'stage_1'
        when avg(systolic_bp) filter (where paired) >= 120 then 'elevated' else 'normal' end,
      'bp_scheme', 'ACC/AHA 2017',
      'avg_oxygen_saturation', round(avg(oxygen_saturation), 1), 'avg_blood_glucose', round(avg(blood_glucose), 1),
      'latest_weight', (array_agg(weight_kg order by measured_at desc, id desc) filter (where weight_kg is not null))[1],
      'weight_change_kg', case when count(weight_kg) > 1
        then (array_agg(weight_kg order by measured_at desc, id desc) filter (where weight_kg is not null))[1]
          - (array_agg(weight_kg order by measured_at, id) filter (where weight_kg is not null))[1] end,
      'steps_total', coalesce(sum(steps), 0)),
    coalesce(array_agg(distinct day::text), '{}')
  from (select *, systolic_bp is not null and diastolic_bp is not null as paired,
      (measured_at at time zone ${zone})::date as day
    from vital_reading where user_id = $1 and measured_at >= w.since and measured_at < w.until) r`;

const inPeriods = (block: string): string =>
  `select w.key, x.* from ${periods} cross join lateral (${block}) x(figures, days)`;

const recent = `select id, symptom_name, severity, to_char(logged_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as logged_at
  from symptom_log where user_id = $1 and logged_at >= $2::timestamptz - interval '168 hours'
    and logged_at < $2::timestamptz + interval '5 minutes' order by logged_at desc, id desc limit 10`;

const goals = `
  with g as (
    select g.*, u.weight_kg, f.factor, case when g.given_at is null or m.at > g.given_at then m.value * f.factor end as measured
    from health_goal g join users u on u.id = g.user_id
    left join (values ('weight', 'kg', 1), ('weight', 'kgs', 1), ('weight', 'g', 1000), ('weight', 'lb', 2.2046226218),
      ('weight', 'lbs', 2.2046226218), ('blood_sugar', 'mg/dl', 1), ('blood_sugar', 'mmol/l', 0.0555074491),
      ('blood_pressure', 'mmhg', 1), ('blood_pressure', 'kpa', 0.1333223874), ('steps', 'steps', 1), ('steps', 'step', 1))
      f(goal_type, unit, factor) on f.goal_type = g.goal_type and f.unit = lower(g.unit)
    left join (
      (select 'weight' as goal_type, weight_kg as value, measured_at as at from vital_reading
        where user_id = $1 and weight_kg is not null order by measured_at desc, id desc limit 1)
      union all (select 'blood_sugar', blood_glucose, measured_at from vital_reading
        where user_id = $1 and blood_glucose is not null order by measured_at desc, id desc limit 1)
      union all (select 'blood_pressure', systolic_bp, measured_at from vital_reading
        where user_id = $1 and systolic_bp is not null order by measured_at desc, id desc limit 1)
      union all select 'steps', avg(steps), max(at) from (
        select sum(steps) as steps, max(measured_at) as at from vital_reading
        where user_id = $1 and measured_at >= $2::timestamptz - interval '168 hours' and steps is not null
        group by (measured_at at time zone ${zone})::date) days having count(*) > 0
    ) m on m.goal_type = g.goal_type and f.factor is not null
    where g.user_id = $1 and g.deleted_at is null),
  c as (select *, coalesce(measured, given_value, case when goal_type = 'weight' then weight_kg * factor end)::numeric(10,2) as value from g),
  p as (select *, case when value is null then null
      when goal_type not in ('weight', 'blood_sugar', 'blood_pressure') then least(100, floor(100 * value / target_value))
      when start_value is null then null
      when start_value = target_value then case when value = target_value then 100 else 0 end
      else greatest(0, least(100, floor(100 * (start_value - value) / (start_value - target_value)))) end::int as progress from c)
  select (select json_build_object('active', count(*) filter (where is_active), 'completed', count(*) filter (where progress = 100),
      'avg_progress', round(avg(progress) filter (where is_active), 1)) from p) as figures,
    (select coalesce(json_agg(json_build_object('id', id, 'goal_type', goal_type, 'target_value', target_value::text, 'unit', unit,
      'description', description, 'is_active', is_active, 'current_value', value::text, 'progress', progress,
      'start_date', start_date, 'target_date', target_date,
      'created_at', to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'updated_at', to_char(updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
      order by created_at desc, id desc), '[]')
     from (select * from p where is_active order by created_at desc, id desc limit 100) shown) as active`;

const summary = `
  select to_char(w.monday, 'IYYY-"W"IW') as week, w.monday::text as "from", (w.monday + 6)::text as "to", w.until <= $2 as is_complete,
    a.figures as assessments, s.figures as symptoms, v.figures as vitals, a.days || s.days || v.days as days
  from (select monday, monday::timestamp at time zone ${zone} as since,
      (monday::timestamp + interval '84 hours') at time zone ${zone} as middle, (monday + 7)::timestamp at time zone ${zone} as until
    from (select date_trunc('week', greatest((select max(measured_at) from vital_reading where user_id = $1),
      (select max(logged_at) from symptom_log where user_id = $1), (select max(created_at) from assessment where user_id = $1 and subject = 'myself'))
      at time zone ${zone})::date as monday) found where monday is not null) w
  cross join lateral (${assessments}) a(figures, days)
  cross join lateral (${symptoms}) s(figures, days)
  cross join lateral (${vitals}) v(figures, days)`;

interface Block {
  key: 'week' | 'month';
  // biome-ignore lint/suspicious/noExplicitAny: hand-written code trusts the row types of its statements.
  figures: any;
  days: string[];
}

const instant = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

function addDashboard(app: Express, pool: pg.Pool, key: Uint8Array): void {
  const names = new Map<string, string>();
  // Named statements, so that a connection parses each once, as in the gateway.
  const ask = (text: string, values: unknown[]): Promise<pg.QueryResult> => {
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return pool.query({ name, text, values });
  };
  app.get('/api/v1/health/dashboard/', async (request, response) => {
    const [, token = ''] = (request.headers.authorization ?? '').split(' ');
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], audience: 'portico-health' });
    const session = await ask(
      `select 1 from users u join session s on s.id = $2 and s.user_id = u.id
       where u.id = $1 and u.is_active and u.deleted_at is null and s.ended_at is null and s.expires_at > $3`,
      [payload.user_id, payload.sid, new Date().toISOString()],
    );
    if (session.rows.length === 0) {
      response.status(401).json({ detail: 'Token is invalid' });
      return;
    }
    const now = Date.now();
    const values = [payload.user_id, new Date(now).toISOString()];
    const [ofAssessments, ofSymptoms, ofVitals, ofGoals, latest, newest] = await Promise.all([
      ask(inPeriods(assessments), values),
      ask(inPeriods(symptoms), values),
      ask(inPeriods(vitals), values),
      ask(goals, values),
      ask(summary, values),
      ask(recent, values),
    ]);
    const period = (name: Block['key'], days: number) => {
      const [a, s, v] = [ofAssessments, ofSymptoms, ofVitals].map(({ rows }) =>
        (rows as Block[]).find(row => row.key === name),
      );
      return {
        from: instant(now - days * 24 * 3_600_000),
        to: instant(now),
        assessments: a?.figures,
        symptoms: s?.figures,
        vitals: v?.figures,
        goals: ofGoals.rows[0].figures,
        days_logged: new Set([a, s, v].flatMap(one => one?.days ?? [])).size,
      };
    };
    const [week, month] = [period('week', 7), period('month', 30)];
    const { days, ...shown } = latest.rows[0] ?? {};
    response
      .status(200)
      .set({ Vary: 'Authorization, Origin', 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' })
      .json({
        generated_at: instant(now),
        period_days: 7,
        symptom_stats: { total: week.symptoms.total, avg_severity: week.symptoms.avg_severity },
        vital_stats: {
          avg_heart_rate: week.vitals.avg_heart_rate,
          avg_systolic: week.vitals.avg_systolic,
          avg_diastolic: week.vitals.avg_diastolic,
          latest_weight: week.vitals.latest_weight,
        },
        latest_summary: days ? { ...shown, days_logged: new Set(days).size } : null,
        active_goals: ofGoals.rows[0].active,
        recent_symptoms: newest.rows,
        last_7_days: week,
        last_30_days: month,
      });
  });
}

/** Behind the production steps. */
export const start: Target = async url => {
  const app = await withProductionSteps();
  const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c timezone=UTC -c statement_timeout=10000' });
  addDashboard(
    app,
    pool,
    deriveKeys({ SECRET_KEY: benchSecret, SECRET_KEY_PREVIOUS: undefined, PORTICO_DATA: '' }).sessionTokens[0],
  );
  return listen(app);
};
