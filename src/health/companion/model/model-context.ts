import { sql } from 'kysely';
import type { Person } from '../../../../schema/health/person.ts';
import type { Context } from '../../../context/context.ts';
import type { EngineInput, Turn } from '../engine.ts';
import { disclaimer } from '../safety/fixed-texts.ts';

/** Messages that are loaded; `buildPrompt` decides how many of them are sent. */
const historyTurns = 40;

interface Row {
  history: Turn[] | null;
  profile: Profile | null;
}

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
 * Context for a model: the conversation without messages in a crisis and, with the user's consent, profile facts. Reads
 * no name and no address. One statement.
 */
export async function loadModelContext(
  { read, now }: Pick<Context, 'read' | 'now'>,
  userId: number,
): Promise<Pick<EngineInput, 'history' | 'profileHints'>> {
  const [row] = await read(sql<Row>`
    select (
        select json_agg(json_build_object('role', turn.role, 'content', turn.content) order by turn.id)
        from (select id, role, content from companion_message where user_id = u.id and safety <> 'crisis'
          order by id desc limit ${historyTurns}) turn
      ) as history,
      case when share_profile_with_ai then json_build_object(
        'age', extract(year from age(${now().toISOString()}::timestamptz::date, date_of_birth))::int, 'gender', gender,
        'allergies', allergies, 'conditions', conditions, 'symptoms', symptoms, 'hasHypertension', has_hypertension,
        'hasDiabetes', has_diabetes, 'hasChronicCondition', has_chronic_condition, 'isSmoker', is_smoker, 'hadRecentSurgery', had_recent_surgery
      ) end as profile
    from users u where u.id = ${userId}`);
  const history = (row?.history ?? []).map(({ role, content }) => ({ role, content: withoutDisclaimer(content) }));
  return { history, profileHints: row?.profile ? formatProfileHints(row.profile) : [] };
}

/** The disclaimer is appended to every answer, so it is removed from the history. */
function withoutDisclaimer(content: string): string {
  return content.endsWith(disclaimer) ? content.slice(0, -disclaimer.length).trimEnd() : content;
}

const genders: Record<string, string> = { M: 'male', F: 'female', O: 'other' };

function formatProfileHints(profile: Profile): string[] {
  const said = (word: string, value: string | null): string[] =>
    value === 'Y' ? [`${word}: yes`] : value === 'N' ? [`${word}: no`] : [];
  const list = (word: string, values: readonly string[]): string[] =>
    values.length > 0 ? [`${word}: ${values.join(', ')}`] : [];
  return [
    ...(profile.age === null ? [] : [`Age: ${profile.age}`]),
    ...list('Gender', profile.gender ? [genders[profile.gender] ?? 'other'] : []),
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
