import type { Failure } from '../../rest-facade/engine/failure.ts';
import type { ErrorAnswer, HeaderFields, Product } from '../../rest-facade/engine/product.ts';
import { retryAfterSeconds } from '../errors/errors.ts';

/** Which part of the gateway a path belongs to: the label of its requests in the metrics. */
export type DoorName = 'rest-health' | 'rest-hosting' | 'graphql' | 'other';

/** `pathname` as sent, without the query. */
export function doorOf(pathname: string): DoorName {
  if (/^\/api\/v1(\/|$)/.test(pathname)) return 'rest-health';
  if (/^\/graphql\/?$/.test(pathname)) return 'graphql';
  return /^\/(livez|readyz|metrics|docs|openapi)(\/|$)/.test(pathname) ? 'other' : 'rest-hosting';
}

/** The answer to a failure in the JSON of the door that `pathname` belongs to. */
export type Refusal = (pathname: string, failure: Failure, origin?: string) => ErrorAnswer;

/** Every failure outside of the doors themselves is told here, so that no client meets another server's error page. */
export function refusals(health: Product, hosting: Product): Refusal {
  return (pathname, failure, origin = '') => {
    const door = doorOf(pathname);
    if (door === 'graphql') return graphqlRefusal(failure);
    return (door === 'rest-health' ? health : hosting).fail(failure, { origin });
  };
}

/** A failure that no product has words of its own for. */
export function failureWith(status: number, code: string, message: string): Failure {
  return { kind: 'graph', code, status, message, facts: {} };
}

function graphqlRefusal(failure: Failure): ErrorAnswer {
  const [status, message, code] =
    failure.kind === 'graph'
      ? [failure.status, failure.message, failure.code]
      : failure.kind === 'not-found'
        ? [404, 'Not found.', 'NOT_FOUND']
        : [500, 'A server error occurred.', 'INTERNAL_SERVER_ERROR'];
  const headers = {
    ...(status === 503 ? { 'Retry-After': String(retryAfterSeconds) } : {}),
    ...((failure.kind === 'graph' ? failure.facts.headers : undefined) as HeaderFields | undefined),
  };
  return { status, headers, body: { errors: [{ message, extensions: { code } }] } };
}
