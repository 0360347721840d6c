import { type RawBuilder, sql } from 'kysely';
import { likePattern } from '../../db/like-pattern.ts';
import { invalidInput } from '../../errors/errors.ts';

/** Maximum length of a search; a headline has at most 300 characters. */
const maxSearchLength = 500;

/** Maximum number of terms in a search. */
const maxTerms = 20;

const searchError = (problem: string): Error => invalidInput({ search: [problem] });

/**
 * Splits a search at white space and commas, keeping `"quoted phrases"` whole; empty for a blank search.
 * @throws GraphQLError (400) for NUL, which PostgreSQL cannot store, and for more than 500 characters
 */
export function splitTerms(search: string | null | undefined): string[] {
  // Before the length check: a blank search is allowed at any length.
  if (!search || !/[^\s,]/.test(search)) return [];
  if (search.includes('\0')) throw searchError('Null characters are not allowed.');
  if (search.length > maxSearchLength)
    throw searchError(`Ensure this search has at most ${maxSearchLength} characters.`);
  return [...search.matchAll(/"([^"]*)"|'([^']*)'|[^\s,]+/g)]
    .map(found => (found[1] ?? found[2] ?? found[0]).trim())
    .filter(term => term !== '');
}

/** Returns `terms`. @throws GraphQLError (400) for more than 20 */
export function limitTerms(terms: string[]): string[] {
  if (terms.length > maxTerms) throw searchError(`Ensure this search has at most ${maxTerms} terms.`);
  return terms;
}

/**
 * Condition: `text` contains every term of a search, ignoring case; no condition for a blank search. A sequential
 * filter, for rows that an index has reduced to one person, group or article.
 * @throws GraphQLError (400) as `splitTerms` and `limitTerms` do
 */
export function containsTerms(text: RawBuilder<unknown>, search: string | null | undefined): RawBuilder<unknown>[] {
  const terms = limitTerms(splitTerms(search));
  if (terms.length === 0) return [];
  // lower() of PostgreSQL on both sides: JavaScript folds letters that PostgreSQL does not fold in the C locale. The
  // array is computed once per statement, and the prepared statement is the same for any number of terms.
  return [
    sql`lower(${text}) like all (array(select lower(pattern) from unnest(${terms.map(likePattern)}::text[]) pattern))`,
  ];
}
