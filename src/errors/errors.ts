import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';

/**
 * Every failure the product means to tell a caller. A code for programs, a status decided at birth, a message for people;
 * each contract turns them into its own JSON at the very end (`rest-facade/<product>/errors.ts`).
 * Anything thrown that is not made here is a defect: it is logged with the request's id and answered as 500 without detail.
 */
function errorFactory(code: string, status: number, message: string) {
  return (facts: GraphQLErrorExtensions = {}, text: string = message): GraphQLError =>
    new GraphQLError(text, { extensions: { ...facts, code, http: { status } } });
}

/** What was asked for does not exist, or not for this caller: the two are never told apart. */
export const notFound = errorFactory('NOT_FOUND', 404, 'Not found.');

/** Absent in words of its own, which the contract publishes. Where nothing is published it is `notFound`. */
export const absent = errorFactory('ABSENT', 404, 'Not found.');

/** `problems`: field name → sentences. */
export const invalidInput = (problems: Record<string, string[]>): GraphQLError =>
  errorFactory(
    'BAD_USER_INPUT',
    400,
    'The input is not valid.',
  )({ problems }, Object.values(problems).flat().join(' '));

/** `reason` is one of the credential's own failures, such as `token_not_valid`. */
export const badCredential = errorFactory('BAD_CREDENTIAL', 401, 'The credential is not valid.');

/** Nobody is known to ask, and the field needs somebody. */
export const unauthenticated = errorFactory('UNAUTHENTICATED', 401, 'Authentication credentials were not provided.');

/** The caller is known and may not. */
export const forbidden = errorFactory('FORBIDDEN', 403, 'You do not have permission to perform this action.');

/** It does not go together with what is there, or with what others are doing right now. */
export const conflict = errorFactory('CONFLICT', 409, 'Conflict');

/** One entry of the published list of what breaks a rule. `code`: what clients match on; `custom` has a message. */
export interface ValidationEntry {
  resource?: string;
  field?: string;
  code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom' | 'too_large';
  message?: string;
  index?: number;
  value?: string | number | readonly string[] | null;
}

/**
 * An input of the right shape that breaks a rule of the code hosting API: 422 with the entries, or with their sentences
 * where an endpoint publishes a list of those. Of several wrong things all are told at once.
 */
export const validationFailed = (
  entries: readonly (ValidationEntry | string)[],
  message = 'Validation Failed',
): GraphQLError => errorFactory('RULE_BROKEN', 422, message)(entries.length > 0 ? { errors: entries } : {});

/** The large values of one request exceed `LargeValues`. Asking for fewer of them at a time helps. */
export const responseTooLarge = (maxBytes: number): GraphQLError =>
  errorFactory(
    'ANSWER_TOO_LARGE',
    422,
    'Too large',
  )(
    {},
    `The large values of this answer have more than ${maxBytes / 1024 / 1024} MB together. Ask for fewer of them in one request, or for a large one by its REST path.`,
  );

/** It was there and is not any more, on purpose; `facts.headers` may say since when. */
export const gone = errorFactory('GONE', 410, 'This is no longer available.');

/** A program that the work needs is not on this machine. Trying again in a moment does not help. */
export const programMissing = errorFactory('PROGRAM_MISSING', 503, 'A program that this needs is not installed.');

/** A request that cannot be understood as it stands, beyond what its shape shows. */
export const badRequest = errorFactory('BAD_REQUEST', 400, 'Bad Request');

/** The database is away, has too much to do or did not answer in time. Every contract answers with `Retry-After`. */
export const serviceUnavailable = errorFactory(
  'SERVICE_UNAVAILABLE',
  503,
  'The service is unavailable for a moment. Try again.',
);

/** `Retry-After` of `unavailable`, where no product says it in words of its own. */
export const retryAfterSeconds = '5';
