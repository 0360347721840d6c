import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Actor } from '../auth/actor.ts';
import { RequestEnd } from '../context/request-end.ts';
import { describeWork } from '../telemetry/loop-work.ts';
import { tracing } from '../telemetry/tracing.ts';
import type { ApiName } from './error-responses.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { RecentRequests } from './recent-requests.ts';
import { attachRequestState } from './request-state.ts';

export interface RequestLogOptions {
  logger: Logger;
  metrics: Metrics;
  apiOf(pathname: string): ApiName;
  recent: RecentRequests;
  /** The id of a caller in the log. */
  callerId(actor: Actor): string;
}

/**
 * Creates the request state, updates the metrics and writes one log line when the response has ended. A client's X-Request-Id
 * is used if it has at most 64 plain characters, so that a trace can span several services.
 */
export function requestLog({ logger, metrics, apiOf, recent, callerId }: RequestLogOptions): RequestHandler {
  const quiet = !logger.isLevelEnabled('info');
  return (request, response, next) => {
    const started = performance.now();
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    const end = new RequestEnd();
    const state = attachRequestState(request, id, end);
    describeWork({ id });
    const traceId = tracing?.traceId();
    response.setHeader('X-Request-Id', id);
    response.once('close', () => {
      end.abort();
      const milliseconds = performance.now() - started;
      // Without the query, which may contain search terms and tokens.
      const mark = request.originalUrl.indexOf('?');
      const path = mark < 0 ? request.originalUrl : request.originalUrl.slice(0, mark);
      const { interrupted, actor, operation } = state;
      // Without an answer the client has left, and the intended status has no meaning.
      const status = response.writableFinished ? response.statusCode : (interrupted?.status ?? 'aborted');
      const seconds = milliseconds / 1000;
      const caller = actor && callerId(actor);
      const hasFailed = status === 'aborted' || status >= 500;
      recent.add({ caller: caller ?? 'unknown', operation: operation ?? apiOf(path), seconds, hasFailed });
      metrics.observe({ api: apiOf(path), method: request.method, operation: state.operation, status, seconds });
      if (quiet) return;
      logger.info({
        id,
        method: request.method,
        path: path.slice(0, 300),
        status,
        ...(interrupted && !response.writableFinished ? { reason: interrupted.reason } : {}),
        ...(caller === undefined ? {} : { caller }),
        ms: Math.round(milliseconds * 10) / 10,
        ...(traceId === undefined ? {} : { trace_id: traceId }),
      });
    });
    next();
  };
}
