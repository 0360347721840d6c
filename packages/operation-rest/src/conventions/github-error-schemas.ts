import { bodyMethods, type Operation } from '../operation.ts';
import type { DocumentedError, JsonSchema } from '../product.ts';
import { pathParameterNames } from '../route-table.ts';

// biome-ignore lint/plugin/word-tables: copied into the OpenAPI document
export const errorSchemas: Record<string, JsonSchema> = {
  BasicError: {
    type: 'object',
    properties: {
      message: { type: 'string' },
      errors: { type: 'string', description: 'For an unsupported version: the supported ones.' },
      documentation_url: { type: 'string' },
      url: { type: 'string' },
      status: { type: 'string' },
    },
    required: ['message'],
  },
  ValidationError: {
    type: 'object',
    description:
      'For a request that does not match the documented schema, `message` has one line per error; a request that breaks a rule has `errors`, or a message of its own.',
    properties: {
      message: { type: 'string' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            resource: { type: 'string' },
            field: { type: 'string' },
            code: { type: 'string' },
            message: { type: 'string' },
            index: { type: 'integer' },
            value: { type: ['string', 'integer', 'array', 'null'], items: { type: 'string' } },
          },
          required: ['code'],
        },
      },
      documentation_url: { type: 'string' },
      status: { type: 'string' },
    },
    required: ['message', 'documentation_url'],
  },
  ServiceUnavailable: {
    type: 'object',
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      documentation_url: { type: 'string' },
      status: { type: 'string' },
    },
  },
};

/** The errors of an operation for the OpenAPI document. */
export function documentedErrors(
  operation: Operation,
  retiredStatus = 410,
  conflictingReads?: RegExp,
): Record<string, DocumentedError> {
  const basic = (description: string) => ({ description, schema: 'BasicError' });
  const found: Record<string, DocumentedError> = {};
  const named = pathParameterNames(operation.path);
  const reads = !bodyMethods.has(operation.method);
  found[400] = basic(
    reads ? 'The version is not supported.' : 'The version is not supported, or the body no JSON object.',
  );
  found[401] = basic('Bad credentials.');
  found[403] = basic('Forbidden, or a rate limit is exceeded.');
  if (named.length > 0) found[404] = basic('Not found, or not to be seen with this credential.');
  if (reads && conflictingReads?.test(operation.path)) found[409] = basic('The repository is empty.');
  if (!reads) found[409] = basic('The request conflicts with the current state, or with a concurrent request.');
  found[415] = basic('`Accept` names no type that is served.');
  found[422] = { description: 'The input is not valid.', schema: 'ValidationError' };
  found[429] = basic('A rate limit is exceeded.');
  found[500] = basic('A defect of the server.');
  found[503] = { description: 'The service is away for a moment.', schema: 'ServiceUnavailable' };
  if (operation.retired)
    found[retiredStatus] = basic(
      'The endpoint was retired; `Deprecation` and `Sunset` say when. An installation may serve it again.',
    );
  return found;
}
