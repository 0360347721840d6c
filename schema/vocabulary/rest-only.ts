import { Extensions } from 'type-graphql';

/** Extension of a field that only operation files may select. */
export const restOnlyField = 'restOnly';

/**
 * Keeps a field out of the public graph: only operation files of the REST contracts may select it. For what a contract needs and
 * a caller of the graph does not: constants, spellings and URLs of the wire, flat look-ups.
 */
export function RestOnly(): MethodDecorator & PropertyDecorator {
  return Extensions({ [restOnlyField]: true });
}
