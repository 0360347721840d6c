import type { Dispatcher } from 'undici';
import { type Span, type SpanOptions, tracing } from '../telemetry/tracing.ts';
import type { AddressGuard } from './address-guard.ts';

interface RequestOptions {
  method: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

type SendRequest<Response> = (url: URL, options: RequestOptions) => Promise<Response>;

/**
 * Sends a request; in a span while traces are on, which ends with the head of the response. The trace context goes to hosts of
 * OUTBOUND_ALLOWED_HOSTS only, which are the operator's: receivers of users could tell by the trace which of their deliveries one
 * request has caused, and `tracestate` belongs to the caller.
 */
export function traceOutbound<Response extends { statusCode: number }>(
  url: URL,
  options: RequestOptions,
  guard: Pick<AddressGuard, 'isOperatorHost'>,
  send: SendRequest<Response>,
): Promise<Response> {
  if (tracing === undefined) return send(url, options);
  return tracing.within(requestSpan(options.method, url), async span => {
    const context = guard.isOperatorHost(url) ? tracing?.context() : {};
    const response = await send(url, { ...options, headers: { ...options.headers, ...context } });
    setStatus(span, response.statusCode);
    return response;
  });
}

/** Of the URL a span has the host: paths of webhooks are secrets. */
function requestSpan(method: string, url: URL): SpanOptions {
  return {
    name: method,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    },
  };
}

function setStatus(span: Span, status: number): void {
  span.setAttributes({ 'http.response.status_code': status });
  if (status >= 400) span.fail(String(status));
}

/** `fetch` in a span while traces are on. The server gets no trace context: it may be that of another company. */
export function traceFetch(url: string | URL | Request, init: RequestInit): Promise<Response> {
  const target = tracing === undefined ? null : URL.parse(url instanceof Request ? url.url : String(url));
  if (tracing === undefined || target === null) return fetch(url, init);
  return tracing.within(requestSpan(init.method ?? 'GET', target), async span => {
    const response = await fetch(url, init);
    setStatus(span, response.status);
    return response;
  });
}
