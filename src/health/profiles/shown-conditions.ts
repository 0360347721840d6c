import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { InputChecks } from '../input/input-checks.ts';
import { filledTexts } from '../input/text-limits.ts';

/** What a profile may show at most. */
export const shownConditionLimits = filledTexts(100, 100);

/** Conditions that the questions of a profile stand for, with the column of the answer. */
const answeredConditions = [
  ['diabetes', 'has_diabetes'],
  ['hypertension', 'has_hypertension'],
] as const;

/** SQL: the spelling by which words of profiles are compared. `  Type 2  Diabetes` is `type 2 diabetes`. */
const normalizedText = (column: string): RawBuilder<string> =>
  sql`lower(regexp_replace(trim(${sql.raw(column)}), '\\s+', ' ', 'g'))`;

/** SQL: rows (kind, text) of the conditions (`c`) and symptoms (`s`) in the profile of the `users` row `alias`, normalized. */
export function statedConditions(alias: string): RawBuilder<unknown> {
  const user = sql.raw(alias);
  const answered = answeredConditions.map(
    ([name, column]) => sql`select 'c' as kind, ${name}::text as text where ${sql.ref(`${alias}.${column}`)} = 'Y'`,
  );
  return sql`(${sql.join(answered, sql` union all `)}
    union all select 'c', ${normalizedText('one.text')} from unnest(${user}.conditions) one(text)
    union all select 's', ${normalizedText('one.text')} from unnest(${user}.symptoms) one(text))`;
}

/** SQL: what the `users` row `alias` shows to accepted peers, in order of the alphabet. What suggestions name is no secret among peers. */
export function conditionsShownToPeers(alias: string): RawBuilder<string[]> {
  const user = sql.raw(alias);
  return sql`array(select distinct stated.text from ${statedConditions(alias)} stated
    where stated.text = any(${user}.conditions_for_peers || ${user}.conditions_for_suggestions) order by 1)`;
}

/** What a change of a profile shows from now on; an absent list stays as it is. */
export interface ShownConditions {
  conditionsForPeers?: string[] | null | undefined;
  conditionsForSuggestions?: string[] | null | undefined;
}

const lists = [
  ['conditionsForPeers', 'conditions_for_peers'],
  ['conditionsForSuggestions', 'conditions_for_suggestions'],
] as const;

/**
 * Stores which conditions and symptoms of a profile others see, after the other changes of the profile. What the profile no longer states is
 * not shown any more, even if it is stated again: showing is a decision about each.
 * @throws field errors for a text that the profile does not state
 */
export async function showConditions(
  db: Kysely<unknown>,
  userId: number,
  shown: ShownConditions,
  checks: InputChecks,
): Promise<void> {
  for (const [field, column] of lists) {
    const texts = shown[field];
    if (texts === undefined) continue;
    if (texts === null) {
      checks.add(field, 'This field may not be null.');
      continue;
    }
    const { rows } = await sql<{ text: string; isStated: boolean }>`
      select given.text, exists (select from users u, lateral ${statedConditions('u')} stated
        where u.id = ${userId} and stated.text = ${normalizedText('given.text')}) as "isStated"
      from unnest(${checks.texts(field, texts, shownConditionLimits)}::text[]) given(text)`.execute(db);
    for (const { text, isStated } of rows)
      if (!isStated) checks.add(field, `"${text}" is none of your conditions and symptoms.`);
    await sql`update users set ${sql.ref(column)} = array(select distinct ${normalizedText('one.text')}
      from unnest(${texts}::text[]) one(text)) where id = ${userId}`.execute(db);
  }
  checks.assertPassed();
  await sql`update users u set
      conditions_for_peers = array(select one from unnest(u.conditions_for_peers) one
        where one in (select text from ${statedConditions('u')} stated)),
      conditions_for_suggestions = array(select one from unnest(u.conditions_for_suggestions) one
        where one in (select text from ${statedConditions('u')} stated))
    where u.id = ${userId} and (u.conditions_for_peers <> '{}' or u.conditions_for_suggestions <> '{}')`.execute(db);
}
