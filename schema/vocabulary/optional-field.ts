import { Field } from 'type-graphql';

/** Decorator of a nullable argument: `@Field` in one line. */
export const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });
