import { type GraphQLInputType, type GraphQLScalarType, getNamedType, getNullableType, isScalarType } from 'graphql';
import { TempFileText } from './temp-file-text.ts';

/** Marks an invalid value where undefined and null are valid values. */
export const invalidValue = Symbol('invalid');

/** A scalar's value as the graph takes it, or why it is invalid. */
export type ScalarResult =
  | { value: unknown }
  | { problem: 'type' | 'range' | 'nul' | 'surrogate' }
  | { problem: 'value'; message: string | undefined };

const builtIn = new Map([
  ['Int', 'integer'],
  ['Float', 'number'],
  ['Boolean', 'boolean'],
  ['String', 'string'],
  ['ID', 'string'],
]);

/** The JSON type of a scalar; a custom scalar declares it in `extensions.jsonSchema`, as graphql-scalars do. */
export function scalarKind(type: GraphQLScalarType): string | undefined {
  const declared = (type.extensions.jsonSchema as { type?: unknown } | undefined)?.type;
  return builtIn.get(type.name) ?? (typeof declared === 'string' ? declared : undefined);
}

/** Whether REST accepts any string; a custom scalar with an internal type of its own sets `extensions.text`. */
export function isTextScalar({ name, extensions }: GraphQLScalarType): boolean {
  return name === 'String' || name === 'ID' || extensions.text !== undefined;
}

/** Whether its strings may be long and arrive as TempFileText: `extensions.text` is `long`. */
export function acceptsTempFileText(type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  return isScalarType(nullable) && nullable.extensions.text === 'long';
}

/** Whether it is sent as a file of a form: JSON has no spelling of it. */
export function isFile(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  return isScalarType(named) && (named.extensions.jsonSchema as { format?: unknown } | undefined)?.format === 'binary';
}

/** `fromText`: numbers and booleans may be written as text, and a number may stand for its text. */
export function coerceScalar(given: unknown, type: GraphQLScalarType, fromText: boolean): ScalarResult {
  const kind = scalarKind(type);
  const value = fromText ? parseText(given, kind) : given;
  const defect = findTextDefect(value);
  if (defect) return { problem: defect };
  if (value instanceof TempFileText) return { value };
  if (isTextScalar(type)) return coerceText(value, type.name, fromText);
  if (kind === 'integer') {
    if (typeof value !== 'number' || !Number.isInteger(value)) return { problem: 'type' };
    // Beyond 2^53 a number has already lost digits in JSON.parse.
    const fits = type.name === 'Int' ? value === (value | 0) : Number.isSafeInteger(value);
    if (!fits) return { problem: 'range' };
  } else if (kind === 'number' && !Number.isFinite(value)) return { problem: 'type' };
  else if (kind === 'boolean' && typeof value !== 'boolean') return { problem: 'type' };
  try {
    const parsed = type.parseValue(value);
    // graphql-js takes undefined and NaN for invalid too. The unparsed value is passed on: execution parses it once more.
    return parsed === undefined || Number.isNaN(parsed) ? { problem: 'value', message: undefined } : { value };
  } catch (error) {
    return { problem: 'value', message: messageFor(error, type.name) };
  }
}

/**
 * A time of ISO 8601 without a zone as one in UTC, and a date as its first moment; other values and scalars as they are. A scalar of
 * times has the format `date-time`, or the extension `isTime` where its texts are not published under that format.
 */
export function timeInUtc(value: unknown, type: GraphQLScalarType): unknown {
  const { format } = (type.extensions.jsonSchema as { format?: unknown } | undefined) ?? {};
  if ((format !== 'date-time' && type.extensions.isTime !== true) || typeof value !== 'string') return value;
  const [, day, minute = 'T00:00', second = ':00'] = timeWithoutZone.exec(value) ?? [];
  return day === undefined ? value : `${day}${minute}${second}Z`;
}

const timeWithoutZone = /^(\d{4}-\d{2}-\d{2})(?:([T ]\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?)?$/;

/** What a scalar says, for callers of REST: they know no names of scalars, and not the words of graphql-js and its libraries. */
function messageFor(error: unknown, name: string): string | undefined {
  const message = error instanceof Error ? error.message : undefined;
  return message?.startsWith(`${name} `) || message?.includes(' cannot represent ') ? undefined : message;
}

function coerceText(value: unknown, name: string, fromText: boolean): ScalarResult {
  if (typeof value === 'string') return { value };
  if (typeof value !== 'number' || !(fromText || name === 'ID')) return { problem: 'type' };
  if (name === 'ID' && !Number.isInteger(value)) return { problem: 'type' };
  // Beyond 2^53 the digits are not those that were sent.
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? { problem: 'range' } : { value: String(value) };
}

const integerText = /^[+-]?\d{1,40}$/;
const decimalText = /^[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})(e[+-]?\d{1,3})?$/i;
const trueTexts = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const falseTexts = new Set(['false', 'f', 'no', 'n', 'off', '0']);

/** The number or boolean that a text spells; the value itself where it spells none. */
function parseText(value: unknown, kind: string | undefined): unknown {
  if (kind === 'boolean' && (value === 1 || value === 0)) return value === 1;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (kind === 'integer') return integerText.test(text) ? Number(text) : value;
  if (kind === 'number') return decimalText.test(text) ? Number(text) : value;
  if (kind !== 'boolean') return value;
  const word = text.toLowerCase();
  return trueTexts.has(word) ? true : falseTexts.has(word) ? false : value;
}

/** PostgreSQL stores neither U+0000 nor a lone surrogate, at any depth of a value. */
function findTextDefect(value: unknown): 'nul' | 'surrogate' | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'nul';
    return value.isWellFormed() ? undefined : 'surrogate';
  }
  if (value instanceof TempFileText) {
    if (value.hasNul) return 'nul';
    return value.isWellFormed ? undefined : 'surrogate';
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const defect = findTextDefect(key) ?? findTextDefect(inner);
    if (defect) return defect;
  }
  return undefined;
}
