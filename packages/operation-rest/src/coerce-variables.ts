import {
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { nextEventLoopTurn } from './event-loop-turn.ts';
import { encodeKeys } from './global-ids.ts';
import type { RequestHeaders } from './http-messages.ts';
import { readSortKeys } from './list-parameters.ts';
import type { FormBody } from './multipart-form.ts';
import type { Parameter } from './operation.ts';
import { type InvalidParameter, ProblemError } from './problem.ts';
import { type BracketedText, notUtf8, type QueryParameters } from './query-string.ts';
import type { RequestBody } from './read-body.ts';
import { coerceScalar, invalidValue, isTextScalar, type ScalarResult, scalarKind, timeInUtc } from './scalars.ts';
import { TempFileText } from './temp-file-text.ts';
import { publishedFieldName } from './wire-schema.ts';

/** Where parameter values come from. Each is read from one place alone. */
interface ParameterSources {
  path: Record<string, string>;
  query: QueryParameters;
  body: RequestBody;
  headers: RequestHeaders;
}

/** `strict`: JSON numbers are numbers. `lenient`: "5" is 5 inside JSON too. Path and query are always lenient. */
type JsonCoercion = 'strict' | 'lenient';

/** Where a value was found, and the errors collected so far. */
interface Coercion {
  in: InvalidParameter['in'];
  /** Numbers and booleans may come as text. */
  fromText: boolean;
  /** Whether a time may lack its zone, which then is UTC. */
  inUtc: boolean;
  invalid: InvalidParameter[];
}

/** Without a limit, a list of 100,000 invalid items is answered with a body fifty times its size. */
const maxInvalidParameters = 100;

/** Items of a list that are coerced in one turn of the event loop: of objects with four fields some 3 ms. */
const itemsPerTurn = 1_000;

interface CoercedVariables {
  variables: Record<string, unknown>;
  /** Values of parameters that are no variables themselves, by their names. */
  words: ReadonlyMap<string, unknown>;
  invalid: InvalidParameter[];
  /** A parameter with `@checkedLast` is invalid. */
  isUnknown: boolean;
  /** Message for parameters that exclude each other; undefined if none were sent. */
  conflict: string | undefined;
}

/**
 * Makes the variables of an operation from a request, long lists in turns of the event loop. An absent parameter without a default stays absent and null stays null,
 * so that PATCH is exact. Undeclared keys are ignored. Errors are collected in `invalid`.
 */
export async function coerceVariables(
  parameters: readonly Parameter[],
  sources: ParameterSources,
  { jsonCoercion, timesWithoutZone }: { jsonCoercion: JsonCoercion; timesWithoutZone?: 'utc' },
): Promise<CoercedVariables> {
  const variables: Record<string, unknown> = {};
  const words = new Map<string, unknown>();
  const sent = new Set<string>();
  const invalid: InvalidParameter[] = [];
  let isUnknown = false;
  const set = (parameter: Parameter, value: unknown): void => {
    const { name, variableType, encodeKey, sortKeys, knownValues, enumValues, keyed, fallbackOf, flag } = parameter;
    if (fallbackOf !== undefined) {
      variables[fallbackOf] = enumValues?.get(value) ?? value;
      return;
    }
    if (variableType === undefined) {
      if (value !== null) words.set(name, value);
      return;
    }
    if (value === null && Object.hasOwn(variables, name)) return;
    if (keyed && value !== null)
      variables[name] = Object.entries(value as object).map(([key, one]) => ({ [keyed[0]]: key, [keyed[1]]: one }));
    else if (enumValues) variables[name] = enumValues.get(value) ?? value;
    else if (flag) variables[name] = flag.has(String(value));
    else if (encodeKey) variables[name] = encodeKeys(value, encodeKey);
    else if (knownValues && Array.isArray(value)) variables[name] = value.filter(one => knownValues.has(one));
    else variables[name] = sortKeys && typeof value === 'string' ? readSortKeys(value, sortKeys) : value;
  };
  for (const parameter of parameters) {
    const { name, type } = parameter;
    const found = findValue(parameter, sources);
    if (!found) {
      const place = placeOf(parameter);
      if (parameter.required) invalid.push({ path: [name], in: place, kind: 'required', expected: expectedType(type) });
      else if (parameter.defaultValue !== undefined) set(parameter, parameter.defaultValue);
      continue;
    }
    const coercion: Coercion = {
      in: found.in,
      fromText: found.in !== 'body' || sources.body?.fields !== undefined || jsonCoercion === 'lenient',
      inUtc: timesWithoutZone === 'utc',
      invalid,
    };
    const invalidBefore = invalid.length;
    // A default stands for absence and not for null: a nullable variable with a default still accepts null.
    const path: Path = { above: undefined, key: name };
    const given = split(found, parameter);
    const isLong = Array.isArray(given) && given.length > itemsPerTurn;
    const value =
      found.value === unreadable
        ? addInvalidValue(coercion, path, 'type', type, undefined)
        : found.value === null && !parameter.nullable
          ? addInvalidValue(coercion, path, 'null', type, null)
          : checkRange(
              isLong ? await coerceInTurns(given, type, path, coercion) : coerce(given, type, path, coercion),
              parameter,
              coercion,
            );
    if (value !== invalidValue) {
      if (value !== null) sent.add(name);
      set(parameter, value);
    } else if (parameter.orDefault) {
      invalid.length = invalidBefore;
      if (parameter.defaultValue !== undefined) set(parameter, parameter.defaultValue);
    } else if (parameter.checkedLast !== undefined) {
      invalid.length = invalidBefore;
      isUnknown = true;
      set(parameter, parameter.checkedLast);
    }
  }
  const excluding = parameters.find(
    ({ name, excludes }) => sent.has(name) && excludes?.parameters.some(other => sent.has(other)),
  );
  return { variables, words, invalid, isUnknown, conflict: excluding?.excludes?.message };
}

function checkRange(value: unknown, { name, range, type }: Parameter, coercion: Coercion): unknown {
  if (!range || value === invalidValue || value === null) return value;
  const size = Array.isArray(value) ? value.length : Number(value);
  const { min, max } = range;
  const limit =
    typeof max === 'number' && size > max ? { max } : typeof min === 'number' && size < min ? { min } : undefined;
  if (!limit) return value;
  const expected = expectedType(type);
  return addInvalid(coercion, {
    path: { above: undefined, key: name },
    in: coercion.in,
    kind: 'range',
    expected,
    value: size,
    limit,
  });
}

/** Splits a text at the parameter's separator. A form and a query write a single text as a list of one. */
function split({ value, in: place, isFormText }: FoundValue, { separator }: Parameter): unknown {
  if (separator === undefined) return value;
  const single = (isFormText || place === 'query') && Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof single !== 'string') return value;
  return single
    .split(separator)
    .map(item => item.trim())
    .filter(item => item !== '');
}

interface FoundValue {
  value: unknown;
  in: InvalidParameter['in'];
  isFormText: boolean;
}

/** In place of a value whose names in a form have brackets that say nothing. */
const unreadable = Symbol('unreadable');

/** @throws ProblemError `malformed` for bytes that are not UTF-8 */
function findValue(parameter: Parameter, { path, query, body, headers }: ParameterSources): FoundValue | undefined {
  const { name, type, aliases, header, place } = parameter;
  if (place === 'path' || place === 'header') {
    const text = place === 'path' ? path[name] : headers[header ?? ''];
    return text === undefined ? undefined : { value: String(text), in: placeOf(parameter), isFormText: false };
  }
  for (const key of [name, ...aliases]) {
    const value = place === 'query' ? fromTexts(key, type, query) : fromBody(key, type, body);
    // In a query an empty text of another type counts as absent; in a form it is null, which has no other spelling there.
    const isAbsent = value === undefined || (place === 'query' && value === null);
    if (!isAbsent) return { value, in: place, isFormText: place === 'body' && body?.fields !== undefined };
  }
  return undefined;
}

/** The place that errors name: that of a header is the query, for which the published shapes of errors have words. */
function placeOf({ place }: Parameter): InvalidParameter['in'] {
  return place === 'header' ? 'query' : place;
}

function fromBody(name: string, type: GraphQLInputType, body: RequestBody): unknown {
  if (!body) return undefined;
  if (body.fields) return body.files.get(name) ?? fromForm(name, type, body);
  return Object.hasOwn(body.json, name) ? body.json[name] : undefined;
}

/** As `fromTexts`, with the items of a list that have indexes behind the others, in the order of these. */
function fromForm(name: string, type: GraphQLInputType, { fields, bracketed }: FormBody): unknown {
  const indexed = bracketed.get(name);
  if (!indexed) return fromTexts(name, type, fields);
  if (!isListType(isNonNullType(type) ? type.ofType : type) || !indexed.every(hasIndex)) return unreadable;
  const sorted = indexed.toSorted((one, other) => one.index - other.index).map(({ text }) => text);
  return fromTexts(
    name,
    type,
    new Map([[name, [...(fields.get(`${name}[]`) ?? []), ...(fields.get(name) ?? []), ...sorted]]]),
  );
}

const hasIndex = (one: BracketedText): one is BracketedText & { index: number } => one.index !== undefined;

/** A value made of repeated texts: undefined if there are none, null for an empty text of a type other than text. */
function fromTexts(name: string, type: GraphQLInputType, texts: QueryParameters): unknown {
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (isListType(nullable)) {
    const items = [...(texts.get(`${name}[]`) ?? []), ...(texts.get(name) ?? [])];
    if (items.includes(notUtf8)) throw notUtf8Query();
    const nonEmpty = acceptsEmptyText(nullable.ofType) ? items : items.filter(item => item !== '');
    return nonEmpty.length > 0 ? nonEmpty : undefined;
  }
  // The last of a repeated key wins, as in the frameworks whose clients repeat keys.
  const value = texts.get(name)?.at(-1);
  if (value === notUtf8) throw notUtf8Query();
  return value === '' && !acceptsEmptyText(nullable) ? null : value;
}

/** Forms with such bytes are refused as a whole. */
const notUtf8Query = (): ProblemError =>
  new ProblemError({ kind: 'malformed', format: 'Query', reason: { is: 'encoding' } });

/** `?page=` is no page, but `?search=` is an empty search. */
function acceptsEmptyText(type: GraphQLInputType): boolean {
  const nullable = isNonNullType(type) ? type.ofType : type;
  return isScalarType(nullable) && isTextScalar(nullable);
}

/** The way to a value, from its end: most are not written out. */
interface Path {
  above: Path | undefined;
  key: string | number;
}

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at; at = at.above) keys.push(at.key);
  return keys.reverse();
}

/** As `coerce`, for a long list. */
async function coerceInTurns(
  given: readonly unknown[],
  type: GraphQLInputType,
  path: Path,
  coercion: Coercion,
): Promise<unknown> {
  const list = isNonNullType(type) ? type.ofType : type;
  if (!isListType(list)) return coerce(given, type, path, coercion);
  const items: unknown[] = [];
  for (const [index, item] of given.entries()) {
    if (index % itemsPerTurn === 0) await nextEventLoopTurn();
    items.push(coerce(item, list.ofType, { above: path, key: index }, coercion));
  }
  await nextEventLoopTurn();
  return items.includes(invalidValue) ? invalidValue : items;
}

function coerce(value: unknown, type: GraphQLInputType, path: Path, coercion: Coercion): unknown {
  if (isNonNullType(type)) {
    if (value === null || value === undefined) return addInvalidValue(coercion, path, 'null', type, value);
    return coerce(value, type.ofType, path, coercion);
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) {
    if (!Array.isArray(value)) return addInvalidValue(coercion, path, 'type', type, value);
    const items = value.map((item, index) => coerce(item, type.ofType, { above: path, key: index }, coercion));
    return items.includes(invalidValue) ? invalidValue : items;
  }
  if (isInputObjectType(type)) {
    if (typeof value !== 'object' || Array.isArray(value)) return addInvalidValue(coercion, path, 'type', type, value);
    const object: Record<string, unknown> = {};
    let isValid = true;
    for (const field of Object.values(type.getFields())) {
      const key = publishedFieldName(field);
      if (key === null) continue;
      const fieldPath: Path = { above: path, key };
      if (!Object.hasOwn(value, key)) {
        if (isNonNullType(field.type) && field.defaultValue === undefined) {
          addInvalidValue(coercion, fieldPath, 'required', field.type, undefined);
          isValid = false;
        }
        continue;
      }
      const given = (value as Record<string, unknown>)[key];
      const variant = variantOf(field, value as Record<string, unknown>);
      if (variant === null) continue;
      const inner = coerce(given, variant?.type ?? field.type, fieldPath, coercion);
      const limit = limitBroken(inner, field);
      if (limit)
        addInvalid(coercion, {
          path: fieldPath,
          in: coercion.in,
          kind: 'range',
          expected: 'integer',
          limit,
          value: inner,
        });
      if (inner === invalidValue || limit) isValid = false;
      else object[field.name] = variant && inner !== null ? { [variant.name]: inner } : inner;
    }
    return isValid ? object : invalidValue;
  }
  if (isEnumType(type)) {
    if (typeof value === 'string' && type.getValue(value)) return value;
    const choices = type.getValues().map(one => one.name);
    return addInvalid(coercion, { path, in: coercion.in, kind: 'choice', expected: 'enum', choices, value });
  }
  const result: ScalarResult = coerceScalar(
    coercion.inUtc && coercion.in === 'query' ? timeInUtc(value, type) : value,
    type,
    coercion.fromText,
  );
  return 'problem' in result ? addInvalidScalar(coercion, path, type, value, result) : result.value;
}

/** The limit of an integer, in the keywords of its field, that a value breaks. */
function limitBroken(value: unknown, { type, extensions }: GraphQLInputField): InvalidParameter['limit'] {
  if (typeof value !== 'number' || getNullableType(type) !== GraphQLInt) return undefined;
  const { minimum, maximum } = (extensions.jsonSchema ?? {}) as { minimum?: number; maximum?: number };
  if (maximum !== undefined && value > maximum) return { max: maximum };
  return minimum !== undefined && value < minimum ? { min: minimum } : undefined;
}

/**
 * The field of an input with variants that a body has the value of: by the name in snake case beside it. Null where none has that name;
 * undefined for a field without variants.
 */
function variantOf(
  { type, extensions }: GraphQLInputField,
  beside: Readonly<Record<string, unknown>>,
): GraphQLInputField | null | undefined {
  if (typeof extensions.variantBy !== 'string') return undefined;
  const given = beside[extensions.variantBy];
  if (typeof given !== 'string') return null;
  const name = given.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const input = getNullableType(type);
  return (isInputObjectType(input) && Object.hasOwn(input.getFields(), name) && input.getFields()[name]) || null;
}

function addInvalidScalar(
  coercion: Coercion,
  path: Path,
  type: GraphQLScalarType,
  value: unknown,
  result: Exclude<ScalarResult, { value: unknown }>,
): typeof invalidValue {
  const base = { path, in: coercion.in, value };
  const { problem } = result;
  if (problem === 'range') {
    const max = type.name === 'Int' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
    const limit = Number(value) > 0 ? { max } : { min: type.name === 'Int' ? -(2 ** 31) : -max };
    return addInvalid(coercion, { ...base, kind: 'range', expected: expectedType(type), limit });
  }
  const choices = type.extensions.anyOf as readonly string[] | undefined;
  if (choices && problem !== 'nul')
    return addInvalid(coercion, { ...base, kind: 'union', expected: type.name, choices });
  if (problem === 'type' || problem === 'nul') return addInvalidValue(coercion, path, problem, type, value);
  const message = 'message' in result && result.message !== undefined ? { message: result.message } : {};
  return addInvalid(coercion, { ...base, kind: problem, expected: type.name, ...message });
}

function addInvalidValue(
  coercion: Coercion,
  path: Path,
  kind: 'required' | 'null' | 'type' | 'nul',
  type: GraphQLInputType,
  value: unknown,
): typeof invalidValue {
  const expected = expectedType(type);
  return addInvalid(coercion, { path, in: coercion.in, kind, expected, ...(value === undefined ? {} : { value }) });
}

function addInvalid(
  { invalid }: Coercion,
  { value, path, ...parameter }: Omit<InvalidParameter, 'path'> & { path: Path },
): typeof invalidValue {
  // Products print the value; printing a file would take megabytes.
  const printable = value === undefined || isFile(value) || value instanceof TempFileText ? {} : { value };
  if (invalid.length < maxInvalidParameters) invalid.push({ path: keysOf(path), ...parameter, ...printable });
  return invalidValue;
}

function isFile(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}

function expectedType(type: GraphQLInputType): string {
  if (isNonNullType(type)) return expectedType(type.ofType);
  if (isListType(type)) return 'list';
  if (isInputObjectType(type)) return 'object';
  if (isEnumType(type)) return 'enum';
  if (isTextScalar(type)) return 'string';
  const kind = scalarKind(type);
  return type.specifiedByURL || kind === undefined || kind === 'string' ? type.name : kind;
}
