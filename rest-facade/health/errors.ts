import {
  bodyMethods,
  type DocumentedError,
  type ErrorResponse,
  type InvalidParameter,
  idempotencyErrors,
  type JsonSchema,
  type Operation,
  type Problem,
  pathParameterNames,
  printableText,
} from 'operation-rest';

/** The published error JSON of the health API: `{detail, code}`, or for invalid fields a map from field to messages. */
export function formatProblem(problem: Problem): ErrorResponse {
  switch (problem.kind) {
    case 'not-found':
      return problem.reason === 'page'
        ? detailResponse(404, 'Invalid page.', 'not_found')
        : detailResponse(404, 'Not found.', 'not_found');
    case 'precondition':
      return detailResponse(412, `The condition of ${problem.name} is not met.`, 'precondition_failed');
    // No operation of this contract refuses them.
    case 'invalid-path':
    case 'retired':
      return detailResponse(410, 'Gone.', 'gone');
    case 'method':
      return detailResponse(405, `Method "${printable(problem.method)}" not allowed.`, 'method_not_allowed');
    case 'not-acceptable':
      return detailResponse(406, 'Could not satisfy the request Accept header.', 'not_acceptable');
    case 'media-type':
      return detailResponse(
        415,
        `Unsupported media type "${printable(problem.type)}" in request.`,
        'unsupported_media_type',
      );
    case 'header':
      return detailResponse(400, `The header ${problem.name} is ${problem.reason}.`, 'bad_header');
    case 'conflict':
      return { status: 400, body: { non_field_errors: [problem.message] } };
    case 'idempotency-key': {
      const [status, message] = idempotencyErrors[problem.reason];
      const answer = detailResponse(status, message, `idempotency_key_${problem.reason.replace('-', '_')}`);
      return problem.reason === 'in-flight' ? { ...answer, headers: { 'Retry-After': '1' } } : answer;
    }
    case 'too-far':
      return detailResponse(404, 'Invalid page.', 'not_found');
    case 'range':
      return detailResponse(416, 'Nothing is in this range.', 'range_not_satisfiable');
    case 'too-large':
      return detailResponse(413, `The body is larger than ${problem.maxBytes} bytes.`, 'too_large');
    case 'query-too-long': {
      const message = `The query string of a list may hold ${problem.maxLength} characters.`;
      return detailResponse(414, message, 'uri_too_long');
    }
    case 'malformed':
      return detailResponse(
        400,
        `${problem.format} parse error - ${printable(malformedMessage(problem))}`,
        'parse_error',
      );
    case 'not-an-object':
      return {
        status: 400,
        body: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${pythonType(problem.type)}.`] },
      };
    case 'no-body':
      return { status: 400, body: { non_field_errors: ['No data provided'] } };
    case 'invalid-parameters':
      return { status: 400, body: groupByField(problem.invalid, parameterSentence) };
    case 'graph':
      return formatCodedError(problem);
    case 'defect':
      return detailResponse(500, 'A server error occurred.', 'error');
  }
}

function formatCodedError({ code, status, message, inputs, data }: Extract<Problem, { kind: 'graph' }>): ErrorResponse {
  if (code === 'NOT_FOUND') return detailResponse(404, 'Not found.', 'not_found');
  if (code === 'BAD_USER_INPUT' && inputs) {
    const named = inputs.map(one => (one.path.length > 0 ? one : { ...one, path: ['non_field_errors'] }));
    return { status: 400, body: groupByField(named, one => one.message) };
  }
  if (status === 401) {
    const challenge = { 'WWW-Authenticate': 'Bearer realm="api"' };
    const reason = typeof data.reason === 'string' ? data.reason : 'not_authenticated';
    const body = {
      detail: message,
      code: reason,
      ...(data.messages === undefined ? {} : { messages: data.messages }),
    };
    return { status, headers: challenge, body };
  }
  if (status === 429) {
    return { ...detailResponse(429, message, 'throttled'), headers: { 'Retry-After': String(data.retryAfter ?? 60) } };
  }
  if (code === 'SERVICE_UNAVAILABLE')
    return { ...detailResponse(503, message, 'service_unavailable'), headers: { 'Retry-After': '5' } };
  return detailResponse(status, message, typeof data.reason === 'string' ? data.reason : code.toLowerCase());
}

function detailResponse(status: number, text: string, code: string): ErrorResponse {
  return { status, body: { detail: text, code } };
}

function malformedMessage({ format, reason }: Extract<Problem, { kind: 'malformed' }>): string {
  switch (reason.is) {
    case 'encoding':
      return format === 'Query' ? 'A parameter is not valid UTF-8.' : 'The body is not valid UTF-8.';
    case 'depth':
      return `The body is nested more than ${reason.max} levels deep.`;
    case 'members':
      return `The body has more than ${reason.max} members and items.`;
    case 'repeated-key':
      return 'An object has a key twice.';
    case 'parts':
      return `A form has ${reason.max} parts at most.`;
    case 'syntax':
      return reason.message;
  }
}

const printable = (text: string): string => printableText(text, 100);

type FieldErrors = { [field: string]: string[] | FieldErrors | (FieldErrors | string[])[] };

/** Messages by field, nested like the input: objects in objects, list items by index. */
function groupByField<T extends { path: readonly (string | number)[] }>(
  invalid: readonly T[],
  sentenceOf: (one: T) => string,
): FieldErrors {
  const map: FieldErrors = Object.create(null);
  for (const one of invalid) {
    let at: FieldErrors = map;
    const [...way] = one.path;
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
    at[last] = [...(Array.isArray(before) ? (before as string[]) : []), sentenceOf(one)];
  }
  return map;
}

function parameterSentence(invalid: InvalidParameter): string {
  const shown = printable(typeof invalid.value === 'string' ? invalid.value : (JSON.stringify(invalid.value) ?? ''));
  switch (invalid.kind) {
    case 'required':
      return 'This field is required.';
    case 'null':
      return 'This field may not be null.';
    case 'nul':
      return 'Null characters are not allowed.';
    case 'range':
      return 'Ensure this value is within the range of whole numbers.';
    case 'choice':
      return invalid.in === 'query'
        ? `Select a valid choice. ${shown} is not one of the available choices.`
        : `"${shown}" is not a valid choice.`;
    case 'union':
      return 'Not a valid value.';
    case 'surrogate':
      return 'The text is not valid Unicode.';
    case 'value':
      return invalid.message ?? 'Not a valid value.';
    case 'type':
      return typeSentence(invalid);
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

/** The published messages name types as Django REST Framework does. */
function pythonType(type: string): string {
  const names: ReadonlyMap<string, string> = new Map([
    ['array', 'list'],
    ['object', 'dict'],
    ['string', 'str'],
    ['number', 'int'],
    ['boolean', 'bool'],
    ['null', 'NoneType'],
  ]);
  return names.get(type) ?? type;
}

/** Messages about one field, or about the fields or items in it. */
const messages: JsonSchema = {
  anyOf: [
    { type: 'array', items: { type: 'string' } },
    { type: 'array', items: { type: ['object', 'array'] } },
    { type: 'object', additionalProperties: true },
  ],
};

/** Of an access token that is not valid. */
const tokenMessages: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { token_class: { type: 'string' }, token_type: { type: 'string' }, message: { type: 'string' } },
    required: ['token_class', 'token_type', 'message'],
  },
};

export const errorSchemas: Record<string, JsonSchema> = {
  Detail: {
    type: 'object',
    description: 'What went wrong: a message for people and a code for programs.',
    properties: { detail: { type: 'string' }, code: { type: 'string' }, messages: tokenMessages },
    required: ['detail'],
  },
  FieldErrors: {
    type: 'object',
    description:
      'Messages by field; those about no single field are under `non_field_errors`. A body that cannot be parsed has `detail` and `code` instead.',
    properties: { detail: { type: 'string' }, code: { type: 'string' } },
    additionalProperties: messages,
    examples: [
      { email: ['This field is required.'], first_name: ['This field may not be blank.'] },
      { severity: ['Ensure this value is less than or equal to 10.'] },
      { non_field_errors: ['Provide at least one measurement.'] },
    ],
  },
};

/** The body of an error of the graph. */
const bodyOf = (code: string, status: number, message: string, data: Record<string, unknown> = {}): unknown =>
  formatProblem({ kind: 'graph', code, status, message, data }).body;

const examples = {
  401: {
    'no credential': bodyOf('UNAUTHENTICATED', 401, 'Authentication credentials were not provided.'),
    'an access token that is not valid': bodyOf('UNAUTHENTICATED', 401, 'Given token not valid for any token type', {
      reason: 'token_not_valid',
      messages: [{ token_class: 'AccessToken', token_type: 'access', message: 'Token is invalid' }],
    }),
  },
  403: {
    'a guest account': bodyOf('FORBIDDEN', 403, 'A verified account is required for this action.', {
      reason: 'not_verified',
    }),
  },
  404: { 'nothing of this id': formatProblem({ kind: 'not-found', reason: 'absent' }).body },
  429: { throttled: bodyOf('THROTTLED', 429, 'Request was throttled. Expected available in 17 seconds.') },
  503: {
    busy: bodyOf('SERVICE_UNAVAILABLE', 503, 'The service is unavailable for a moment. Try again.'),
  },
};

/** The errors of an operation for the OpenAPI document. */
export function documentedErrors(operation: Operation, scopes: ReadonlySet<string>): Record<string, DocumentedError> {
  const inPath = pathParameterNames(operation.path);
  const detailed = (description: string) => ({ description, schema: 'Detail' });
  const found: Record<string, DocumentedError> = {};
  if (bodyMethods.has(operation.method) || operation.parameters.some(one => !inPath.includes(one.name))) {
    found[400] = { description: 'A parameter is not valid.', schema: 'FieldErrors' };
  }
  found[401] = { ...detailed('The credential is missing or not valid.'), examples: examples[401] };
  if (scopes.has('verified') || scopes.has('companion'))
    found[403] = {
      ...detailed('The account is not verified, or the action is not allowed to it.'),
      examples: examples[403],
    };
  if (inPath.length > 0 || operation.parameters.some(one => one.name === 'page')) {
    found[404] = { ...detailed('There is no such thing, or no such page.'), examples: examples[404] };
  }
  found[405] = detailed('The method is not served here; `Allow` has those that are.');
  found[406] = detailed('No offered media type is accepted.');
  if (bodyMethods.has(operation.method)) {
    found[413] = detailed('The body is too large.');
    found[415] = detailed('The body is not JSON.');
  }
  found[429] = { ...detailed('Too many requests; `Retry-After` says when to try again.'), examples: examples[429] };
  found[500] = detailed('A defect of the server.');
  found[503] = { ...detailed('The service is away for a moment.'), examples: examples[503] };
  return found;
}
