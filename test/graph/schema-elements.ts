import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** A type, field, argument, input field or enum value. */
export interface SchemaElement {
  /** `Type`, `Type.field`, `Type.field(argument)` or `Enum.VALUE`. */
  name: string;
  description: string;
  deprecationReason: string | undefined;
  extensions: Readonly<Record<PropertyKey, unknown>>;
  /** Undefined for a type and for an enum value. */
  type: GraphQLType | undefined;
  isArgument: boolean;
}

interface Described {
  description?: string | null | undefined;
  deprecationReason?: string | null | undefined;
  extensions: Readonly<Record<PropertyKey, unknown>>;
  type?: GraphQLType;
}

/** Everything in the schema that can have a description, without GraphQL's own. */
export function elementsOf(schema: GraphQLSchema): SchemaElement[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !/^__|^(String|Int|Float|Boolean|ID)$/.test(name))
    .flatMap(type => [element(type.name, type), ...membersOf(type)]);
}

function membersOf(type: GraphQLNamedType): SchemaElement[] {
  if (isObjectType(type) || isInterfaceType(type)) {
    return Object.values(type.getFields()).flatMap(field => [
      element(`${type.name}.${field.name}`, field),
      ...field.args.map(argument => element(`${type.name}.${field.name}(${argument.name})`, argument, true)),
    ]);
  }
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map(field => element(`${type.name}.${field.name}`, field, true));
  }
  return isEnumType(type) ? type.getValues().map(value => element(`${type.name}.${value.name}`, value)) : [];
}

function element(name: string, described: Described, isArgument = false): SchemaElement {
  const { description, deprecationReason, extensions } = described;
  const type = 'type' in described ? described.type : undefined;
  return {
    name,
    description: description ?? '',
    deprecationReason: deprecationReason ?? undefined,
    extensions,
    type,
    isArgument,
  };
}

/** Fields of a root type; none if the schema does not have the type. */
export function rootFields(type: GraphQLObjectType | null | undefined): GraphQLField<unknown, unknown>[] {
  return Object.values(type?.getFields() ?? {});
}
