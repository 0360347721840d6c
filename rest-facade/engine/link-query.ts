import type { Operation } from './operation.ts';
import type { PageStyle } from './paging.ts';
import { ProblemError } from './problem.ts';
import { keepQueryParameters } from './query-string.ts';
import { formatUrl } from './request-target.ts';

/**
 * Most characters of a query string that each link of an answer repeats. A Link header holds up to four addresses by page
 * number and two by cursor, together 4,000 characters: many proxies read no more than 4 or 8 KB of headers, and Node's client
 * 16 KB. In a body there are two, and no such limit but that an answer must not be a multiple of its request.
 */
const maxQueryLength: Record<PageStyle, number> = { LINK: 1_000, CURSOR: 2_000, COUNT: 4_000 };

/**
 * The query string that the links of a list repeat: as sent, byte for byte; where that is too long, without the parameters
 * that the operation does not declare, which are ignored anyway. Throws 414 where it is too long all the same, before the
 * list is read: to leave out a relation would tell a client that reads page after page that there is no further page.
 */
export function limitLinkQuery(
  { parameters }: Pick<Operation, 'parameters'>,
  style: PageStyle,
  search: string,
): string {
  const limit = maxQueryLength[style];
  if (lengthInLink(search) <= limit) return search;
  const names = new Set(
    parameters.flatMap(({ name, aliases }) => [name, ...aliases].flatMap(one => [one, `${one}[]`])),
  );
  const declared = keepQueryParameters(search, names);
  if (lengthInLink(declared) <= limit) return declared;
  throw new ProblemError({
    kind: 'graph',
    code: 'URI_TOO_LONG',
    status: 414,
    message: `The query string of a list may hold ${limit} characters.`,
    facts: {},
  });
}

const lengthInLink = (search: string): number => formatUrl('', '', search).length;
