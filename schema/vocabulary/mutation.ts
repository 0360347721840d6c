import { Arg, Field, ObjectType } from 'type-graphql';
import { RestOnly } from './rest-only.ts';

/** The only argument of a mutation. */
export const InputArg = (type: () => new () => object): ParameterDecorator =>
  Arg('input', type, { description: 'Input of the mutation.' }) as ParameterDecorator;

/** Fields of a payload: type and description. All are nullable, so that a failure of one leaves the others. */
export type PayloadFields = Readonly<
  Record<string, readonly [type: () => object, description: string, options?: { restOnly: true }]>
>;

/**
 * Declares the payload of a mutation: `CreateHealthGoalPayload` of `createHealthGoal`. `clientMutationId` is added when the schema
 * is built.
 */
export function payloadOf(mutation: string, fields: PayloadFields): new () => object {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`;

  @ObjectType(name, { description: `Payload of \`${mutation}\`.`, simpleResolvers: true })
  class Payload {}

  for (const [field, [type, description, options]] of Object.entries(fields)) {
    Field(type as never, { description, nullable: true })(Payload.prototype, field);
    if (options?.restOnly) RestOnly()(Payload.prototype, field);
  }
  return Payload;
}
