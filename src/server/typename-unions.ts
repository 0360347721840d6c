import { type GraphQLSchema, isUnionType } from 'graphql';

/**
 * Has the members of unions told apart by the `__typename` of their values, which is what both executors do by themselves.
 * type-graphql would do it by classes, or by a `resolveType` that it makes async: each value would cost two promises, and
 * graphql-jit, which waits for none, could compile no operation that selects such a union.
 * In place: to map the whole graph once more takes longer at boot.
 */
export function withTypenameUnions(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) if (isUnionType(type)) type.resolveType = undefined;
  return schema;
}
