import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLInputObjectType,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { oneOfInput } from '../../schema/vocabulary/one-of.ts';

type Resolver = NonNullable<GraphQLField<unknown, unknown>['resolve']>;

const name = 'clientMutationId';

/**
 * Completes what type-graphql builds for mutations, in place: input types with the extension are `@oneOf`, inherited fields have the
 * extensions of the superclass, and every mutation that takes an `input` and returns an object takes `clientMutationId` and returns it.
 * Relay of old required it, and clients send it.
 */
export function withMutationInputs(schema: GraphQLSchema): GraphQLSchema {
  inheritExtensions(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type) && type.extensions[oneOfInput] === true) type.isOneOf = true;
  }
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) addClientMutationId(field);
  return schema;
}

/** type-graphql copies the fields of a superclass without their extensions. */
function inheritExtensions(schema: GraphQLSchema): void {
  const classes = new Map(getMetadataStorage().inputTypes.map(one => [one.target, one]));
  for (const { target, name: typeName, fields: declared = [] } of classes.values()) {
    const type = schema.getType(typeName);
    if (!isInputObjectType(type)) continue;
    const fields = type.getFields();
    const own = new Set(declared.map(field => field.schemaName));
    for (let above = Object.getPrototypeOf(target); classes.has(above); above = Object.getPrototypeOf(above)) {
      for (const { schemaName, extensions } of classes.get(above)?.fields ?? []) {
        const field = fields[schemaName];
        if (field && extensions && !own.has(schemaName)) field.extensions = extensions;
        own.add(schemaName);
      }
    }
  }
}

function addClientMutationId(field: GraphQLField<unknown, unknown>): void {
  const input = getNamedType(field.args.find(one => one.name === 'input')?.type);
  const payload = getNamedType(field.type);
  if (!(input instanceof GraphQLInputObjectType) || !(payload instanceof GraphQLObjectType)) return;
  if (!payload.name.endsWith('Payload')) return;
  const common = { deprecationReason: undefined, extensions: {}, astNode: undefined, type: GraphQLString };
  const inputDescription = 'Text of the client, returned in the payload.';
  input.getFields()[name] = { ...common, name, description: inputDescription, defaultValue: undefined };
  const args: GraphQLArgument[] = [];
  payload.getFields()[name] = { ...common, name, description: 'Text that the client sent.', args };
  field.resolve = echoing(field.resolve);
}

/** Only a payload of a call with the text is copied. */
function echoing(resolve: Resolver | undefined): Resolver {
  return async (root, args: { input?: { clientMutationId?: string | null } }, context, info) => {
    const payload: unknown = await resolve?.(root, args, context, info);
    const sent = args.input?.clientMutationId;
    if (typeof payload !== 'object' || payload === null || typeof sent !== 'string') return payload;
    return { ...payload, clientMutationId: sent };
  };
}
