import type { Request } from 'express';
import type { RestHooks } from 'operation-rest';
import type { NodeRestContext } from 'operation-rest/node-http';
import type { Actor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import { type ActionName, actionLimits } from '../limits/action-limits.ts';
import type { ChargeableCost } from '../limits/admitted-request.ts';
import { type RateLimiter, tooManyRequests } from '../limits/rate-limiter.ts';
import { chargeRequest, type RequestCharge } from './charge-request.ts';
import type { operationFacts } from './operation-facts.ts';

/** Windows of one minute of the health API, and the action whose limit they have. */
const windows = {
  anonymous: 'anonymous',
  user: 'user',
  authentication: 'authentication',
  // The limit of anonymous callers in a separate window: a program that repeats an old token does not affect others there.
  'bad credential': 'anonymous',
  websocket: 'anonymous',
} as const satisfies Record<string, ActionName>;

export type HealthWindow = keyof typeof windows;

/** A request charged 1 in a window of the health API. */
export function healthCharge(limiter: RateLimiter, name: HealthWindow): Pick<RequestCharge, 'primary' | 'toError'> {
  const [{ limit, seconds } = { limit: 0, seconds: 60 }] = actionLimits[windows[name]].limits;
  const window = { resource: name, key: `primary/health ${name}`, limit: limiter.scaled(limit), seconds };
  const primary: ChargeableCost['primary'] = { window, cost: 1 };
  return { primary: () => primary, toError: ({ retryAfter }) => tooManyRequests(retryAfter) };
}

/**
 * Charges requests of the health API to the minute of the IP address or the person. Login, session renewal and registration
 * have a separate window per IP address, with or without a credential. An unknown path is charged to the IP address.
 */
export function healthCharges(
  limiter: RateLimiter,
  factsOf: ReturnType<typeof operationFacts>,
): NonNullable<RestHooks['charge']> {
  return async (resolverContext, { request, response, operation, events }: NodeRestContext) => {
    const { actor, usage } = (resolverContext ?? {}) as Partial<Pick<Context, 'actor' | 'usage'>>;
    const isAuthentication = factsOf(operation).ignoresCredential;
    const person = actor?.kind === 'person' && !isAuthentication ? actor : undefined;
    // Credentials are not verified for unknown paths.
    const isUnverified = resolverContext === undefined && request.headers.authorization !== undefined;
    const name = isUnverified ? 'bad credential' : isAuthentication ? 'authentication' : person ? 'user' : 'anonymous';
    const { admitted } = await chargeRequest(limiter, {
      entryPoint: events ? 'events' : 'health',
      actor: person ?? anonymous(request as Request),
      ...healthCharge(limiter, name),
      ...(usage ? { usage, connection: { request, response } } : {}),
    });
    return { headers: () => ({}), release: () => admitted.release() };
  };
}

/** Charges a request with an invalid credential to the IP address. @throws tooManyRequests */
export const chargeBadCredential = (limiter: RateLimiter, request: Request): Promise<void> =>
  chargeAddress(limiter, request, 'bad credential');

/** Charges a login of a page as one of the API. @throws tooManyRequests */
export const chargePageLogin = (limiter: RateLimiter, request: Request): Promise<void> =>
  chargeAddress(limiter, request, 'authentication');

async function chargeAddress(limiter: RateLimiter, request: Request, name: HealthWindow): Promise<void> {
  const { admitted } = await chargeRequest(limiter, {
    entryPoint: 'health',
    actor: anonymous(request),
    ...healthCharge(limiter, name),
  });
  admitted.release();
}

const anonymous = ({ ip = '' }: Request): Actor => ({ kind: 'anonymous', ip });
