import type { IncomingMessage } from 'node:http';
import type { HeaderFields, Product } from './product.ts';

type Cors = Product['cors'];

/** A browser asks before it sends: such a question carries no credential and must be answered without one. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Headers that let a page of an allowed origin read the answer; none for another origin. */
export function corsHeaders(cors: Cors, origin: string | undefined): HeaderFields {
  const allowed =
    cors.origins === '*' ? '*' : origin !== undefined && cors.origins.includes(origin) ? origin : undefined;
  if (allowed === undefined) return {};
  return {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': exposedHeaders(cors),
  };
}

/** Every answer says it, and a product has one list. */
const exposedHeaderLists = new WeakMap<Cors, string>();

function exposedHeaders(cors: Cors): string {
  const known = exposedHeaderLists.get(cors) ?? cors.exposeHeaders.join(', ');
  exposedHeaderLists.set(cors, known);
  return known;
}

/** What a preflight gets on top. */
export function preflightHeaders(cors: Cors, methods: readonly string[]): HeaderFields {
  return {
    'Access-Control-Allow-Methods': (cors.methods ?? methods).join(', '),
    'Access-Control-Allow-Headers': cors.allowHeaders.join(', '),
    'Access-Control-Max-Age': String(cors.maxAge),
  };
}
