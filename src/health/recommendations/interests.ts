import { type RawBuilder, sql } from 'kysely';

/** Weights of the sources of interests. */
const interestWeights = { condition: 1, symptom: 0.8, assessed: 0.7, goal: 0.6, age: 0.4 } as const;

/** Maximum age in days of assessments that are used. */
const assessmentMaxAgeDays = 90;

/**
 * Interests of a user: rows (term, label, weight, kind). `term` is searched, `label` appears in the reason («Because you
 * track …»), weight is 0 to 1. Reads only rows of this user: a recommendation must never reveal the health of another.
 */
export function interestsOf(userId: number, now: Date): RawBuilder<unknown> {
  const since = new Date(now.getTime() - assessmentMaxAgeDays * 24 * 3_600_000).toISOString();
  const sources = [
    sql`select unnest(conditions), unnest(conditions), ${interestWeights.condition}::float8, 'track' from users where id = ${userId}`,
    sql`select unnest(symptoms), unnest(symptoms), ${interestWeights.symptom}::float8, 'track' from users where id = ${userId}`,
    sql`select flag.term, flag.label, ${interestWeights.condition}::float8, 'track' from users cross join lateral (values ${profileTerms}) as flag (answer, term, label)
      where id = ${userId} and flag.answer = 'Y'`,
    sql`select symptom, symptom, ${interestWeights.assessed}::float8, 'track' from assessment cross join unnest(reported) symptom
      where user_id = ${userId} and subject = 'myself' and created_at > ${since}`,
    sql`select word.term, word.label, ${interestWeights.goal}::float8, 'track' from health_goal goal
      join (values ${goalTerms}) as word (goal_type, term, label) using (goal_type)
      where goal.user_id = ${userId} and goal.is_active and goal.deleted_at is null`,
    sql`select band.term, band.label, ${interestWeights.age}::float8, 'age' from users
      cross join lateral (select date_part('year', age(${now.toISOString()}::timestamptz, date_of_birth))) as lived (years)
      join (values ${ageTerms}) as band (youngest, oldest, sex, term, label)
        on lived.years between band.youngest and band.oldest and (band.sex is null or band.sex = users.gender)
      where id = ${userId}`,
  ];
  return sql.join(sources, sql` union all `);
}

/** Search terms of goal types; custom goals have none. */
const goalTerms = sql.raw(`
  ('sleep', 'sleep', 'sleep'), ('steps', 'walking', 'your steps'), ('steps', 'exercise', 'your steps'),
  ('water', 'drinking water', 'what you drink'), ('weight', 'weight', 'your weight'), ('calories', 'healthy eating', 'what you eat'),
  ('blood_sugar', 'blood sugar', 'blood sugar'), ('blood_pressure', 'blood pressure', 'blood pressure')`);

/** Search terms of profile answers. `has_chronic_condition` names no condition, so it has none. */
const profileTerms = sql.raw(`
  (has_diabetes, 'diabetes', 'diabetes'), (has_diabetes, 'blood sugar', 'diabetes'),
  (has_hypertension, 'high blood pressure', 'high blood pressure'), (has_hypertension, 'hypertension', 'high blood pressure'),
  (is_smoker, 'smoking', 'smoking'), (had_recent_surgery, 'recovery after surgery', 'recovery after surgery')`);

/** Search terms of ages: what guidelines of prevention and screening offer people of that age. A weak interest beside all others. */
const ageTerms = sql.raw(`
  (13, 19, null, 'teen sleep', 'in their teens'), (13, 24, null, 'acne', 'of your age'), (18, 39, null, 'stress', 'of your age'),
  (40, 59, null, 'cholesterol', 'from forty on'), (40, 64, null, 'blood pressure', 'from forty on'), (44, 56, 'F', 'menopause', 'of your age'),
  (50, 150, null, 'strength training', 'from fifty on'), (60, 150, null, 'falls', 'from sixty on'), (60, 150, null, 'osteoporosis', 'from sixty on'),
  (65, 150, null, 'vaccination', 'from sixty-five on')`);
