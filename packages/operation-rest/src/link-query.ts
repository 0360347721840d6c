import type { Operation } from './operation.ts';
import type { PageStyle } from './paging.ts';
import { ProblemError } from './problem.ts';
import { keepQueryParameters } from './query-string.ts';
import { formatUrl } from './request-target.ts';

/**
 * Maximum length, in characters, of the query string that each page link repeats. A Link header holds up to four URLs by page
 * number or two by cursor, together 4,000 characters: many proxies accept 4 or 8 KB of headers, Node's client 16 KB. A body
 * holds two, and is only kept from becoming a multiple of its request.
 */
const maxQueryLength: Record<PageStyle, number> = { LINK: 1_000, CURSOR: 2_000, COUNT: 4_000 };

/**
 * The query string that the links of a list repeat: as sent, or, if that is too long, without undeclared parameters.
 * @throws ProblemError `query-too-long`, before the list is read, if it is still too long. Omitting a relation instead would
 * tell a client that follows links that there is no further page.
 */
export function limitLinkQuery(
  { parameters }: Pick<Operation, 'parameters'>,
  style: PageStyle,
  search: string,
): string {
  const maxLength = maxQueryLength[style];
  if (lengthInLink(search) <= maxLength) return search;
  const names = new Set(
    parameters.flatMap(({ name, aliases }) => [name, ...aliases].flatMap(one => [one, `${one}[]`])),
  );
  const declared = keepQueryParameters(search, names);
  if (lengthInLink(declared) <= maxLength) return declared;
  throw new ProblemError({ kind: 'query-too-long', maxLength });
}

const lengthInLink = (search: string): number => formatUrl('', '', search).length;
