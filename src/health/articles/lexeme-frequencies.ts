import { type Kysely, sql } from 'kysely';
import { setStatementTimeout } from '../../db/statement-timeout.ts';

/**
 * Refreshes the document frequency of each word, which weights rare words higher. Call it after articles were added or
 * changed; outdated counts affect rankings only slightly. Refreshes concurrently: readers continue, and a second
 * refresh waits. `db` is a transaction, in which the statement timeout is lifted.
 *
 * Merges the entries of committed articles into the search index as well: until then PostgreSQL keeps them in a list that each search
 * reads from start to end. 60 articles are too few for autovacuum, and a search of them took ten times the CPU time.
 */
export async function refreshLexemeFrequencies(db: Kysely<unknown>): Promise<void> {
  await setStatementTimeout(db, 0);
  await sql`refresh materialized view concurrently lexeme_df`.execute(db);
  await sql`select gin_clean_pending_list('article_text_lexemes')`.execute(db);
}
