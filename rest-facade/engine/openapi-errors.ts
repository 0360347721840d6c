import type { Operation } from './operation.ts';
import type { DocumentedError, JsonSchema, Product } from './product.ts';

/** The errors of an operation by status. */
export function errorResponses(product: Product, operation: Operation): Record<string, JsonSchema> {
  const found = Object.entries(product.documentedErrors(operation));
  return Object.assign({}, ...found.map(([status, error]) => errorResponse(status, error)));
}

export function errorResponse(
  status: string | number,
  { description, schema }: DocumentedError,
): Record<string, JsonSchema> {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { [status]: { description, content } };
}

/** The header that makes a write conditional. */
export function ifMatchParameter({ etags }: Product): JsonSchema {
  const description =
    etags === 'of-body'
      ? 'ETag of `GET` for the same path, or a list of them: the request is refused unless one is current. `*`: unless the resource exists.'
      : '`*`: the request is refused unless the resource exists. No resource has an ETag, so that any other value is refused.';
  return { name: 'If-Match', in: 'header', required: false, description, schema: { type: 'string' } };
}
