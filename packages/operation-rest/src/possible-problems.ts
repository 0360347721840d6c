import { isDeepStrictEqual } from 'node:util';
import { isNonNullType } from 'graphql';
import type { Endpoint } from './endpoint.ts';
import { bodyMethods, type Operation } from './operation.ts';
import type { Problem } from './problem.ts';
import type { DocumentedError, ErrorResponse, Product } from './product.ts';
import { conditionalMethods } from './write-preconditions.ts';

/** A problem that the engine may answer a request with, and its description in the OpenAPI document. */
interface PossibleProblem {
  problem: Problem;
  description: string;
}

/**
 * The problems that the engine itself may answer the requests of an endpoint with. Those of resolvers and hooks are the product's to
 * document.
 * @param isConditional whether `If-Match` is checked
 */
function possibleProblems(product: Product, { operation, plan }: Endpoint, isConditional: boolean): PossibleProblem[] {
  const { parameters, pathParameters, method, maxBodyBytes, retired } = operation;
  const takesBody = bodyMethods.has(method);
  const isList = plan.page !== undefined;
  const inQuery = parameters.filter(one => !pathParameters.includes(one.name));
  const refused = product.negotiate('text/x-unknown; q=0.1');
  const isPublished = (when: boolean, problem: Problem, description: string): PossibleProblem[] =>
    when ? [{ problem, description }] : [];
  return [
    ...isPublished(
      pathParameters.length > 0 || mayBeAbsent(operation, plan) || (isList && product.paging.badPage === 'not-found'),
      { kind: 'not-found', reason: 'absent' },
      'Not found.',
    ),
    ...isPublished(
      inQuery.length > 0,
      { kind: 'invalid-parameters', invalid: [{ path: ['x'], in: 'query', kind: 'required', expected: 'string' }] },
      'A parameter is not valid.',
    ),
    ...isPublished(takesBody, { kind: 'no-body' }, 'The body is not a JSON object.'),
    ...isPublished(
      takesBody,
      { kind: 'malformed', format: 'JSON', reason: { is: 'encoding' } },
      'The body cannot be parsed.',
    ),
    ...isPublished(takesBody, { kind: 'too-large', maxBytes: maxBodyBytes }, 'The body is too large.'),
    ...isPublished(
      takesBody && product.contentType === 'json-or-form',
      { kind: 'media-type', type: 'text/x-unknown' },
      'The body is of a media type that is not read.',
    ),
    ...isPublished(isList, { kind: 'query-too-long', maxLength: 1 }, 'The query string is too long.'),
    ...isPublished(
      plan.page?.maxEntries !== undefined,
      { kind: 'too-far' },
      'The page is beyond those that can be reached.',
    ),
    ...isPublished(
      product.versions !== undefined,
      { kind: 'header', name: product.versions?.header ?? '', reason: 'unsupported', value: '' },
      'The version is not supported.',
    ),
    ...isPublished(
      product.userAgent === 'required',
      { kind: 'header', name: 'User-Agent', reason: 'missing', value: '' },
      'The header `User-Agent` is missing.',
    ),
    ...isPublished(
      product.etags === 'of-body' && method === 'GET',
      { kind: 'header', name: 'If-Modified-Since', reason: 'unreadable', value: '' },
      'The date of `If-Modified-Since` cannot be read.',
    ),
    ...isPublished(
      isConditional && conditionalMethods.has(method),
      { kind: 'precondition', name: 'If-Match' },
      'The condition of `If-Match` is not met.',
    ),
    ...(['malformed', 'in-flight', 'reused'] as const).flatMap(reason =>
      isPublished(
        takesBody && product.idempotencyKeys === true,
        { kind: 'idempotency-key', reason },
        reason === 'in-flight'
          ? 'The first request with the `Idempotency-Key` still runs.'
          : 'The `Idempotency-Key` cannot be used.',
      ),
    ),
    ...isPublished(sendsRanges(product, plan), { kind: 'range', size: 1 }, '`Range` selects no byte.'),
    ...(refused && 'kind' in refused
      ? [{ problem: refused, description: 'No media type of `Accept` is served.' }]
      : []),
    ...(retired
      ? [{ problem: { kind: 'retired' as const, ...retired }, description: 'The endpoint is retired.' }]
      : []),
    { problem: { kind: 'defect' }, description: 'A defect of the server.' },
  ];
}

/** Whether a read may find nothing: null at `@body`, or `@found`. Of a write, null at a nullable body is the consequence of an error. */
function mayBeAbsent({ kind }: Operation, { bodyType, bodyNullable, nullStatus, found }: Endpoint['plan']): boolean {
  if (found.length > 0) return true;
  const isAnswered = bodyNullable || nullStatus !== undefined;
  return kind === 'query' && bodyType !== undefined && !isNonNullType(bodyType) && !isAnswered;
}

/** Whether an outcome is sent as bytes, of which a client may ask for a range. */
function sendsRanges({ responders }: Product, { outcome, statuses }: Endpoint['plan']): boolean {
  const types = typeof outcome === 'object' ? [outcome.known] : [...statuses.keys()];
  return types.some(type => 206 in (responders[type]?.responses ?? {}));
}

/** Problems whose body repeats what was sent, which `possibleProblems` makes up. */
const namesValue: ReadonlySet<string> = new Set(['invalid-parameters', 'query-too-long', 'range', 'retired']);

const exampleName = (problem: Problem): string =>
  problem.kind === 'header' || problem.kind === 'precondition' ? `${problem.kind} ${problem.name}` : problem.kind;

/** An example of a media type of JSON is a value, also where the product has formatted it as text. */
const exampleValue = ({ body, type }: ErrorResponse): unknown =>
  type !== undefined && /[/+]json\b/.test(type) ? JSON.parse(String(body)) : body;

/** The errors of the engine in the OpenAPI document, by the status that the product answers them with. */
export function engineErrors(
  product: Product,
  endpoint: Endpoint,
  isConditional: boolean,
): Record<string, DocumentedError> {
  const errors: Record<string, DocumentedError> = {};
  for (const { problem, description } of possibleProblems(product, endpoint, isConditional)) {
    const response = product.formatProblem(problem, { origin: '', operation: endpoint.operation });
    const { status, body } = response;
    const known = errors[status] ?? { description, schema: product.errorSchema };
    // A body that says of which operation it is, or of which value, is an example for that one alone.
    const isCommon = isDeepStrictEqual(body, product.formatProblem(problem, { origin: '' }).body);
    const isExample = isCommon && !namesValue.has(problem.kind);
    const value = exampleValue(response);
    errors[status] = isExample ? { ...known, examples: { ...known.examples, [exampleName(problem)]: value } } : known;
  }
  return errors;
}
