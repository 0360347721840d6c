import type { Request, RequestHandler, Response } from 'express';
import { type RateLimiter, tooManyRequests } from '../limits/rate-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { chargeRequest, releaseOnClose } from './charge-request.ts';
import { apiOfPath, problemErrorOf } from './error-responses.ts';
import { rateLimitExceeded } from './rate-limit-errors.ts';
import { pathOf } from './request-target.ts';

/** Requests per minute of one IP address: a page with fifty pictures can be opened ten times. */
const pageLimit = { limit: 600, seconds: 60 };

export interface PageAdmission {
  /** Admits a request that needs no credential. @throws ProblemError */
  admit(request: Request, response: Response): Promise<void>;
  /** Admits reads; passes other methods on, which no page takes. */
  middleware: RequestHandler;
}

/** Admission of pages, pictures, contract documents and metrics, in one window per IP address. */
export function pageAdmission(limiter: RateLimiter): PageAdmission {
  async function admit(request: Request, response: Response): Promise<void> {
    if (limiter.isOff) return;
    const window = {
      resource: 'pages',
      key: 'primary/pages',
      limit: limiter.scaled(pageLimit.limit),
      seconds: pageLimit.seconds,
    };
    const { admitted } = await chargeRequest(limiter, {
      entryPoint: 'pages',
      actor: { kind: 'anonymous', ip: request.ip ?? '' },
      primary: () => ({ window, cost: 1 }),
      toError: refused =>
        problemErrorOf(
          apiOfPath(pathOf(request.originalUrl)) === 'rest-health'
            ? tooManyRequests(refused.retryAfter)
            : rateLimitExceeded({ ...refused, state: undefined }, 429),
        ),
      usage: new RequestUsage(),
      connection: { request, response },
    });
    releaseOnClose(response, () => admitted.release());
  }
  const middleware: RequestHandler = async (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') await admit(request, response);
    next();
  };
  return { admit, middleware };
}
