import { type RawBuilder, sql } from 'kysely';
import { invalidInput } from '../../errors/errors.ts';

/** Characters of a search that are read at all; a headline has at most 300. */
const maxSearchLength = 500;

/** Terms that one search may have. */
const maxTerms = 20;

const searchError = (problem: string): Error => invalidInput({ search: [problem] });

/**
 * The terms of a search box: split at white space and commas, `"quoted phrases"` kept whole; none for a blank search, of
 * white space and commas alone.
 * @throws GraphQLError (400) for NUL, which no stored text can hold, and for more than 500 characters.
 */
export function splitTerms(search: string | null | undefined): string[] {
  // Before the length: a blank search is no search, however long.
  if (!search || !/[^\s,]/.test(search)) return [];
  if (search.includes('\0')) throw searchError('Null characters are not allowed.');
  if (search.length > maxSearchLength)
    throw searchError(`Ensure this search has at most ${maxSearchLength} characters.`);
  return [...search.matchAll(/"([^"]*)"|'([^']*)'|[^\s,]+/g)]
    .map(found => (found[1] ?? found[2] ?? found[0]).trim())
    .filter(term => term !== '');
}

/** Passes on at most 20 terms. @throws GraphQLError (400) for more. */
export function limitTerms(terms: string[]): string[] {
  if (terms.length > maxTerms) throw searchError(`Ensure this search has at most ${maxTerms} terms.`);
  return terms;
}

/**
 * Rows whose `text` contains every term of a search, in any case: one condition however many terms, none for a blank search.
 * For lists that an index has cut down to the rows of one person, group or article: the rows are read one by one.
 * @throws GraphQLError (400) as `splitTerms` and `limitTerms` do.
 */
export function containsTerms(text: RawBuilder<unknown>, search: string | null | undefined): RawBuilder<unknown>[] {
  const terms = limitTerms(splitTerms(search));
  if (terms.length === 0) return [];
  // lower() of PostgreSQL on both sides: JavaScript folds letters that PostgreSQL leaves as they are in the C locale. The
  // array is computed once and not for each row, and the statement is the same, and prepared once, for any number of terms.
  return [
    sql`lower(${text}) like all (array(select lower(pattern) from unnest(${terms.map(likePattern)}::text[]) pattern))`,
  ];
}

/** A LIKE pattern that finds `term` anywhere and takes nothing in it for a wild card. */
function likePattern(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}
