import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { declaredCost } from '../limits/field-units.ts';

/** A read of one row. */
const query = 1;
/** A transaction of several statements, with its commit. */
const mutation = 10;

/**
 * Gives each root field that declares no cost the cost of its class, in units of database work. Pages have a default of
 * their own, which is that of a query.
 */
export function withRootCosts(schema: GraphQLSchema): GraphQLSchema {
  assign(schema.getQueryType(), query);
  assign(schema.getMutationType(), mutation);
  return schema;
}

function assign(type: GraphQLObjectType | null | undefined, units: number): void {
  for (const field of Object.values(type?.getFields() ?? {})) {
    if (declaredCost(field)) continue;
    field.extensions = { ...field.extensions, databaseCost: { units, given: {} } };
  }
}
