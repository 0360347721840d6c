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
    // The stem of «pregnant» is another than that of «pregnancy», which articles are about.
    sql`select 'pregnancy', 'your pregnancy', ${interestWeights.condition}::float8, 'track' from users
      where id = ${userId} and ${isPregnant('users')}`,
    sql`select unnest(symptoms), unnest(symptoms), ${interestWeights.symptom}::float8, 'track' from users where id = ${userId}`,
    sql`select flag.term, flag.label, ${interestWeights.condition}::float8, 'track' from users cross join lateral (values ${profileTerms}) as flag (answer, term, label)
      where id = ${userId} and flag.answer = 'Y'`,
    sql`select symptom, symptom, ${interestWeights.assessed}::float8, 'track' from assessment cross join unnest(reported) symptom
      where user_id = ${userId} and subject = 'myself' and created_at > ${since}`,
    sql`select word.term, word.label, ${interestWeights.goal}::float8, 'track' from health_goal goal
      join (values ${goalTerms}) as word (goal_type, term, label) using (goal_type)
      join users u on u.id = goal.user_id
      where goal.user_id = ${userId} and goal.is_active and goal.deleted_at is null
        -- Weight and energy say nothing about the interests of a pregnant person, and articles on losing weight are not for her.
        and not (goal.goal_type in ('weight', 'calories') and ${isPregnant('u')})`,
    sql`select band.term, band.label, ${interestWeights.age}::float8, 'age' from users
      cross join lateral (select date_part('year', age(${now.toISOString()}::timestamptz, date_of_birth))) as lived (years)
      join (values ${ageTerms}) as band (youngest, oldest, sex, term, label)
        on lived.years between band.youngest and band.oldest and (band.sex is null or band.sex = users.gender)
      where id = ${userId}`,
  ];
  return sql.join(sources, sql` union all `);
}

/** SQL condition: the profile says that the person is pregnant. */
const isPregnant = (users: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from unnest(${sql.raw(users)}.conditions) one(text) where one.text ~* '\\mpregnan(t|cy)\\M')`;

/**
 * SQL condition: an article `a` speaks to other people than the user: about the stage before a disease that they have, or about pregnancy
 * to those who cannot be pregnant.
 */
export const isForOthers = (userId: number, now: Date): RawBuilder<boolean> => sql<boolean>`exists (
  select from users u cross join lateral (select a.headline || ' ' || array_to_string(a.tags, ' ') as text) about
  where u.id = ${userId} and (
    (about.text ~* '\\mpre-?diabetes\\M' and (u.has_diabetes = 'Y'
      or exists (select from unnest(u.conditions) one(text) where one.text ~* '\\mdiabetes\\M' and one.text !~* '\\mpre-?\\s?diabetes\\M')))
    or (about.text ~* '\\mpregnancy\\M' and not ${isPregnant('u')}
      and (u.gender = 'M' or date_part('year', age(${now.toISOString()}::timestamptz, u.date_of_birth)) not between 12 and 55))))`;

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
