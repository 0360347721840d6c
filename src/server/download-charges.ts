import type { Request, Response } from 'express';
import type { RateLimitCharge } from 'operation-rest';
import type { Context } from '../context/context.ts';
import type { AdmittedRequest } from '../limits/admitted-request.ts';
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
  /** Cost in the hourly window. */
  primary: 0 | 1;
  /** Resolves when its processes have ended. */
  ended: Promise<void>;
}

/**
 * Charges requests of git as those of the code hosting API, with separate slots. The first request of an operation pays in the
 * hourly window for those that follow, as the download of an archive is one request.
 */
export function gitCharges(
  limiter: RateLimiter,
): (
  context: Context,
  request: Request,
  response: Response,
  operation: GitOperation,
) => Promise<AdmittedRequest | undefined> {
  return async ({ actor, usage }, request, response, { primary: cost, ended }) => {
    if (limiter.isOff) return undefined;
    const { admitted } = await chargeRequest(limiter, {
      entryPoint: 'git',
      actor,
      points: 1,
      primary: caller =>
        caller.perHour === undefined ? undefined : { window: limiter.windowOf(caller, 'core'), cost },
      toError: refused => rateLimitExceeded(refused, 429),
      usage,
      connection: { request, response },
    });
    // The CPU time of git is known when its processes have ended, which is later when the client has left.
    releaseOnClose(response, () => void ended.then(() => admitted.release()));
    response.set(rateLimitHeaders(admitted.state()));
    return admitted;
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
