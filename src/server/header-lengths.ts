import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ProblemError } from 'operation-rest';
import { problemWith } from './error-responses.ts';

/**
 * Maximum characters of the headers that this server or a library parses. Node.js limits all headers together to 16 KB, for which
 * the negotiation of `Accept` took 100 ms: its library is quadratic in the number of media ranges.
 */
const maxLengths: ReadonlyMap<string, number> = new Map([
  ['accept', 1_024],
  ['accept-encoding', 512],
  ['authorization', 8_192],
  ['content-encoding', 128],
  ['content-type', 1_024],
  ['cookie', 8_192],
  ['git-protocol', 1_024],
  ['if-match', 4_096],
  ['if-modified-since', 128],
  ['if-none-match', 4_096],
  ['if-range', 1_024],
  ['if-unmodified-since', 128],
  ['range', 256],
  ['x-forwarded-for', 2_048],
  ['x-forwarded-host', 1_024],
  ['x-forwarded-proto', 256],
]);

/** The first header that is longer than its limit; undefined when there is none. */
export function overlongHeader({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  for (const [name, max] of maxLengths) if ((headers[name]?.length ?? 0) > max) return name;
  return undefined;
}

/** Refuses a header that is too long to be parsed with 431 (RFC 6585, section 5). */
export const requireShortHeaders: RequestHandler = (request, _response, next) => {
  const name = overlongHeader(request);
  if (name === undefined) return next();
  const message = `The header ${name} is longer than ${maxLengths.get(name)} characters.`;
  next(new ProblemError(problemWith(431, 'HEADERS_TOO_LARGE', message)));
};
