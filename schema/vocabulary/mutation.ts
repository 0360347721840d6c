import { Arg, Field, InputType, ObjectType } from 'type-graphql';

/** The only argument of a mutation. */
export const InputArg = (type: () => new () => object): ParameterDecorator =>
  Arg('input', type, { description: 'Input of the mutation.' }) as ParameterDecorator;

/**
 * Declares the input of a mutation that needs no value. type-graphql refuses a type without fields, hence the one that is otherwise
 * added when the schema is built.
 */
export function emptyInputOf(mutation: string): new () => object {
  @InputType(`${capitalized(mutation)}Input`, { description: `Input of \`${mutation}\`.` })
  class EmptyInput {
    @Field(() => String, { nullable: true, description: 'Text of the client, returned in the payload.' })
    clientMutationId?: string | null;
  }
  return EmptyInput;
}

/** Fields of a payload: type and description. All are nullable, so that a failure of one leaves the others. */
export type PayloadFields = Readonly<Record<string, readonly [type: () => object, description: string]>>;

/**
 * Declares the payload of a mutation: `CreateHealthGoalPayload` of `createHealthGoal`. `clientMutationId` is added when the schema
 * is built.
 */
export function payloadOf(mutation: string, fields: PayloadFields): new () => object {
  @ObjectType(`${capitalized(mutation)}Payload`, { description: `Payload of \`${mutation}\`.`, simpleResolvers: true })
  class Payload {}

  for (const [field, [type, description]] of Object.entries(fields)) {
    Field(type as never, { description, nullable: true })(Payload.prototype, field);
  }
  return Payload;
}

const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
