import { type Kysely, sql } from 'kysely';

/**
 * Refreshes the document frequency of each word, which weights rare words higher. Call it after articles were added or
 * changed; outdated counts affect rankings only slightly. Refreshes concurrently: readers continue, and a second
 * refresh waits. `db` is a transaction, in which the statement timeout is lifted.
 */
export async function refreshLexemeFrequencies(db: Kysely<unknown>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true)`.execute(db);
  await sql`refresh materialized view concurrently lexeme_df`.execute(db);
}
