import type { Request, Response } from 'express';
import type { RateLimitCharge } from 'operation-rest';
import type { Context } from '../context/context.ts';
import type { GitHttpOptions } from '../git-http/git-handler.ts';
import type { ChargeableCost, RefusedRequest } from '../limits/admitted-request.ts';
import type { CallerQuota } from '../limits/caller-quotas.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { chargeRequest, releaseOnClose } from './charge-request.ts';
import { problemErrorOf } from './error-responses.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limit-errors.ts';

/** Charges a download before anything is looked up. Returns undefined if rate limits are off. @throws ProblemError */
export type ChargeDownload = (
  context: Context,
  request: Request,
  response: Response,
  entryPoint: 'raw' | 'codeload',
) => Promise<RateLimitCharge | undefined>;

/** A file is one object. An archive reads every object of a tree. */
const points = { raw: 1, codeload: 10 };

/** A request of git. */
interface GitOperation {
  /** Whether an operation begins with it. */
  begins: boolean;
  /** Resolves when its processes have ended. */
  ended: Promise<void>;
}

/** Interval in which a request of git looks for a free slot of its caller. git ends at the first error. */
const slotIntervalMs = 200;

/**
 * Charges requests of git as those of the code hosting API, with separate slots. The first request of an operation pays the hourly
 * window and the point for those that follow, as the download of an archive is one request.
 *
 * git sends it without its credential, and then again with it if it is asked to. Without a credential it is charged only if it is served,
 * and an exceeded limit is 401: callers with a credential have limits of their own.
 *
 * @param maxQueueMs longest time that a request waits for a slot, in milliseconds
 */
export function gitCharges(limiter: RateLimiter, maxQueueMs: number): GitHttpOptions['charge'] {
  return async ({ actor, usage }, request, response, { begins, ended }: GitOperation) => {
    if (limiter.isOff) return undefined;
    const mayHaveCredential = begins && actor.kind === 'anonymous';
    const cost = begins && !mayHaveCredential ? 1 : 0;
    const toError = (refused: RefusedRequest): Error => rateLimitExceeded(refused, mayHaveCredential ? 401 : 429);
    const primary = (caller: CallerQuota, points: number): ChargeableCost['primary'] =>
      caller.perHour === undefined ? undefined : { window: limiter.windowOf(caller, 'core'), cost: points };
    const { admitted, quota } = await chargeRequest(limiter, {
      entryPoint: 'git',
      actor,
      points: begins ? 1 : 0,
      primary: caller => primary(caller, cost),
      toError,
      usage,
      connection: { request, response },
      slotWait: { maxMs: maxQueueMs, everyMs: slotIntervalMs },
    });
    // The CPU time of git is known when its processes have ended, which is later when the client has left.
    releaseOnClose(response, () => void ended.then(() => admitted.release()));
    response.set(rateLimitHeaders(admitted.state()));
    return {
      pace: admitted,
      async serve() {
        if (!mayHaveCredential) return;
        const refused = await admitted.charge({ points: 0, content: 0, primary: primary(quota, 1) });
        if (refused) throw toError(refused);
        response.set(rateLimitHeaders(admitted.state()));
      },
    };
  };
}

/**
 * Charges downloads as requests of the code hosting API: in the hour of `core`, with its errors and headers, and with separate
 * slots. A signed URL identifies no caller; its download is charged to the credential that is sent, or to the IP address.
 */
export function downloadCharges(limiter: RateLimiter): ChargeDownload {
  return async ({ actor, usage }, request, response, entryPoint) => {
    if (limiter.isOff) return undefined;
    const { admitted, quota } = await chargeRequest(limiter, {
      entryPoint,
      actor,
      points: points[entryPoint],
      primary: caller =>
        caller.perHour === undefined ? undefined : { window: limiter.windowOf(caller, 'core'), cost: 1 },
      toError: refused => problemErrorOf(rateLimitExceeded(refused, 403)),
      usage,
      connection: { request, response },
    });
    const refundFor = (status: number): number => (status === 304 && !quota.isAnonymous ? 1 : 0);
    const release = (status: number): void => admitted.release(refundFor(status));
    releaseOnClose(response, () => release(response.statusCode));
    // Set here, so that an error response has the headers, too.
    response.set(rateLimitHeaders(admitted.state()));
    return { headers: status => rateLimitHeaders(admitted.state(refundFor(status))), release };
  };
}
