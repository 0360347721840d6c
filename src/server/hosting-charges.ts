import type { Request } from 'express';
import type { RestHooks } from 'operation-rest';
import type { NodeRestContext } from 'operation-rest/node-http';
import { openScopes } from '../../rest-facade/hosting/product.ts';
import type { Actor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { resourceOf } from '../limits/request-limit-tables.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { chargeRequest } from './charge-request.ts';
import type { operationFacts } from './operation-facts.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limit-errors.ts';

/** Reading the rate limits is not charged, or a caller at the limit could not find out when it resets. */
const rateLimitPath = '/rate_limit';

/**
 * Charges requests of the code hosting API after authentication, whatever the response. Bad credentials are limited by
 * `credential-limits.ts`. An unknown path is charged to the IP address, and to its hourly window only if no credential was sent,
 * because credentials are not verified for unknown paths.
 */
export function hostingCharges(
  limiter: RateLimiter,
  factsOf: ReturnType<typeof operationFacts>,
): NonNullable<RestHooks['charge']> {
  return async (resolverContext, { request, response, operation }: NodeRestContext) => {
    const context = resolverContext as Context | undefined;
    const actor: Actor = context?.actor ?? { kind: 'anonymous', ip: (request as Request).ip ?? '' };
    const { scopes, content } = factsOf(operation);
    // Without the credential that it needs, the request is not served.
    const lacksCredential = actor.kind === 'anonymous' && [...scopes.required].some(scope => !openScopes.has(scope));
    const cost = operation?.path === rateLimitPath || lacksCredential ? 0 : 1;
    const hasWindow = context !== undefined || request.headers.authorization === undefined;
    const { admitted, quota } = await chargeRequest(limiter, {
      entryPoint: 'rest',
      actor,
      endpoint: operation?.name ?? '',
      points: operation?.points ?? 1,
      content,
      primary: caller =>
        caller.perHour === undefined || !hasWindow
          ? undefined
          : { window: limiter.windowOf(caller, operation ? resourceOf(operation) : 'core'), cost },
      toError: refused => rateLimitExceeded(refused, 403),
      usage: context?.usage ?? new RequestUsage(),
      connection: { request, response },
    });
    // A 304 costs an authenticated caller nothing, and that of a feed, which is there to be polled, nobody.
    const isFree = !quota.isAnonymous || operation?.polled === true;
    const refundFor = (status: number): number => (status === 304 && isFree ? cost : 0);
    return {
      headers: status => rateLimitHeaders(admitted.state(refundFor(status))),
      release: status => admitted.release(refundFor(status)),
    };
  };
}
