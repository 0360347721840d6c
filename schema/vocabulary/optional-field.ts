import { Field } from 'type-graphql';

/** Nullable field of an input or of arguments: `@Field` in one line. */
export const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });
