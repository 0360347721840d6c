import type { Operation } from '../engine/operation.ts';
import { bodyMethods } from '../engine/operation.ts';
import type { InvalidParameter, Problem } from '../engine/problem.ts';
import type { ErrorResponse, JsonSchema } from '../engine/product.ts';
import { pathParameterNames } from '../engine/route-table.ts';

/** The published error JSON of the health API: `{detail, code}`, or for bad fields a map from field to sentences. */
export function fail(failure: Problem): ErrorResponse {
  switch (failure.kind) {
    case 'not-found':
      return failure.reason === 'page'
        ? detailResponse(404, 'Invalid page.', 'not_found')
        : detailResponse(404, 'Not found.', 'not_found');
    case 'retired':
      return detailResponse(410, 'Gone.', 'gone');
    case 'method':
      return detailResponse(405, `Method "${printable(failure.method)}" not allowed.`, 'method_not_allowed');
    case 'not-acceptable':
      return detailResponse(406, 'Could not satisfy the request Accept header.', 'not_acceptable');
    case 'media-type':
      return detailResponse(
        415,
        `Unsupported media type "${printable(failure.type)}" in request.`,
        'unsupported_media_type',
      );
    case 'header':
      return detailResponse(400, `The header ${failure.name} is ${failure.is}.`, 'bad_header');
    case 'too-far':
      return detailResponse(404, 'Invalid page.', 'not_found');
    case 'range':
      return detailResponse(416, 'Nothing is in this range.', 'range_not_satisfiable');
    case 'too-large':
      return detailResponse(413, `The body is larger than ${failure.limit} bytes.`, 'too_large');
    case 'malformed':
      return detailResponse(400, `${failure.of} parse error - ${printable(failure.message)}`, 'parse_error');
    case 'not-an-object':
      return {
        status: 400,
        body: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${pythonType(failure.type)}.`] },
      };
    case 'no-body':
      return { status: 400, body: { non_field_errors: ['No data provided'] } };
    case 'problems':
      return { status: 400, body: groupByField(failure.problems) };
    case 'graph':
      return formatCodedError(failure);
    case 'defect':
      return detailResponse(500, 'A server error occurred.', 'error');
  }
}

function formatCodedError({ code, status, message, facts }: Extract<Problem, { kind: 'graph' }>): ErrorResponse {
  if (code === 'NOT_FOUND') return detailResponse(404, 'Not found.', 'not_found');
  if (code === 'BAD_USER_INPUT' && typeof facts.problems === 'object') return { status: 400, body: facts.problems };
  if (status === 401) {
    const challenge = { 'WWW-Authenticate': 'Bearer realm="api"' };
    const reason = typeof facts.reason === 'string' ? facts.reason : 'not_authenticated';
    const body = {
      detail: message,
      code: reason,
      ...(facts.messages === undefined ? {} : { messages: facts.messages }),
    };
    return { status, headers: challenge, body };
  }
  if (status === 429) {
    return { ...detailResponse(429, message, 'throttled'), headers: { 'Retry-After': String(facts.retryAfter ?? 60) } };
  }
  if (code === 'SERVICE_UNAVAILABLE')
    return { ...detailResponse(503, message, 'service_unavailable'), headers: { 'Retry-After': '5' } };
  return detailResponse(status, message, typeof facts.reason === 'string' ? facts.reason : code.toLowerCase());
}

function detailResponse(status: number, text: string, code: string): ErrorResponse {
  return { status, body: { detail: text, code } };
}

/** What a caller sent, cut to what belongs into a sentence. */
function printable(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return short.toWellFormed().replace(/\p{Cc}/gu, ' ');
}

type FieldErrors = { [field: string]: string[] | FieldErrors | (FieldErrors | string[])[] };

/** Problems by field, nested as the input is: objects in objects, lists as lists of maps. */
function groupByField(problems: readonly InvalidParameter[]): FieldErrors {
  const map: FieldErrors = Object.create(null);
  for (const problem of problems) {
    let at: FieldErrors = map;
    const [...way] = problem.path;
    const last = String(way.pop());
    for (const step of way) {
      const inner = at[step];
      if (typeof inner === 'object' && !Array.isArray(inner)) at = inner;
      else {
        const made: FieldErrors = Object.create(null);
        at[step] = made;
        at = made;
      }
    }
    const before = at[last];
    at[last] = [...(Array.isArray(before) ? (before as string[]) : []), parameterSentence(problem)];
  }
  return map;
}

function parameterSentence(problem: InvalidParameter): string {
  const shown = printable(typeof problem.value === 'string' ? problem.value : (JSON.stringify(problem.value) ?? ''));
  switch (problem.kind) {
    case 'required':
      return 'This field is required.';
    case 'null':
      return 'This field may not be null.';
    case 'nul':
      return 'Null characters are not allowed.';
    case 'range':
      return 'Ensure this value is within the range of whole numbers.';
    case 'choice':
      return problem.in === 'query'
        ? `Select a valid choice. ${shown} is not one of the available choices.`
        : `"${shown}" is not a valid choice.`;
    case 'union':
      return 'Not a valid value.';
    case 'value':
      return problem.message ?? 'Not a valid value.';
    case 'type':
      return typeSentence(problem);
  }
}

function typeSentence({ expected, value }: InvalidParameter): string {
  const got = pythonType(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  switch (expected) {
    case 'integer':
    case 'Int':
    case 'SafeInt':
      return 'A valid integer is required.';
    case 'number':
      return 'A valid number is required.';
    case 'boolean':
      return 'Must be a valid boolean.';
    case 'string':
      return 'Not a valid string.';
    case 'list':
      return `Expected a list of items but got type "${got}".`;
    case 'object':
      return `Invalid data. Expected a dictionary, but got ${got}.`;
    default:
      return 'Not a valid value.';
  }
}

/** The published sentences name types as the framework of the first clients does. */
function pythonType(type: string): string {
  const names: Record<string, string> = {
    array: 'list',
    object: 'dict',
    string: 'str',
    number: 'int',
    boolean: 'bool',
    null: 'NoneType',
  };
  return names[type] ?? type;
}

export const errorSchemas: Record<string, JsonSchema> = {
  Detail: {
    type: 'object',
    description: 'What went wrong: a sentence for people and a code for programs.',
    properties: { detail: { type: 'string' }, code: { type: 'string' } },
    required: ['detail'],
  },
  FieldErrors: {
    type: 'object',
    description: 'Sentences by field; what concerns no single field stands under `non_field_errors`.',
    additionalProperties: true,
  },
};

/** Which errors an operation can answer, for the documentation. */
export function errors(operation: Operation): Record<string, { description: string; schema: string }> {
  const inPath = pathParameterNames(operation.path);
  const detailed = (description: string) => ({ description, schema: 'Detail' });
  const found: Record<string, { description: string; schema: string }> = {};
  if (operation.parameters.some(one => !inPath.includes(one.name))) {
    found[400] = { description: 'A parameter is not valid.', schema: 'FieldErrors' };
  }
  found[401] = detailed('The credential is missing or not valid.');
  if (inPath.length > 0 || operation.parameters.some(one => one.name === 'page')) {
    found[404] = detailed('There is no such thing, or no such page.');
  }
  found[405] = detailed('The method is not served here.');
  found[406] = detailed('No offered media type is accepted.');
  if (bodyMethods.has(operation.method)) {
    found[413] = detailed('The body is too large.');
    found[415] = detailed('The body is not JSON.');
  }
  found[429] = detailed('Too many requests; `Retry-After` says when to try again.');
  found[500] = detailed('A defect of the server.');
  found[503] = detailed('The service is away for a moment.');
  return found;
}
