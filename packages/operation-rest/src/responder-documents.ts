import type { JsonSchema } from './product.ts';

/** The OpenAPI responses of `text`, by status. */
export function textResponses(mediaType: string): Record<string, JsonSchema> {
  return { 200: { description: 'Success.', content: { [mediaType]: { schema: { type: 'string' } } } } };
}

/** The OpenAPI responses of `bytes`, by status: all of them, or the range that a request asks for (RFC 9110, section 14). */
export function bytesResponses(mediaType: string): Record<string, JsonSchema> {
  const content = { [mediaType]: { schema: { type: 'string', format: 'binary' } } };
  const headers = {
    'Content-Range': { description: 'The range, and the size of the whole.', schema: { type: 'string' } },
  };
  return { 200: { description: 'Success.', content }, 206: { description: 'The requested range.', headers, content } };
}
