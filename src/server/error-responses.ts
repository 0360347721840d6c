import {
  type ErrorResponse,
  type HeaderFields,
  type Problem,
  ProblemError,
  type Product,
  problemOf,
} from 'operation-rest';
import type { ErrorCode } from '../errors/codes.ts';
import type { Interruption } from './http-server.ts';

/** The API that a path belongs to: the label of its requests in the metrics. */
export type ApiName = 'rest-health' | 'rest-hosting' | 'graphql' | 'git' | 'other';

/** `pathname` as sent, without the query. */
export function apiOfPath(pathname: string): ApiName {
  if (/\/(info\/refs|git-(upload|receive)-pack)$/.test(pathname) && !pathname.startsWith('/repos/')) return 'git';
  if (/^\/api\/v1(\/|$)/.test(pathname)) return 'rest-health';
  if (/^(\/api)?\/graphql\/?$|^\/graphql\/(health|hosting)\/?$/.test(pathname)) return 'graphql';
  return /^\/(livez|readyz|metrics|docs|openapi|schema\.graphql|graphql\/\w+\/schema\.graphql)(\/|$)/.test(pathname)
    ? 'other'
    : 'rest-hosting';
}

/** Formats a problem as the error response of the API that `pathname` belongs to. */
export type ErrorResponder = (pathname: string, problem: Problem, origin?: string) => ErrorResponse;

/** Formats every error outside of the REST handlers, so that no client gets an error page of Express or Node.js. */
export function errorResponder(health: Product, hosting: Product): ErrorResponder {
  return (pathname, problem, origin = '') => {
    const api = apiOfPath(pathname);
    if (api === 'graphql') return graphqlErrorResponse(problem);
    return (api === 'rest-health' ? health : hosting).formatProblem(problem, { origin });
  };
}

/** A problem without a message in the products' error tables. */
export function problemWith(status: number, code: ErrorCode, message: string, headers?: HeaderFields): Problem {
  return { kind: 'graph', code, status, message, data: headers ? { headers } : {} };
}

/** Problems of requests that Node.js ends before or after the pipeline. */
export const interruptionProblems: Record<Interruption, Problem> = {
  malformed: problemWith(400, 'BAD_REQUEST', 'The request is not valid HTTP.'),
  'too-large': problemWith(431, 'HEADERS_TOO_LARGE', 'The request line and the headers are larger than 16 KB.'),
  'arrives-too-slowly': problemWith(408, 'REQUEST_TIMEOUT', 'The request took too long to arrive.'),
  'answered-too-slowly': problemWith(503, 'SERVICE_UNAVAILABLE', 'The answer took too long. Try again.'),
  'too-many': problemWith(503, 'SERVICE_UNAVAILABLE', 'Too many connections are open. Try again.'),
};

/** Wraps an error with a code for the error handler of the pipeline; returns any other error as it is. */
export function problemErrorOf<E>(error: E): E | ProblemError {
  const problem = problemOf(error);
  return problem ? new ProblemError(problem) : error;
}

function graphqlErrorResponse(problem: Problem): ErrorResponse {
  const [status, message, code] =
    problem.kind === 'graph'
      ? [problem.status, problem.message, problem.code]
      : problem.kind === 'not-found'
        ? [404, 'Not found.', 'NOT_FOUND']
        : [500, 'A server error occurred.', 'INTERNAL_SERVER_ERROR'];
  const headers = { ...((problem.kind === 'graph' ? problem.data.headers : undefined) as HeaderFields | undefined) };
  return { status, headers, body: { errors: [{ message, extensions: { code } }] } };
}
