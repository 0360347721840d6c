import { type Kysely, sql } from 'kysely';

/**
 * Counts anew in how many articles each word is: what makes a rare word worth more than a common one. To be done when articles
 * were added or changed; in between the counts are those of before, which moves no answer by much. Readers go on meanwhile,
 * and a second one waits for the first. `db` is a transaction: counting a large corpus takes longer than a statement may.
 */
export async function refreshLexemeFrequencies(db: Kysely<unknown>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true)`.execute(db);
  await sql`refresh materialized view concurrently lexeme_df`.execute(db);
}
