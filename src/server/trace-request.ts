import type { Request, Response } from 'express';
import type { Tracing } from '../telemetry/tracing.ts';
import { apiOfPath } from './error-responses.ts';
import { findRequestState } from './request-state.ts';
import { pathOf } from './request-target.ts';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Paths that orchestrators and Prometheus ask for every second. */
const untraced = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Handles a request in a span. The response has its id in `traceresponse` (W3C Trace Context, level 2). Of the path the span has the
 * template only, and no address, header or query: each may be a secret or personal.
 *
 * @param routeOf the path of a step of the pipeline, for requests without an operation
 */
export function traceRequest(
  tracing: Tracing,
  request: Request,
  response: Response,
  { acceptsContext, routeOf }: { acceptsContext: boolean; routeOf(path: string): string | undefined },
  handle: () => void,
): void {
  const path = pathOf(request.url);
  if (untraced.has(path)) {
    handle();
    return;
  }
  const method = knownMethods.has(request.method) ? request.method : '_OTHER';
  const attributes = {
    'http.request.method': method,
    'url.scheme': request.protocol,
    'network.protocol.version': request.httpVersion,
    'portico.api': apiOfPath(path),
  };
  const span = tracing.open({ name: method, kind: 'server', attributes }, acceptsContext ? request.headers : {});
  response.setHeader('traceresponse', span.id);
  span.bind(request);
  span.bind(response);
  response.once('close', () => {
    const state = findRequestState(request);
    const route = state?.route ?? routeOf(path);
    if (route !== undefined) {
      span.setName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route });
    }
    if (state?.operation !== undefined) span.setAttributes({ 'portico.operation': state.operation });
    if (response.headersSent) span.setAttributes({ 'http.response.status_code': response.statusCode });
    if (!response.writableFinished) span.fail('aborted');
    else if (response.statusCode >= 500) span.fail(String(response.statusCode));
    span.end();
  });
  span.run(handle);
}
