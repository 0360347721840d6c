import { Extensions } from 'type-graphql';

/** Leaves a field, or a type, out of the public graph: only operation files of the REST contracts select it. */
export function RestOnly(): MethodDecorator & PropertyDecorator {
  return Extensions({ restOnly: true });
}
