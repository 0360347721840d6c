import type { Request, Response } from 'express';
import { ProblemError, problemOf } from '../../rest-facade/engine/problem.ts';
import type { RateLimitCharge } from '../../rest-facade/engine/product.ts';
import type { Context } from '../context/context.ts';
import type { RequestCost, RequestLimiter } from '../limits/request-limiter.ts';
import { countBytes } from './count-bytes.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limit-errors.ts';

/** Counts a download before any lookup. Undefined without rate limits. @throws ProblemError if the limit is exceeded */
export type ChargeDownload = (
  context: Context,
  request: Request,
  response: Response,
  door: 'raw' | 'codeload',
) => Promise<RateLimitCharge | undefined>;

/**
 * Counts downloads as requests of the code hosting contract: in the hour of `core`, with its refusal and its headers, and with
 * slots of their own. A signed address names no caller, and its download counts for the sender: by the credential, or
 * by the address.
 */
export function downloadCharges(limits: RequestLimiter | undefined): ChargeDownload {
  return async (context, request, response, door) => {
    if (!limits) return undefined;
    const { actor, usage } = context;
    const allowance = await limits.quotaOf(actor);
    const window = allowance.perHour === undefined ? undefined : limits.windowOf(allowance, 'core');
    const primary = window && { window, cost: 1 };
    const cost: RequestCost = { door, endpoint: '', points: 1, content: 0, primary };
    const open = await limits.admit(allowance, cost, usage);
    if ('refused' in open) {
      const failure = problemOf(rateLimitExceeded(open, 403));
      throw failure ? new ProblemError(failure) : new Error('A refusal has a code.');
    }
    countBytes(request, response, usage);
    const refund = (status: number): number => (status === 304 && !allowance.isAnonymous ? 1 : 0);
    const release = (status: number): void => open.release(refund(status));
    if (response.destroyed) release(0);
    else response.once('close', () => release(response.statusCode));
    // Here, so that a download that fails has them too.
    response.set(rateLimitHeaders(open.state()));
    return { headers: status => rateLimitHeaders(open.state(refund(status))), release };
  };
}
