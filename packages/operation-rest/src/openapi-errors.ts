import type { Operation } from './operation.ts';
import type { DocumentedError, JsonSchema, Product } from './product.ts';

/** The errors of an operation by status. */
export function errorResponses(product: Product, operation: Operation): Record<string, JsonSchema> {
  const found = Object.entries(product.documentedErrors(operation));
  return Object.assign({}, ...found.map(([status, error]) => errorResponse(status, error, product.errorType)));
}

export function errorResponse(
  status: string | number,
  { description, schema }: DocumentedError,
  mediaType = 'application/json',
): Record<string, JsonSchema> {
  const content = { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { [status]: { description, content } };
}
