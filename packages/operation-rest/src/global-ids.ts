import {
  GraphQLID,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { NamedId, Parameter } from './operation.ts';

/** How a type's key becomes its global ID: `extensions.nodeKey` of the type. Objects of an interface have names alone. */
interface NodeKey {
  /** Name of the key's scalar. */
  scalar?: string;
  encode?(key: unknown): string;
  /** The global ID of the object with these names; absent for a type whose objects are not named. */
  encodeNames?(names: readonly string[]): string;
}

const nodeKeyOf = (schema: GraphQLSchema, typeName: string): NodeKey | undefined =>
  schema.getType(typeName)?.extensions.nodeKey as NodeKey | undefined;

/** How the names of an object of the type become its global ID. @param refuse called with the reason if they do not */
export function nameEncoder(
  variable: string,
  type: GraphQLInputType,
  typeName: string,
  schema: GraphQLSchema,
  refuse: (reason: string) => never,
): NamedId['encodeNames'] {
  if (getNullableType(type) !== GraphQLID)
    refuse(`$${variable} has @globalId with names, but its type ${type} is not ID.`);
  const nodeKey = nodeKeyOf(schema, typeName);
  if (!nodeKey?.encodeNames)
    return refuse(
      `$${variable} has @globalId(of: "${typeName}") with names, but the graph has no such type with names.`,
    );
  return nodeKey.encodeNames;
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
  const { scalar: scalarName, encode } = nodeKeyOf(schema, typeName) ?? {};
  if (scalarName === undefined || !encode)
    return refuse(`$${variable} has @globalId(of: "${typeName}"), but the graph has no such type with a key.`);
  const scalar = schema.getType(scalarName);
  if (!isScalarType(scalar))
    return refuse(`The key of ${typeName} has the scalar ${scalarName}, which the graph lacks.`);
  return { type: replaceNamedType(type, scalar), encodeKey: key => encode(scalar.parseValue(key)) };
}

/**
 * The parameter of a variable with `@globalId(of: typeName, named: true)`: the only name of an object, in place of its ID.
 * @param refuse called with the reason if the variable is no ID, or objects of the type have no names
 */
export function publishName(
  variable: string,
  type: GraphQLInputType,
  typeName: string,
  schema: GraphQLSchema,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'encodeKey'> {
  const encodeNames = nameEncoder(variable, type, typeName, schema, refuse);
  return { type: replaceNamedType(type, GraphQLString), encodeKey: name => encodeNames([String(name)]) };
}

function replaceNamedType(type: GraphQLInputType, scalar: GraphQLScalarType): GraphQLInputType {
  if (isNonNullType(type)) return new GraphQLNonNull(replaceNamedType(type.ofType, scalar) as GraphQLScalarType);
  return isListType(type) ? new GraphQLList(replaceNamedType(type.ofType, scalar)) : scalar;
}

/** Sets the variables that are global IDs made of parameters of the path. */
export function addNamedIds(
  variables: Record<string, unknown>,
  namedIds: readonly NamedId[],
  path: Readonly<Record<string, string>>,
): void {
  for (const { name, by, encodeNames } of namedIds) variables[name] = encodeNames(by.map(one => path[one] ?? ''));
}

/** Encodes a coerced parameter, or each item of a list; null stays null. */
export function encodeKeys(value: unknown, encodeKey: (key: unknown) => string): unknown {
  if (value === null) return null;
  return Array.isArray(value) ? value.map(item => encodeKeys(item, encodeKey)) : encodeKey(value);
}
