import type { JsonSchema } from './product.ts';

const proseKeys = new Set(['description', 'summary', 'example', 'examples', 'info', 'servers', 'tags']);

/**
 * What a client can depend on in an OpenAPI document: paths, parameters, shapes, statuses, points; no prose and no addresses.
 * Committed per product: a change of it is a change of a published contract and must be meant.
 */
export function extractContract(document: JsonSchema): JsonSchema {
  return stripProse(document) as JsonSchema;
}

/** What the keys of an object are: words of OpenAPI, or names that somebody gave, which may be spelled like prose. */
const keysOfNameMaps = new Set(['properties', 'schemas', 'headers', 'default']);

function stripProse(value: unknown, keysAreNames = false): unknown {
  if (Array.isArray(value)) return value.map(item => stripProse(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => keysAreNames || !proseKeys.has(key))
      .map(([key, inner]) => [key, stripProse(inner, !keysAreNames && keysOfNameMaps.has(key))]),
  );
}
