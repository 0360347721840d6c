import type { JsonSchema } from './product.ts';

const proseKeys = new Set(['description', 'summary', 'example', 'examples', 'info', 'servers', 'tags', 'externalDocs']);

/**
 * The part of an OpenAPI document that clients depend on: paths, parameters, schemas, statuses, points; no prose and no URLs.
 * It is committed per product as `contract.lock.json`, so that every change of the published API shows up as a diff.
 */
export function extractContract(document: JsonSchema): JsonSchema {
  const { responses = {}, ...components } = (document.components ?? {}) as Record<string, JsonSchema>;
  return stripProse({ ...inlined(document, responses), components }) as JsonSchema;
}

const responsePrefix = '#/components/responses/';

/** Replaces references to shared responses, so that an operation's entry shows what it answers. */
function inlined(value: unknown, responses: Record<string, unknown>): object {
  if (Array.isArray(value)) return value.map(item => (isObject(item) ? inlined(item, responses) : item));
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === 'string' && $ref.startsWith(responsePrefix))
    return responses[$ref.slice(responsePrefix.length)] as object;
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]) => [key, isObject(inner) ? inlined(inner, responses) : inner]),
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

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
