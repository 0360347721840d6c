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
import type { Body } from './body.ts';
import type { Problem } from './failure.ts';
import type { Parameter } from './operation.ts';
import type { Query } from './query.ts';
import { invalid, isText, type Read, readScalar, scalarKind } from './scalars.ts';
import { SpooledText } from './spooled-text.ts';

/** Where the values of one request come from. Presence decides, never truthiness: path, then query, then body. */
interface Given {
  path: Record<string, string>;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  /** Whether the method carries a body: where a missing parameter is missed. */
  carriesBody: boolean;
}

/** `strict`: JSON numbers are numbers. `lenient`: "5" is taken for 5 inside JSON too. Texts of path and query always are. */
type JsonValues = 'strict' | 'lenient';

interface Reading {
  in: Problem['in'];
  /** Numbers and booleans may come as text. */
  fromText: boolean;
  problems: Problem[];
}

/** A list of a hundred thousand wrong items would be answered with a text fifty times its size. */
const mostProblems = 100;

/**
 * The variables of an operation out of a request. An absent parameter stays absent, so that PATCH changes nothing, unless
 * it has a default; null stays null. Undeclared keys are never looked at. What is wrong is collected in `problems`.
 */
export function readVariables(
  parameters: readonly Parameter[],
  given: Given,
  jsonValues: JsonValues,
): { variables: Record<string, unknown>; problems: Problem[] } {
  const variables: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const parameter of parameters) {
    const { name, type } = parameter;
    const found = find(parameter, given);
    if (!found) {
      const place = given.carriesBody ? 'body' : 'query';
      if (parameter.required) problems.push({ path: [name], in: place, kind: 'required', expected: expectation(type) });
      // Filled in here: graphql-jit turns defaults into JSON and forgets those of non-null variables.
      else if (parameter.defaultValue !== undefined) variables[name] = parameter.defaultValue;
      continue;
    }
    const reading: Reading = {
      in: found.in,
      fromText: found.in !== 'body' || given.body?.form !== undefined || jsonValues === 'lenient',
      problems,
    };
    // A default stands for absence, not for null; a nullable variable with a default still takes null.
    const before = problems.length;
    const value =
      found.value === null && !parameter.nullable
        ? refuse(reading, [name], 'null', type, null)
        : within(read(split(found, parameter), type, [name], reading), parameter, reading);
    if (value !== invalid) variables[name] = value;
    else if (parameter.orDefault) {
      problems.length = before;
      if (parameter.defaultValue !== undefined) variables[name] = parameter.defaultValue;
    }
  }
  return { variables, problems };
}

function within(value: unknown, { name, range, type }: Parameter, reading: Reading): unknown {
  if (!range || value === invalid || value === null) return value;
  const size = Array.isArray(value) ? value.length : Number(value);
  const { least, most } = range;
  const limit =
    typeof most === 'number' && size > most
      ? { most }
      : typeof least === 'number' && size < least
        ? { least }
        : undefined;
  if (!limit) return value;
  return add(reading, { path: [name], in: reading.in, kind: 'range', expected: expectation(type), value: size, limit });
}

/** The items of a list for which one text stands. A list of one text is how a form and a query write a single text. */
function split({ value, in: place, form }: Found, { separator }: Parameter): unknown {
  if (separator === undefined) return value;
  const single = (form || place === 'query') && Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof single !== 'string') return value;
  return single
    .split(separator)
    .map(item => item.trim())
    .filter(item => item !== '');
}

interface Found {
  value: unknown;
  in: Problem['in'];
  /** Whether it came as the text of a form. */
  form: boolean;
}

function find(parameter: Parameter, given: Given): Found | undefined {
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

function fromBody(name: string, type: GraphQLInputType, body: Body): unknown {
  if (!body) return undefined;
  if (body.form) return body.files.get(name) ?? fromTexts(name, type, body.form);
  return Object.hasOwn(body.json, name) ? body.json[name] : undefined;
}

/** A value out of repeated texts: undefined where there is none, null for an empty text that the type cannot take. */
function fromTexts(name: string, type: GraphQLInputType, texts: Query): unknown {
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
  return isScalarType(nullable) && isText(nullable);
}

type Path = (string | number)[];

function read(value: unknown, type: GraphQLInputType, path: Path, reading: Reading): unknown {
  if (isNonNullType(type)) {
    if (value === null || value === undefined) return refuse(reading, path, 'null', type, value);
    return read(value, type.ofType, path, reading);
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) {
    if (!Array.isArray(value)) return refuse(reading, path, 'type', type, value);
    const items = value.map((item, index) => read(item, type.ofType, [...path, index], reading));
    return items.includes(invalid) ? invalid : items;
  }
  if (isInputObjectType(type)) {
    if (typeof value !== 'object' || Array.isArray(value)) return refuse(reading, path, 'type', type, value);
    const object: Record<string, unknown> = {};
    let good = true;
    for (const field of Object.values(type.getFields())) {
      const at = [...path, field.name];
      if (!Object.hasOwn(value, field.name)) {
        if (isNonNullType(field.type) && field.defaultValue === undefined) {
          refuse(reading, at, 'required', field.type, undefined);
          good = false;
        }
        continue;
      }
      const inner = read((value as Record<string, unknown>)[field.name], field.type, at, reading);
      if (inner === invalid) good = false;
      else object[field.name] = inner;
    }
    return good ? object : invalid;
  }
  if (isEnumType(type)) {
    if (typeof value === 'string' && type.getValue(value)) return value;
    const choices = type.getValues().map(one => one.name);
    return add(reading, { path, in: reading.in, kind: 'choice', expected: 'enum', choices, value });
  }
  const scalar: Read = readScalar(value, type, reading.fromText);
  if (!('problem' in scalar)) return scalar.value;
  if (scalar.problem === 'range') return beyond(reading, path, type, value);
  const forms = type.extensions.anyOf as readonly string[] | undefined;
  if (forms && scalar.problem !== 'nul')
    return add(reading, { path, in: reading.in, kind: 'union', expected: type.name, choices: forms, value });
  if (scalar.problem !== 'value') return refuse(reading, path, scalar.problem, type, value);
  const message = scalar.message === undefined ? {} : { message: scalar.message };
  return add(reading, { path, in: reading.in, kind: 'value', expected: type.name, value, ...message });
}

/** A whole number that the type cannot hold. */
function beyond(reading: Reading, path: Path, type: GraphQLScalarType, value: unknown): typeof invalid {
  const most = type.name === 'Int' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const limit = Number(value) > 0 ? { most } : { least: type.name === 'Int' ? -(2 ** 31) : -most };
  return add(reading, { path, in: reading.in, kind: 'range', expected: expectation(type), value, limit });
}

function refuse(
  reading: Reading,
  path: Path,
  kind: Exclude<Problem['kind'], 'choice' | 'value' | 'union' | 'range'>,
  type: GraphQLInputType,
  value: unknown,
): typeof invalid {
  const expected = expectation(type);
  return add(reading, { path, in: reading.in, kind, expected, ...(value === undefined ? {} : { value }) });
}

function add({ problems }: Reading, { value, ...problem }: Problem): typeof invalid {
  // Products print the value; of a file that would be megabytes.
  const shown = value === undefined || isFile(value) || value instanceof SpooledText ? {} : { value };
  if (problems.length < mostProblems) problems.push({ ...problem, ...shown });
  return invalid;
}

function isFile(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}

function expectation(type: GraphQLInputType): string {
  if (isNonNullType(type)) return expectation(type.ofType);
  if (isListType(type)) return 'list';
  if (isInputObjectType(type)) return 'object';
  if (isEnumType(type)) return 'enum';
  return scalarExpectation(type);
}

function scalarExpectation(type: GraphQLScalarType): string {
  if (isText(type)) return 'string';
  const kind = scalarKind(type);
  return type.specifiedByURL || kind === undefined || kind === 'string' ? type.name : kind;
}
