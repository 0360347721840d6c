import type { HttpRequest } from './http-messages.ts';
import type { HeaderFields, Product } from './product.ts';

type Cors = Product['cors'];

/** A browser sends a preflight without credentials, so it must be answered without authentication. */
export function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Headers that let a page of an allowed origin read the response; none for another origin. */
export function corsHeaders(cors: Cors, origin: string | undefined): HeaderFields {
  const allowed =
    cors.origins === '*' ? '*' : origin !== undefined && cors.origins.includes(origin) ? origin : undefined;
  if (allowed === undefined) return {};
  return {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': exposedHeaders(cors),
  };
}

/** Joined once per product: every response has the header. */
const exposedHeaderLists = new WeakMap<Cors, string>();

function exposedHeaders(cors: Cors): string {
  const list = exposedHeaderLists.get(cors) ?? cors.exposeHeaders.join(', ');
  exposedHeaderLists.set(cors, list);
  return list;
}

/**
 * Headers that libraries add to every request: of caches, traces, and clients of GraphQL. The asterisk stands for all others but
 * `Authorization`; browsers before 2021 take it for a name. It allows a page nothing more, because no credential is a cookie.
 */
const commonHeaders = [
  ...['Accept', 'Accept-Language', 'Cache-Control', 'Pragma'],
  ...['If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Unmodified-Since', 'Range'],
  ...['X-Requested-With', 'X-Request-Id', 'traceparent', 'tracestate', 'baggage'],
  ...['apollographql-client-name', 'apollographql-client-version', 'Apollo-Require-Preflight'],
  ...['X-Apollo-Operation-Name', 'X-Apollo-Operation-Id', 'X-Apollo-Cache-Key', 'GraphQL-Preflight', '*'],
];

/** The additional headers of a preflight's response. */
export function preflightHeaders(cors: Cors, methods: readonly string[]): HeaderFields {
  return {
    'Access-Control-Allow-Methods': (cors.methods ?? methods).join(', '),
    'Access-Control-Allow-Headers': [...new Set([...cors.allowHeaders, ...commonHeaders])].join(', '),
    'Access-Control-Max-Age': String(cors.maxAgeSeconds),
  };
}
