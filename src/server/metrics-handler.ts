import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ProblemError } from 'operation-rest';
import { isFromThisMachine } from './is-from-this-machine.ts';
import type { Metrics } from './metrics.ts';

/** Serves the metrics to whom may read them; to others there is nothing at the address. `token`: METRICS_TOKEN. */
export function exposeMetrics({ registry }: Metrics, token: string | undefined): RequestHandler {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return async (request, response, next) => {
    const mayRead =
      expected === undefined
        ? isFromThisMachine(request)
        : timingSafeEqual(digest(request.headers.authorization ?? ''), expected);
    if (!mayRead) return next(new ProblemError({ kind: 'not-found', reason: 'route' }));
    response
      .set('Cache-Control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics());
  };
}

/** Of the same length for every text, as `timingSafeEqual` needs. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
