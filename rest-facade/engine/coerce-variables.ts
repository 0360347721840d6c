import type { IncomingHttpHeaders } from 'node:http';
import {
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { Parameter } from './operation.ts';
import type { InvalidParameter } from './problem.ts';
import type { QueryParameters } from './query-string.ts';
import type { RequestBody } from './read-body.ts';
import { coerceScalar, invalidValue, isTextScalar, type ScalarResult, scalarKind } from './scalars.ts';
import { TempFileText } from './temp-file-text.ts';

/** Where the values of one request come from. Presence decides, never truthiness: path, then query, then body. */
interface ParameterSources {
  path: Record<string, string>;
  query: QueryParameters;
  body: RequestBody;
  headers: IncomingHttpHeaders;
  /** Whether the method carries a body: where a missing parameter is missed. */
  carriesBody: boolean;
}

/** `strict`: JSON numbers are numbers. `lenient`: "5" is taken for 5 inside JSON too. Texts of path and query always are. */
type JsonCoercion = 'strict' | 'lenient';

interface Coercion {
  in: InvalidParameter['in'];
  /** Numbers and booleans may come as text. */
  fromText: boolean;
  problems: InvalidParameter[];
}

/** A list of a hundred thousand wrong items would be answered with a text fifty times its size. */
const maxInvalidParameters = 100;

/**
 * The variables of an operation out of a request. An absent parameter stays absent, so that PATCH changes nothing, unless
 * it has a default; null stays null. Undeclared keys are never looked at. What is wrong is collected in `problems`.
 */
export function coerceVariables(
  parameters: readonly Parameter[],
  given: ParameterSources,
  jsonValues: JsonCoercion,
): { variables: Record<string, unknown>; problems: InvalidParameter[] } {
  const variables: Record<string, unknown> = {};
  const problems: InvalidParameter[] = [];
  for (const parameter of parameters) {
    const { name, type } = parameter;
    const found = findValue(parameter, given);
    if (!found) {
      const place = given.carriesBody ? 'body' : 'query';
      if (parameter.required)
        problems.push({ path: [name], in: place, kind: 'required', expected: expectedType(type) });
      // Filled in here: graphql-jit turns defaults into JSON and forgets those of non-null variables.
      else if (parameter.defaultValue !== undefined) variables[name] = parameter.defaultValue;
      continue;
    }
    const reading: Coercion = {
      in: found.in,
      fromText: found.in !== 'body' || given.body?.form !== undefined || jsonValues === 'lenient',
      problems,
    };
    // A default stands for absence, not for null; a nullable variable with a default still takes null.
    const before = problems.length;
    const value =
      found.value === null && !parameter.nullable
        ? addInvalidValue(reading, [name], 'null', type, null)
        : checkRange(coerce(split(found, parameter), type, [name], reading), parameter, reading);
    if (value !== invalidValue) variables[name] = value;
    else if (parameter.orDefault) {
      problems.length = before;
      if (parameter.defaultValue !== undefined) variables[name] = parameter.defaultValue;
    }
  }
  return { variables, problems };
}

function checkRange(value: unknown, { name, range, type }: Parameter, reading: Coercion): unknown {
  if (!range || value === invalidValue || value === null) return value;
  const size = Array.isArray(value) ? value.length : Number(value);
  const { least, most } = range;
  const limit =
    typeof most === 'number' && size > most
      ? { most }
      : typeof least === 'number' && size < least
        ? { least }
        : undefined;
  if (!limit) return value;
  return addInvalid(reading, {
    path: [name],
    in: reading.in,
    kind: 'range',
    expected: expectedType(type),
    value: size,
    limit,
  });
}

/** The items of a list for which one text stands. A list of one text is how a form and a query write a single text. */
function split({ value, in: place, form }: FoundValue, { separator }: Parameter): unknown {
  if (separator === undefined) return value;
  const single = (form || place === 'query') && Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof single !== 'string') return value;
  return single
    .split(separator)
    .map(item => item.trim())
    .filter(item => item !== '');
}

interface FoundValue {
  value: unknown;
  in: InvalidParameter['in'];
  /** Whether it came as the text of a form. */
  form: boolean;
}

function findValue(parameter: Parameter, given: ParameterSources): FoundValue | undefined {
  const { name, type, aliases, header } = parameter;
  const inPath = given.path[name];
  if (inPath !== undefined) return { value: inPath, in: 'path', form: false };
  for (const called of [name, ...aliases]) {
    const value = fromTexts(called, type, given.query);
    // An empty text of another type is no value in a query, and null in a form, which has no other way to say it.
    if (value !== undefined && value !== null) return { value, in: 'query', form: false };
    const inBody = fromBody(called, type, given.body);
    if (inBody !== undefined) return { value: inBody, in: 'body', form: given.body?.form !== undefined };
  }
  const value = header === undefined ? undefined : given.headers[header];
  return value === undefined ? undefined : { value: String(value), in: 'query', form: false };
}

function fromBody(name: string, type: GraphQLInputType, body: RequestBody): unknown {
  if (!body) return undefined;
  if (body.form) return body.files.get(name) ?? fromTexts(name, type, body.form);
  return Object.hasOwn(body.json, name) ? body.json[name] : undefined;
}

/** A value out of repeated texts: undefined where there is none, null for an empty text that the type cannot take. */
function fromTexts(name: string, type: GraphQLInputType, texts: QueryParameters): unknown {
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (isListType(nullable)) {
    const items = [...(texts.get(`${name}[]`) ?? []), ...(texts.get(name) ?? [])];
    const written = takesEmptyText(nullable.ofType) ? items : items.filter(item => item !== '');
    return written.length > 0 ? written : undefined;
  }
  // Of a repeated key the last one counts, as in the frameworks whose clients repeat keys.
  const value = texts.get(name)?.at(-1);
  return value === '' && !takesEmptyText(nullable) ? null : value;
}

/** `?page=` is no page at all, but `?search=` is an empty search. */
function takesEmptyText(type: GraphQLInputType): boolean {
  const nullable = isNonNullType(type) ? type.ofType : type;
  return isScalarType(nullable) && isTextScalar(nullable);
}

type Path = (string | number)[];

function coerce(value: unknown, type: GraphQLInputType, path: Path, reading: Coercion): unknown {
  if (isNonNullType(type)) {
    if (value === null || value === undefined) return addInvalidValue(reading, path, 'null', type, value);
    return coerce(value, type.ofType, path, reading);
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) {
    if (!Array.isArray(value)) return addInvalidValue(reading, path, 'type', type, value);
    const items = value.map((item, index) => coerce(item, type.ofType, [...path, index], reading));
    return items.includes(invalidValue) ? invalidValue : items;
  }
  if (isInputObjectType(type)) {
    if (typeof value !== 'object' || Array.isArray(value)) return addInvalidValue(reading, path, 'type', type, value);
    const object: Record<string, unknown> = {};
    let good = true;
    for (const field of Object.values(type.getFields())) {
      const at = [...path, field.name];
      if (!Object.hasOwn(value, field.name)) {
        if (isNonNullType(field.type) && field.defaultValue === undefined) {
          addInvalidValue(reading, at, 'required', field.type, undefined);
          good = false;
        }
        continue;
      }
      const inner = coerce((value as Record<string, unknown>)[field.name], field.type, at, reading);
      if (inner === invalidValue) good = false;
      else object[field.name] = inner;
    }
    return good ? object : invalidValue;
  }
  if (isEnumType(type)) {
    if (typeof value === 'string' && type.getValue(value)) return value;
    const choices = type.getValues().map(one => one.name);
    return addInvalid(reading, { path, in: reading.in, kind: 'choice', expected: 'enum', choices, value });
  }
  const scalar: ScalarResult = coerceScalar(value, type, reading.fromText);
  if (!('problem' in scalar)) return scalar.value;
  if (scalar.problem === 'range') return addOutOfRange(reading, path, type, value);
  const forms = type.extensions.anyOf as readonly string[] | undefined;
  if (forms && scalar.problem !== 'nul')
    return addInvalid(reading, { path, in: reading.in, kind: 'union', expected: type.name, choices: forms, value });
  if (scalar.problem !== 'value') return addInvalidValue(reading, path, scalar.problem, type, value);
  const message = scalar.message === undefined ? {} : { message: scalar.message };
  return addInvalid(reading, { path, in: reading.in, kind: 'value', expected: type.name, value, ...message });
}

/** A whole number that the type cannot hold. */
function addOutOfRange(reading: Coercion, path: Path, type: GraphQLScalarType, value: unknown): typeof invalidValue {
  const most = type.name === 'Int' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const limit = Number(value) > 0 ? { most } : { least: type.name === 'Int' ? -(2 ** 31) : -most };
  return addInvalid(reading, { path, in: reading.in, kind: 'range', expected: expectedType(type), value, limit });
}

function addInvalidValue(
  reading: Coercion,
  path: Path,
  kind: Exclude<InvalidParameter['kind'], 'choice' | 'value' | 'union' | 'range'>,
  type: GraphQLInputType,
  value: unknown,
): typeof invalidValue {
  const expected = expectedType(type);
  return addInvalid(reading, { path, in: reading.in, kind, expected, ...(value === undefined ? {} : { value }) });
}

function addInvalid({ problems }: Coercion, { value, ...problem }: InvalidParameter): typeof invalidValue {
  // Products print the value; of a file that would be megabytes.
  const shown = value === undefined || isFile(value) || value instanceof TempFileText ? {} : { value };
  if (problems.length < maxInvalidParameters) problems.push({ ...problem, ...shown });
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
  return expectedScalar(type);
}

function expectedScalar(type: GraphQLScalarType): string {
  if (isTextScalar(type)) return 'string';
  const kind = scalarKind(type);
  return type.specifiedByURL || kind === undefined || kind === 'string' ? type.name : kind;
}
