import {
  GraphQLID,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { Parameter } from './operation.ts';

/** How a type's key becomes its global ID: `extensions.nodeKey` of the type. */
interface NodeKey {
  /** Name of the key's scalar. */
  scalar: string;
  encode(key: unknown): string;
}

/**
 * The parameter of a variable with `@globalId(of: typeName)`: its type has the key's scalar in place of `ID`.
 * @param refuse called with the reason if the variable is no ID, or the type has no key
 */
export function publishKey(
  variable: string,
  type: GraphQLInputType,
  typeName: string,
  schema: GraphQLSchema,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'encodeKey'> {
  if (getNamedType(type) !== GraphQLID) refuse(`$${variable} has @globalId, but its type ${type} is not ID.`);
  const nodeKey = schema.getType(typeName)?.extensions.nodeKey as NodeKey | undefined;
  if (!nodeKey)
    return refuse(`$${variable} has @globalId(of: "${typeName}"), but the graph has no such type with a key.`);
  const scalar = schema.getType(nodeKey.scalar);
  if (!isScalarType(scalar))
    return refuse(`The key of ${typeName} has the scalar ${nodeKey.scalar}, which the graph lacks.`);
  return { type: replaceNamedType(type, scalar), encodeKey: key => nodeKey.encode(scalar.parseValue(key)) };
}

function replaceNamedType(type: GraphQLInputType, scalar: GraphQLScalarType): GraphQLInputType {
  if (isNonNullType(type)) return new GraphQLNonNull(replaceNamedType(type.ofType, scalar) as GraphQLScalarType);
  return isListType(type) ? new GraphQLList(replaceNamedType(type.ofType, scalar)) : scalar;
}

/** Encodes a coerced parameter, or each item of a list; null stays null. */
export function encodeKeys(value: unknown, encodeKey: (key: unknown) => string): unknown {
  if (value === null) return null;
  return Array.isArray(value) ? value.map(item => encodeKeys(item, encodeKey)) : encodeKey(value);
}
