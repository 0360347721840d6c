import { invalidInput } from '../../errors/errors.ts';

/** Characters of a query; longer ones are refused. */
const maxQueryLength = 256;

/** A word or a qualifier of a query, such as `type:user`. */
export interface SearchTerm {
  /** As written. */
  whole: string;
  /** In lower case; undefined for a word. */
  qualifier: string | undefined;
  value: string;
}

const token = /(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi;

/** The words and qualifiers of a query, in their order. @throws GraphQLError BAD_USER_INPUT for a query that is too long */
export function searchTerms(query: string): SearchTerm[] {
  if (query.length > maxQueryLength) throw searchRefusal(`has more than ${maxQueryLength} characters`);
  return [...query.matchAll(token)].map(([whole, qualifier, quoted, plain]) => ({
    whole,
    qualifier: qualifier?.toLowerCase(),
    value: quoted ?? plain ?? '',
  }));
}

/** The error of a query that cannot be read: `query has …`. */
export const searchRefusal = (problem: string): Error => invalidInput({ query: [`query ${problem}.`] });
