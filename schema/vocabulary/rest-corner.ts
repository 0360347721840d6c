import { Extensions } from 'type-graphql';

/** Extension of a field of the corner: the sentence that says why. */
export const restCorner = 'restCorner';

/**
 * Marks a field that is what it is because a REST contract published it before the graph, and that the graph has otherwise.
 * `/graphql` serves it; its description ends with the sentence.
 */
export function RestCorner(why: string): MethodDecorator & PropertyDecorator {
  return Extensions({ [restCorner]: why });
}
