import { sql } from 'kysely';
import type { Person } from '../../../../schema/health/person.ts';
import type { Context } from '../../../context/context.ts';
import { isConsentInForce, modelProvider } from '../../consents/consents.ts';
import { withoutDisclaimer } from '../../safety/fixed-texts.ts';
import type { EngineInput, Turn } from '../engine.ts';

/** Messages that are loaded; `buildPrompt` decides how many of them are sent. */
const historyTurns = 40;

interface Row {
  history: Turn[] | null;
  profile: Profile | null;
  vitals: Vital[] | null;
  goals: Goal[] | null;
}

/** The latest reading of one kind. */
interface Vital {
  name: string;
  value: string;
  unit: string;
  day: string;
}

interface Goal {
  type: string;
  target: string;
  unit: string;
  description: string;
  day: string;
  from: string;
}

/** Active goals that are sent. */
const maxGoals = 10;

type Profile = Pick<
  Person,
  | 'gender'
  | 'allergies'
  | 'conditions'
  | 'symptoms'
  | 'hasHypertension'
  | 'hasDiabetes'
  | 'hasChronicCondition'
  | 'isSmoker'
  | 'hadRecentSurgery'
> & { age: number | null };

/**
 * Context for a model: the conversation without messages in a crisis and, with a consent that names the provider, profile facts, the latest
 * vital signs and the active goals, with units and days. Reads no name and no address. One statement.
 */
export async function loadModelContext(
  { config, read, now }: Pick<Context, 'config' | 'read' | 'now'>,
  userId: number,
): Promise<Pick<EngineInput, 'history' | 'profileHints'>> {
  const [row] = await read(sql<Row>`
    select (
        select json_agg(json_build_object('role', turn.role, 'content', turn.content) order by turn.id)
        from (select id, role, content from companion_message where user_id = u.id and safety <> 'crisis'
          order by id desc limit ${historyTurns}) turn
      ) as history,
      case when shared.is_shared then json_build_object(
        'age', extract(year from age(${now().toISOString()}::timestamptz::date, date_of_birth))::int, 'gender', gender,
        'allergies', allergies, 'conditions', conditions, 'symptoms', symptoms, 'hasHypertension', has_hypertension,
        'hasDiabetes', has_diabetes, 'hasChronicCondition', has_chronic_condition, 'isSmoker', is_smoker, 'hadRecentSurgery', had_recent_surgery
      ) end as profile,
      case when shared.is_shared then (
        select json_agg(json_build_object('name', latest.name, 'value', latest.value, 'unit', latest.unit,
          'day', to_char(latest.measured_at at time zone 'UTC', 'YYYY-MM-DD')) order by latest.no)
        from (
          select distinct on (v.no) v.no, v.name, v.value, v.unit, r.measured_at
          from vital_reading r cross join lateral (values
            (1, 'Blood pressure', r.systolic_bp || '/' || r.diastolic_bp, 'mmHg'),
            (2, 'Heart rate', r.heart_rate::text, 'beats per minute'),
            (3, 'Body temperature', trim_scale(r.temperature_c)::text, '°C'),
            (4, 'Oxygen saturation', r.oxygen_saturation::text, '%'),
            (5, 'Blood glucose', trim_scale(r.blood_glucose)::text, 'mg/dL'),
            (6, 'Weight', trim_scale(r.weight_kg)::text, 'kg'),
            (7, 'Steps', r.steps::text, 'steps')
          ) v (no, name, value, unit)
          where r.user_id = u.id and v.value is not null order by v.no, r.measured_at desc, r.id desc
        ) latest
      ) end as vitals,
      case when shared.is_shared then (
        select json_agg(json_build_object('type', g.goal_type, 'target', trim_scale(g.target_value)::text, 'unit', g.unit,
          'description', left(g.description, 200), 'day', g.target_date::text, 'from', to_char(g.created_at at time zone 'UTC', 'YYYY-MM-DD')) order by g.id)
        from (select * from health_goal where user_id = u.id and is_active order by id desc limit ${maxGoals}) g
      ) end as goals
    from users u cross join lateral (
      select u.share_profile_with_ai and ${isConsentInForce(sql`u.id`, 'profile_to_model', modelProvider(config))} as is_shared) shared
    where u.id = ${userId}`);
  const history = (row?.history ?? []).map(({ role, content }) => ({ role, content: withoutDisclaimer(content) }));
  return {
    history,
    profileHints: row?.profile
      ? [
          ...formatProfileHints(row.profile),
          ...(row.vitals ?? []).map(formatVital),
          ...(row.goals ?? []).map(formatGoal),
        ]
      : [],
  };
}

const genders: ReadonlyMap<string, string> = new Map([
  ['M', 'male'],
  ['F', 'female'],
  ['O', 'other'],
]);

function formatProfileHints(profile: Profile): string[] {
  const said = (word: string, value: string | null): string[] =>
    value === 'Y' ? [`${word}: yes`] : value === 'N' ? [`${word}: no`] : [];
  const list = (word: string, values: readonly string[]): string[] =>
    values.length > 0 ? [`${word}: ${values.join(', ')}`] : [];
  return [
    ...(profile.age === null ? [] : [`Age: ${profile.age}`]),
    ...list('Gender', profile.gender ? [genders.get(profile.gender) ?? 'other'] : []),
    ...list('Conditions', profile.conditions),
    ...list('Symptoms', profile.symptoms),
    ...list('Allergies', profile.allergies === '' ? [] : [profile.allergies]),
    ...said('High blood pressure', profile.hasHypertension),
    ...said('Diabetes', profile.hasDiabetes),
    ...said('A chronic condition', profile.hasChronicCondition),
    ...said('Smoker', profile.isSmoker),
    ...said('Recent surgery', profile.hadRecentSurgery),
  ];
}

const formatVital = ({ name, value, unit, day }: Vital): string =>
  `Latest ${name}: ${value} ${unit}, measured on ${day}`;

const formatGoal = ({ type, target, unit, description, day, from }: Goal): string =>
  `Active goal (${type.replaceAll('_', ' ')}): ${`${target} ${unit}`.trim()}, set on ${from}${day ? `, until ${day}` : ''}${description ? ` (${description})` : ''}`;
