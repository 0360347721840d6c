import { type GraphQLSchema, isAbstractType } from 'graphql';

/**
 * Makes the executor resolve unions and interfaces by the `__typename` of the value, their default. type-graphql resolves
 * them by class, or by an async `resolveType`: two promises per value. In place,
 * because mapping the whole schema again delays the start.
 */
export function withTypenameResolution(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) if (isAbstractType(type)) type.resolveType = undefined;
  return schema;
}
