import type { Request, RequestHandler, Response } from 'express';
import { ProblemError, problemOf } from '../../rest-facade/engine/problem.ts';
import type { RateLimitWindow } from '../limits/admitted-request.ts';
import { tooManyRequests } from '../limits/rate-limiter.ts';
import type { RequestLimiter } from '../limits/request-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { countBytes } from './count-bytes.ts';
import { apiOfPath } from './error-responses.ts';
import { rateLimitExceeded } from './rate-limit-errors.ts';

/** Requests of one address in a minute: a page of fifty pictures may be opened ten times. */
const pageLimit = { limit: 600, seconds: 60 };

export interface PageAdmission {
  /** Counts a request without a credential. @throws ProblemError if the address exceeds its limit */
  admit(request: Request, response: Response): Promise<void>;
  /** The same for whatever `isPage` says is one. */
  step: RequestHandler;
}

/** Admission of pages, pictures, contract documents and metrics, all in one window of the address. */
export function pageAdmission(limits: RequestLimiter | undefined): PageAdmission {
  async function admit(request: Request, response: Response): Promise<void> {
    if (!limits) return;
    const allowance = await limits.quotaOf({ kind: 'anonymous', ip: request.ip ?? '' });
    const window: RateLimitWindow = {
      resource: 'pages',
      key: 'primary/pages',
      ...pageLimit,
      limit: limits.scaled(pageLimit.limit),
    };
    const usage = new RequestUsage();
    const primary = { window, cost: 1 };
    const open = await limits.admit(allowance, { door: 'pages', endpoint: '', points: 0, content: 0, primary }, usage);
    if ('refused' in open) {
      const isHosting = apiOfPath(request.path) !== 'rest-health';
      const failure = problemOf(
        isHosting ? rateLimitExceeded({ ...open, standing: undefined }, 429) : tooManyRequests(open.retryAfter),
      );
      throw failure ? new ProblemError(failure) : new Error('A refusal has a code.');
    }
    countBytes(request, response, usage);
    if (response.destroyed) open.release();
    else response.once('close', () => open.release());
  }
  const step: RequestHandler = async (request, response, next) => {
    if (isPage(request)) await admit(request, response);
    next();
  };
  return { admit, step };
}

const pagePaths =
  /^\/(?:(?:media|avatars|docs|openapi|metrics)(?:\/|$)|api\/v1\/auth\/(?:activate|password\/reset\/confirm)\/$|(?:api\/v3\/)?orgs\/[^/]+\/sso$)/;

/** Whether a request is for a page, a picture or a document, and not for a contract. */
function isPage({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (method === 'GET' || method === 'HEAD') && pagePaths.test(path);
}
