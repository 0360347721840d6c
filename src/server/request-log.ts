import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { ApiName } from './error-responses.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

const ids = new WeakMap<IncomingMessage, string>();

/** The id of a request, as sent back in X-Request-Id and written to the log. */
export function requestId(request: IncomingMessage): string {
  return ids.get(request) ?? '';
}

/**
 * Gives every request an id, counts it and writes one line when it is answered. A caller's own X-Request-Id is taken over
 * when it is short and plain, so that a trace can go through several services.
 */
export function requestLog(logger: Logger, metrics: Metrics, doorOf: (pathname: string) => ApiName): RequestHandler {
  const quiet = !logger.isLevelEnabled('info');
  return (request, response, next) => {
    const started = performance.now();
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    ids.set(request, id);
    response.setHeader('X-Request-Id', id);
    response.once('close', () => {
      const milliseconds = performance.now() - started;
      // Without the query: it holds search terms and tokens.
      const mark = request.originalUrl.indexOf('?');
      const path = mark < 0 ? request.originalUrl : request.originalUrl.slice(0, mark);
      // The client left, or its time was up: what the status would have been says nothing.
      const status = response.writableFinished ? response.statusCode : 'aborted';
      metrics.observe(doorOf(path), request.method, status, milliseconds / 1000);
      if (quiet) return;
      logger.info({
        id,
        method: request.method,
        path: path.slice(0, 300),
        status,
        ms: Math.round(milliseconds * 10) / 10,
      });
    });
    next();
  };
}
