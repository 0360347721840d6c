import { sql } from 'kysely';
import type { PersonFacts } from 'triage/knowledge/person-facts';
import type { Context } from '../../context/context.ts';

interface ProfileRow {
  months: number | null;
  gender: string | null;
  has_diabetes: string | null;
  has_hypertension: string | null;
  had_recent_surgery: string | null;
  is_smoker: string | null;
  conditions: string[];
}

/**
 * Completes facts by the profile of the caller, for an assessment of themselves; what was given wins. The profile tells a
 * gender and no sex at birth: `male` and `female` are taken for it until the request says otherwise.
 */
export async function withProfileFacts(
  { read, now }: Pick<Context, 'read' | 'now'>,
  userId: number,
  given: PersonFacts,
): Promise<PersonFacts> {
  const [row] = await read(sql<ProfileRow>`select
      (extract(year from age(${now()}::timestamptz, date_of_birth)) * 12
        + extract(month from age(${now()}::timestamptz, date_of_birth)))::int as months,
      gender, has_diabetes, has_hypertension, had_recent_surgery, is_smoker, conditions
    from users where id = ${userId}`);
  if (!row) return given;
  const told = [
    row.has_diabetes === 'Y' ? 'diabetes' : '',
    row.has_hypertension === 'Y' ? 'high blood pressure' : '',
    row.had_recent_surgery === 'Y' ? 'recent surgery' : '',
    row.is_smoker === 'Y' ? 'smoker' : '',
  ].filter(one => one !== '');
  const gender = row.gender?.toLowerCase() ?? '';
  const sex = gender === 'male' || gender === 'm' ? 'male' : gender === 'female' || gender === 'f' ? 'female' : null;
  return {
    ...given,
    ageMonths: given.ageMonths ?? (row.months !== null && row.months >= 0 ? row.months : null),
    sex: given.sex ?? (given.pregnant ? 'female' : sex),
    conditions: [...new Set([...given.conditions, ...told, ...row.conditions])],
  };
}
