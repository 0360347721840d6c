import type { JsonSchema } from './product.ts';

const prose = new Set(['description', 'summary', 'example', 'examples', 'info', 'servers', 'tags']);

/**
 * What a client can depend on in an OpenAPI document: paths, parameters, shapes, statuses, points; no prose and no addresses.
 * Committed per product: a change of it is a change of a published contract and must be meant.
 */
export function contractOf(document: JsonSchema): JsonSchema {
  return strip(document) as JsonSchema;
}

/** What the keys of an object are: words of OpenAPI, or names that somebody gave, which may be spelled like prose. */
const named = new Set(['properties', 'schemas', 'headers', 'default']);

function strip(value: unknown, keysAreNames = false): unknown {
  if (Array.isArray(value)) return value.map(item => strip(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => keysAreNames || !prose.has(key))
      .map(([key, inner]) => [key, strip(inner, !keysAreNames && named.has(key))]),
  );
}
