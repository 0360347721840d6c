import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import type { ErrorCode } from './codes.ts';

/**
 * Defines an error that a caller may see: a code for programs, an HTTP status and a default message. Each REST contract formats it
 * (`rest-facade/<product>/errors.ts`). Any other error is a defect: it is logged with the request id and answered with 500 without
 * detail.
 */
function errorFactory(code: ErrorCode, status: number, message: string) {
  return (facts: GraphQLErrorExtensions = {}, text: string = message): GraphQLError =>
    new GraphQLError(text, { extensions: { ...facts, code, http: { status } } });
}

/** The object does not exist or is not visible to the caller, who cannot distinguish the two. */
export const notFound = errorFactory('NOT_FOUND', 404, 'Not found.');

/** 404 with a published message of its own. Use `notFound` where the contract publishes none. */
export const absent = errorFactory('ABSENT', 404, 'Not found.');

/** One problem of an input, in the spelling of the graph. REST publishes it under the name of the parameter. */
export interface InputProblem {
  /** Name of an argument or of a field of the argument `input`, then the way into its value; empty for the input as a whole. */
  path: readonly (string | number)[];
  code: 'INVALID';
  message: string;
  /** Arguments that the message names, each as a word that means nothing else there. REST publishes the names of the parameters. */
  named?: readonly string[];
  /** The resource that the code hosting contract publishes with the problem. */
  resource?: string;
}

/** The name in `invalidInput` for problems that concern no single argument. */
export const wholeInput = '';

/** `problems`: name of an argument or input field → messages. */
export const invalidInput = (problems: Record<string, string[]>): GraphQLError => {
  const list = Object.entries(problems).flatMap(([name, messages]) =>
    messages.map((message): InputProblem => ({ path: name === wholeInput ? [] : [name], code: 'INVALID', message })),
  );
  return invalidInputs(list);
};

export const invalidInputs = (problems: readonly InputProblem[]): GraphQLError =>
  errorFactory(
    'BAD_USER_INPUT',
    400,
    'The input is not valid.',
  )({ problems }, problems.map(({ message }) => message).join(' '));

/** An argument that no value of its type makes valid alone: a size out of range, a foreign cursor, an id of another type. */
export const badInput = (message: string, field: string): GraphQLError =>
  errorFactory('BAD_USER_INPUT', 400, message)({ field });

/** `reason` in the extensions says what is wrong with the credential, such as `token_not_valid`. */
export const badCredential = errorFactory('BAD_CREDENTIAL', 401, 'The credential is not valid.');

/** The field needs an authenticated caller. */
export const unauthenticated = errorFactory('UNAUTHENTICATED', 401, 'Authentication credentials were not provided.');

/**
 * The credential is valid and belongs to the other product. Only `/graphql` accepts credentials of both.
 * @param product the one that the field belongs to
 */
export const wrongProduct = (product: 'health' | 'hosting'): GraphQLError =>
  unauthenticated(
    { reason: 'wrong_product' },
    product === 'health'
      ? 'The credential belongs to code hosting; this field needs a session of the health product.'
      : 'The credential is a session of the health product; this field needs a credential of code hosting.',
  );

/** The caller is authenticated and lacks the permission. */
export const forbidden = errorFactory('FORBIDDEN', 403, 'You do not have permission to perform this action.');

/** The request conflicts with the current state or with a concurrent request. */
export const conflict = errorFactory('CONFLICT', 409, 'Conflict');

/** One entry of the published `errors` list of a 422 response. Clients match `code`; `custom` has a message. */
export interface ValidationEntry {
  resource?: string;
  field?: string;
  code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom' | 'too_large';
  message?: string;
  index?: number;
  value?: string | number | readonly string[] | null;
}

/** A well-formed input that violates a rule of the code hosting API: 422 with all entries. */
export const validationFailed = (entries: readonly ValidationEntry[], message = 'Validation Failed'): GraphQLError =>
  errorFactory('RULE_BROKEN', 422, message)(entries.length > 0 ? { errors: entries } : {});

/** The large values of one response exceed `LargeValues`. A request for fewer of them succeeds. */
export const responseTooLarge = (maxBytes: number): GraphQLError =>
  errorFactory(
    'ANSWER_TOO_LARGE',
    422,
    'Too large',
  )(
    {},
    `The large values of this answer have more than ${maxBytes / 1024 / 1024} MB together. Ask for fewer of them in one request, or for a large one by its REST path.`,
  );

/** The work over the data of users exceeds the budget of the request. Less of it may succeed: a shorter range, a smaller tree. */
export const workLimitExceeded = errorFactory(
  'WORK_LIMIT_EXCEEDED',
  422,
  'The request needs more work than one request may use.',
);

/** The resource has no form of the requested media type. */
export const unsupportedMediaType = errorFactory('UNSUPPORTED_MEDIA_TYPE', 415, 'The media type is not supported.');

/** The resource cannot be sent in the requested media type; another one may succeed. */
export const notAcceptable = errorFactory('NOT_ACCEPTABLE', 406, 'The media type is not available.');

/** The resource was removed on purpose; `facts.headers` may say since when. */
export const gone = errorFactory('GONE', 410, 'This is no longer available.');

/** A program that the request needs is not installed. A retry does not help. */
export const programMissing = errorFactory('PROGRAM_MISSING', 503, 'A program that this needs is not installed.');

/** The database is unreachable, overloaded or too slow. Every contract sends `Retry-After`. */
export const serviceUnavailable = errorFactory(
  'SERVICE_UNAVAILABLE',
  503,
  'The service is unavailable for a moment. Try again.',
);

/** `Retry-After` of `serviceUnavailable`, in seconds, for responses outside of the contracts. */
export const retryAfterSeconds = '5';
