import type { Request, RequestHandler, Response } from 'express';
import { Failed, failureOf } from '../../rest-facade/engine/failure.ts';
import type { Window } from '../limits/open-request.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { throttled } from '../limits/throttle.ts';
import { countBytes } from './count-bytes.ts';
import { doorOf } from './doors.ts';
import { rateLimited } from './rate-limit-errors.ts';

/** Requests of one address in a minute: a page of fifty pictures may be opened ten times. */
const perMinute = { limit: 600, seconds: 60 };

export interface PageAdmission {
  /** Admits a request for what needs no credential. Throws `Failed` where the address has asked too often. */
  admit(request: Request, response: Response): Promise<void>;
  /** The same for whatever `isPage` says is one. */
  step: RequestHandler;
}

/** Admission of pages, pictures, contract documents and metrics, all in one window of the address. */
export function pageAdmission(limits: RequestLimits | undefined): PageAdmission {
  async function admit(request: Request, response: Response): Promise<void> {
    if (!limits) return;
    const allowance = await limits.allowanceOf({ kind: 'anonymous', ip: request.ip ?? '' });
    const window: Window = {
      resource: 'pages',
      key: 'primary/pages',
      ...perMinute,
      limit: limits.times(perMinute.limit),
    };
    const usage = new RequestUsage();
    const primary = { window, cost: 1 };
    const open = await limits.admit(allowance, { door: 'pages', endpoint: '', points: 0, content: 0, primary }, usage);
    if ('refused' in open) {
      const isHosting = doorOf(request.path) !== 'rest-health';
      const failure = failureOf(
        isHosting ? rateLimited({ ...open, standing: undefined }, 429) : throttled(open.retryAfter),
      );
      throw failure ? new Failed(failure) : new Error('A refusal has a code.');
    }
    countBytes(request, response, usage);
    if (response.destroyed) open.settle();
    else response.once('close', () => open.settle());
  }
  const step: RequestHandler = async (request, response, next) => {
    if (isPage(request)) await admit(request, response);
    next();
  };
  return { admit, step };
}

const pages =
  /^\/(?:(?:media|avatars|docs|openapi|metrics)(?:\/|$)|api\/v1\/auth\/(?:activate|password\/reset\/confirm)\/$|(?:api\/v3\/)?orgs\/[^/]+\/sso$)/;

/** Whether a request is for a page, a picture or a document, and not for a contract. */
function isPage({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (method === 'GET' || method === 'HEAD') && pages.test(path);
}
