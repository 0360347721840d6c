import { invalidInput } from '../../errors/errors.ts';

const mostTerms = 20;

/**
 * The terms of a search box: split at white space and commas, `"quoted phrases"` kept whole.
 * Every term must be found somewhere. Throws for NUL, which no stored text can hold, and for more than 20 terms.
 */
export function searchTerms(search: string): string[] {
  if (search === '') return [];
  if (search.includes('\0')) throw invalidInput({ search: ['Null characters are not allowed.'] });
  const terms = [...search.matchAll(/"([^"]*)"|'([^']*)'|[^\s,]+/g)]
    .map(found => (found[1] ?? found[2] ?? found[0]).trim())
    .filter(term => term !== '');
  if (terms.length > mostTerms) throw invalidInput({ search: [`Ensure this search has at most ${mostTerms} terms.`] });
  return terms;
}

/** A LIKE pattern that finds `term` anywhere and takes nothing in it for a wild card. */
export function containing(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}
