import { type RawBuilder, sql } from 'kysely';

/** How much what one has counts against what one read. */
const weight = { condition: 1, symptom: 0.8 } as const;

/**
 * What somebody is concerned with, in their own words: rows (term, label, weight). `term` is looked for, `label` is what the
 * person is told («Because you track …»), weight is 0 to 1. A source of terms is one line here. All of them read rows of this
 * one person and nobody else's: a recommendation must never tell of the health of another.
 */
export function interestsOf(userId: number): RawBuilder<unknown> {
  const sources = [
    sql`select unnest(conditions), unnest(conditions), ${weight.condition}::float8 from users where id = ${userId}`,
    sql`select unnest(symptoms), unnest(symptoms), ${weight.symptom}::float8 from users where id = ${userId}`,
    sql`select flag.term, flag.label, ${weight.condition}::float8 from users cross join lateral (values ${flags}) as flag (answer, term, label)
      where id = ${userId} and flag.answer = 'Y'`,
  ];
  return sql.join(sources, sql` union all `);
}

/** What a «yes» of the profile means, in the words articles use. `has_chronic_condition` does not say which, so it says nothing. */
const flags = sql.raw(`
  (has_diabetes, 'diabetes', 'diabetes'), (has_diabetes, 'blood sugar', 'diabetes'),
  (has_hypertension, 'high blood pressure', 'high blood pressure'), (has_hypertension, 'hypertension', 'high blood pressure'),
  (is_smoker, 'smoking', 'smoking'), (had_recent_surgery, 'recovery after surgery', 'recovery after surgery')`);
