import type { JsonSchema } from './product.ts';

const proseKeys = new Set(['description', 'summary', 'example', 'examples', 'info', 'servers', 'tags', 'externalDocs']);

/**
 * The part of an OpenAPI document that clients depend on: paths, parameters, schemas, statuses, points; no prose and no URLs.
 * It is committed per product as `contract.lock.json`, so that every change of the published API shows up as a diff.
 */
export function extractContract(document: JsonSchema): JsonSchema {
  return stripProse(document) as JsonSchema;
}

/** Keywords whose object has names as keys and not keywords: such a name may be spelled like one of `proseKeys`. */
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
