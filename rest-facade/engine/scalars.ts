import { type GraphQLInputType, type GraphQLScalarType, getNullableType, isScalarType } from 'graphql';
import { TempFileText } from './temp-file-text.ts';

/** Stands for a value that is not taken, where undefined and null are values. */
export const invalidValue = Symbol('invalid');

/** A scalar's value as the graph takes it, or what is wrong with it. */
export type ScalarResult =
  | { value: unknown }
  | { problem: 'type' | 'range' | 'nul' }
  | { problem: 'value'; message: string | undefined };

const builtIn = new Map([
  ['Int', 'integer'],
  ['Float', 'number'],
  ['Boolean', 'boolean'],
  ['String', 'string'],
  ['ID', 'string'],
]);

/** The JSON type a scalar is written in; a scalar says it in `extensions.jsonSchema`, as graphql-scalars do. */
export function scalarKind(type: GraphQLScalarType): string | undefined {
  const said = (type.extensions.jsonSchema as { type?: unknown } | undefined)?.type;
  return builtIn.get(type.name) ?? (typeof said === 'string' ? said : undefined);
}

/** Whether REST writes it as any text: `extensions.text` says so of a scalar that is more than that inside. */
export function isTextScalar({ name, extensions }: GraphQLScalarType): boolean {
  return name === 'String' || name === 'ID' || extensions.text !== undefined;
}

/** Whether its texts may be long and come as TempFileText: `extensions.text` is `long`. */
export function acceptsTempFileText(type: GraphQLInputType): boolean {
  const plain = getNullableType(type);
  return isScalarType(plain) && plain.extensions.text === 'long';
}

/** `fromText`: numbers and booleans may be written as text, and a number stands for its text. */
export function coerceScalar(given: unknown, type: GraphQLScalarType, fromText: boolean): ScalarResult {
  const kind = scalarKind(type);
  const value = fromText ? parseText(given, kind) : given;
  const bad = findTextDefect(value);
  if (bad) return bad;
  if (value instanceof TempFileText) return { value };
  if (isTextScalar(type)) return coerceText(value, type.name, fromText);
  if (kind === 'integer') {
    if (typeof value !== 'number' || !Number.isInteger(value)) return { problem: 'type' };
    // Beyond 2^53 a number has already lost digits when it gets here.
    const fits = type.name === 'Int' ? value === (value | 0) : Number.isSafeInteger(value);
    if (!fits) return { problem: 'range' };
  } else if (kind === 'number' && !Number.isFinite(value)) return { problem: 'type' };
  else if (kind === 'boolean' && typeof value !== 'boolean') return { problem: 'type' };
  try {
    const parsed = type.parseValue(value);
    // What graphql-js takes for «not valid» as well. The plain value goes on: execution parses it once more.
    return parsed === undefined || Number.isNaN(parsed) ? { problem: 'value', message: undefined } : { value };
  } catch (error) {
    return { problem: 'value', message: error instanceof Error ? error.message : undefined };
  }
}

function coerceText(value: unknown, name: string, fromText: boolean): ScalarResult {
  if (typeof value === 'string') return { value };
  if (typeof value !== 'number' || !(fromText || name === 'ID')) return { problem: 'type' };
  if (name === 'ID' && !Number.isInteger(value)) return { problem: 'type' };
  // The digits of such a number are not the ones that were sent.
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? { problem: 'range' } : { value: String(value) };
}

const wholeText = /^[+-]?\d{1,40}$/;
const decimalText = /^[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})(e[+-]?\d{1,3})?$/i;
const truths = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const untruths = new Set(['false', 'f', 'no', 'n', 'off', '0']);

/** The number or boolean that a text spells; the value itself where it spells none. */
function parseText(value: unknown, kind: string | undefined): unknown {
  if (kind === 'boolean' && (value === 1 || value === 0)) return value === 1;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (kind === 'integer') return wholeText.test(text) ? Number(text) : value;
  if (kind === 'number') return decimalText.test(text) ? Number(text) : value;
  if (kind !== 'boolean') return value;
  const word = text.toLowerCase();
  return truths.has(word) ? true : untruths.has(word) ? false : value;
}

const notUnicode: ScalarResult = { problem: 'value', message: 'The text is not valid Unicode.' };

/** PostgreSQL stores neither NUL nor half of a surrogate pair, wherever in a value they stand. */
function findTextDefect(value: unknown): ScalarResult | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { problem: 'nul' };
    return value.isWellFormed() ? undefined : notUnicode;
  }
  if (value instanceof TempFileText) {
    if (value.hasNul) return { problem: 'nul' };
    return value.isWellFormed ? undefined : notUnicode;
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const bad = findTextDefect(key) ?? findTextDefect(inner);
    if (bad) return bad;
  }
  return undefined;
}
