import type { Failure, Problem } from '../engine/failure.ts';
import { bodyMethods, type Operation } from '../engine/operation.ts';
import type { ErrorAnswer, JsonSchema } from '../engine/product.ts';
import { pathNames } from '../engine/routes.ts';

/**
 * The published error JSON of the code hosting API, for a documentation at `docs`:
 * `message`, (`errors`), `documentation_url`, and `status` as a string, in this order.
 */
export function failAt(docs: string): (failure: Failure) => ErrorAnswer {
  const answer = (status: number, message: string, facts: Record<string, unknown> = {}): ErrorAnswer => ({
    status,
    body: { message, ...facts, documentation_url: `${docs}/rest`, status: String(status) },
  });
  return failure => {
    switch (failure.kind) {
      case 'not-found':
      // A wrong method on a known path is published as absence, not as 405.
      case 'method':
        return answer(404, 'Not Found');
      case 'not-acceptable':
        return answer(415, `Unsupported 'Accept' header: '${failure.accept}'. Must accept 'application/json'.`);
      case 'media-type':
      case 'malformed':
        return answer(400, 'Problems parsing JSON');
      case 'not-an-object':
        return answer(400, 'Body should be a JSON object');
      case 'too-large':
        return answer(413, `The body is larger than ${failure.limit} bytes.`);
      case 'problems':
        return answer(422, ['Invalid request.', '', ...failure.problems.map(line)].join('\n'));
      case 'graph':
        return graphFailure(failure, answer);
      case 'defect':
        return answer(500, 'Server Error');
    }
  };
}

/** A coded error may bring `errors` for the body, and `headers`. */
function graphFailure(
  { code, status, message, facts }: Extract<Failure, { kind: 'graph' }>,
  answer: (status: number, message: string, facts?: Record<string, unknown>) => ErrorAnswer,
): ErrorAnswer {
  const headers = (facts.headers ?? {}) as Record<string, string>;
  if (status === 401) {
    const general = code === 'UNAUTHENTICATED' ? 'Requires authentication' : 'Bad credentials';
    return { ...answer(401, facts.published === true ? message : general), headers };
  }
  if (code === 'NOT_FOUND') return { ...answer(404, 'Not Found'), headers };
  return { ...answer(status, message, facts.errors === undefined ? {} : { errors: facts.errors }), headers };
}

function line({ kind, path, value, choices, expected, message }: Problem): string {
  const name = path.map(String).join('/properties/');
  const shown =
    value === null || value === undefined ? 'nil' : typeof value === 'string' ? value : JSON.stringify(value);
  switch (kind) {
    case 'required':
      return `"${path.at(-1)}" wasn't supplied.`;
    case 'choice':
      return `${shown} is not a member of ${JSON.stringify(choices)}.`;
    case 'range':
      return `${shown} must be less than or equal to ${Number.MAX_SAFE_INTEGER}.`;
    case 'nul':
      return `For 'properties/${name}', a text cannot hold a null character.`;
    case 'value':
      return `For 'properties/${name}', ${message ?? 'the value is not valid.'}`;
    case 'null':
    case 'type':
      return `For 'properties/${name}', ${shown} is not ${article(expected)}.`;
  }
}

function article(expected: string): string {
  const name = expected === 'list' ? 'array' : expected;
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}

export const errorSchemas: Record<string, JsonSchema> = {
  BasicError: {
    type: 'object',
    properties: {
      message: { type: 'string' },
      documentation_url: { type: 'string' },
      url: { type: 'string' },
      status: { type: 'string' },
    },
    required: ['message'],
  },
};

/** Which errors an operation can answer, for the documentation. */
export function errors(operation: Operation): Record<string, { description: string; schema: string }> {
  const basic = (description: string) => ({ description, schema: 'BasicError' });
  const found: Record<string, { description: string; schema: string }> = { 401: basic('Bad credentials.') };
  found[403] = basic('Forbidden, or a rate limit is exceeded.');
  if (pathNames(operation.path).length > 0) found[404] = basic('Not found, or not to be seen with this credential.');
  if (bodyMethods.has(operation.method)) {
    found[400] = basic('The body is no JSON object.');
    found[422] = basic('The input is not valid.');
  }
  found[429] = basic('A rate limit is exceeded.');
  found[500] = basic('A defect of the server.');
  found[503] = basic('The service is away for a moment.');
  return found;
}
