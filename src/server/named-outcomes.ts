import { type GraphQLSchema, isUnionType } from 'graphql';

/**
 * Has the members of unions told apart by the `__typename` of their values, which is what both executors do by themselves, and
 * not by their classes, as type-graphql would. A union with a `resolveType` keeps it: type-graphql makes one async, and what
 * asks for it is interpreted, which `EventPayload` needs, since its feed has methods where graphql-jit looks for values.
 * In place: to map the whole graph once more takes longer at boot.
 */
export function withNamedOutcomes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isUnionType(type) && type.resolveType?.constructor.name !== 'AsyncFunction') type.resolveType = undefined;
  }
  return schema;
}
