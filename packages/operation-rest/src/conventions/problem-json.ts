import { idempotencyErrors } from '../idempotency-errors.ts';
import { printableText } from '../printable-text.ts';
import type { InvalidParameter, Problem } from '../problem.ts';
import type { ErrorFormat, ErrorResponse, HeaderFields } from '../product.ts';

export interface ProblemJsonOptions {
  /** URL below which each `type` is a page, such as https://example.org/problems; without it `type` is `about:blank`. */
  types?: string;
}

/**
 * Errors as `application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail`, and `errors` with `detail` and `pointer`
 * (RFC 6901) for refused inputs. A coded GraphQL error sends its `code`, and its message as `detail`.
 */
export function problemJson({ types }: ProblemJsonOptions = {}): ErrorFormat {
  const typeOf = (title: string): string =>
    types === undefined ? 'about:blank' : `${types}/${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  return {
    errorType: 'application/problem+json',
    formatProblem(problem) {
      const { status, title, detail, members, headers } = describe(problem);
      const body = { type: typeOf(title), title, status, ...(detail === undefined ? {} : { detail }), ...members };
      const answer: ErrorResponse = { status, body: JSON.stringify(body), type: 'application/problem+json' };
      return headers ? { ...answer, headers } : answer;
    },
    // Which errors resolvers have is not known here.
    documentedErrors: () => ({}),
    errorSchema: 'Problem',
    errorSchemas: {
      Problem: {
        type: 'object',
        description: 'RFC 9457.',
        properties: {
          type: { type: 'string', format: 'uri-reference' },
          title: { type: 'string' },
          status: { type: 'integer' },
          detail: { type: 'string' },
          code: { type: 'string', description: 'Code of the error, for programs.' },
          errors: {
            type: 'array',
            items: {
              type: 'object',
              properties: { detail: { type: 'string' }, pointer: { type: 'string', format: 'json-pointer' } },
              required: ['detail', 'pointer'],
            },
          },
        },
        required: ['type', 'title', 'status'],
      },
    },
  };
}

interface Description {
  status: number;
  title: string;
  detail?: string;
  members?: Record<string, unknown>;
  headers?: HeaderFields;
}

function describe(problem: Problem): Description {
  switch (problem.kind) {
    case 'not-found':
      return { status: 404, title: 'Not Found' };
    case 'method':
      return { status: 405, title: 'Method Not Allowed', detail: `Allowed are ${problem.allow.join(', ')}.` };
    case 'header':
      return { status: 400, title: 'Bad Request', detail: `The header ${problem.name} is ${problem.reason}.` };
    case 'precondition':
      return { status: 412, title: 'Precondition Failed', detail: `The condition of ${problem.name} is not met.` };
    case 'idempotency-key': {
      const [status, detail] = idempotencyErrors[problem.reason];
      return {
        status,
        title: titles[status] ?? 'Error',
        detail,
        ...(problem.reason === 'in-flight' ? { headers: { 'Retry-After': '1' } } : {}),
      };
    }
    case 'invalid-path':
      return { status: 400, title: 'Bad Request', detail: `The path parameter ${problem.name} is not valid.` };
    case 'retired':
      return { status: 410, title: 'Gone', detail: `The endpoint was retired at ${problem.retiredAt.toISOString()}.` };
    case 'too-far':
      return { status: 404, title: 'Not Found', detail: 'The page is beyond those that can be reached.' };
    case 'range':
      return {
        status: 416,
        title: 'Range Not Satisfiable',
        headers: { 'Content-Range': `bytes */${problem.size}` },
      };
    case 'not-acceptable':
      return { status: 406, title: 'Not Acceptable', detail: 'No media type of Accept is served.' };
    case 'media-type':
      return { status: 415, title: 'Unsupported Media Type', detail: `“${printable(problem.type)}” is not read.` };
    case 'too-large':
      return { status: 413, title: 'Content Too Large', detail: `The maximum is ${problem.maxBytes} bytes.` };
    case 'query-too-long':
      return { status: 414, title: 'URI Too Long', detail: `The maximum is ${problem.maxLength} characters of query.` };
    case 'malformed':
      return { status: 400, title: 'Bad Request', detail: `${problem.format} is malformed${reasonOf(problem)}.` };
    case 'not-an-object':
      return { status: 400, title: 'Bad Request', detail: `The body must be a JSON object, not ${problem.type}.` };
    case 'no-body':
      return { status: 400, title: 'Bad Request', detail: 'A body is required.' };
    case 'invalid-parameters':
      return { status: 400, title: 'Invalid Parameters', members: { errors: problem.invalid.map(entryOf) } };
    case 'conflict':
      return { status: 400, title: 'Invalid Parameters', detail: problem.message };
    case 'graph': {
      const { status, code, message, inputs, data } = problem;
      const errors = inputs?.map(one => ({ detail: one.message, pointer: pointerOf(one.path) }));
      return {
        status,
        title: titles[status] ?? 'Error',
        detail: message,
        members: { code, ...(errors ? { errors } : {}) },
        headers: (data.headers ?? {}) as HeaderFields,
      };
    }
    case 'defect':
      return { status: 500, title: 'Internal Server Error' };
  }
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

function reasonOf({ reason }: Extract<Problem, { kind: 'malformed' }>): string {
  if (reason.is === 'encoding') return ': it is not UTF-8';
  if (reason.is === 'repeated-key') return ': an object has a key twice';
  return reason.is === 'syntax' ? `: ${printable(reason.message)}` : `: more than ${reason.max} ${reason.is}`;
}

function entryOf(invalid: InvalidParameter): { detail: string; pointer: string } {
  return { detail: sentenceOf(invalid), pointer: pointerOf(invalid.path) };
}

function sentenceOf({ kind, expected, choices = [], limit, message }: InvalidParameter): string {
  switch (kind) {
    case 'required':
      return 'A value is required.';
    case 'null':
      return 'The value must not be null.';
    case 'type':
      return `The value must be of the type ${expected}.`;
    case 'choice':
      return `The value must be one of ${choices.join(', ')}.`;
    case 'range':
      return limit && 'min' in limit ? `The minimum is ${limit.min}.` : `The maximum is ${limit?.max}.`;
    case 'union':
      return `The value must be of one of the types ${choices.join(', ')}.`;
    case 'nul':
      return 'The text must not have a null character.';
    case 'surrogate':
      return 'The text must be valid Unicode.';
    case 'value':
      return message ?? `The value is no valid ${expected}.`;
  }
}

/** RFC 6901. */
function pointerOf(path: readonly (string | number)[]): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const printable = (text: string): string => printableText(text, 200);
