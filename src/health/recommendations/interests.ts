import { type RawBuilder, sql } from 'kysely';

/** How much what one has counts against what one read. */
const interestWeights = { condition: 1, symptom: 0.8, assessed: 0.7, goal: 0.6 } as const;

/** Days in which what was assessed still tells of somebody. */
const assessmentMaxAgeDays = 90;

/**
 * What somebody is concerned with, in their own words: rows (term, label, weight). `term` is looked for, `label` is what the
 * person is told («Because you track …»), weight is 0 to 1. A source of terms is one line here. All of them read rows of this
 * one person and nobody else's: a recommendation must never tell of the health of another.
 */
export function interestsOf(userId: number, now: Date): RawBuilder<unknown> {
  const since = new Date(now.getTime() - assessmentMaxAgeDays * 24 * 3_600_000).toISOString();
  const sources = [
    sql`select unnest(conditions), unnest(conditions), ${interestWeights.condition}::float8 from users where id = ${userId}`,
    sql`select unnest(symptoms), unnest(symptoms), ${interestWeights.symptom}::float8 from users where id = ${userId}`,
    sql`select flag.term, flag.label, ${interestWeights.condition}::float8 from users cross join lateral (values ${profileTerms}) as flag (answer, term, label)
      where id = ${userId} and flag.answer = 'Y'`,
    sql`select symptom, symptom, ${interestWeights.assessed}::float8 from assessment cross join unnest(reported) symptom
      where user_id = ${userId} and subject = 'myself' and created_at > ${since}`,
    sql`select word.term, word.label, ${interestWeights.goal}::float8 from health_goal goal
      join (values ${goalTerms}) as word (goal_type, term, label) using (goal_type)
      where goal.user_id = ${userId} and goal.is_active and goal.deleted_at is null`,
  ];
  return sql.join(sources, sql` union all `);
}

/** What a goal is about, in the words articles use; one of its owner's own making says nothing that could be looked for. */
const goalTerms = sql.raw(`
  ('sleep', 'sleep', 'sleep'), ('steps', 'walking', 'your steps'), ('steps', 'exercise', 'your steps'),
  ('water', 'drinking water', 'what you drink'), ('weight', 'weight', 'your weight'), ('calories', 'healthy eating', 'what you eat'),
  ('blood_sugar', 'blood sugar', 'blood sugar'), ('blood_pressure', 'blood pressure', 'blood pressure')`);

/** What a «yes» of the profile means, in the words articles use. `has_chronic_condition` does not say which, so it says nothing. */
const profileTerms = sql.raw(`
  (has_diabetes, 'diabetes', 'diabetes'), (has_diabetes, 'blood sugar', 'diabetes'),
  (has_hypertension, 'high blood pressure', 'high blood pressure'), (has_hypertension, 'hypertension', 'high blood pressure'),
  (is_smoker, 'smoking', 'smoking'), (had_recent_surgery, 'recovery after surgery', 'recovery after surgery')`);
