import type { Operation } from '../operation.ts';

/**
 * The answer to OPTIONS as Django REST Framework's `SimpleMetadata`: name and description of the first operation of a path, and the
 * media types that are sent and read.
 */
export function simpleMetadata(operation: Operation | undefined): Record<string, unknown> {
  return {
    name: operation?.summary ?? '',
    description: operation?.description ?? '',
    renders: ['application/json'],
    parses: ['application/json'],
  };
}
