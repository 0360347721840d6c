import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { PointsOfWork } from 'operation-rest';
import { declaredCost } from '../limits/field-units.ts';
import { pointsOfWork } from '../limits/points-of-work.ts';

/** Units of a read of one row. */
const query = 1;
/** Units of a transaction of several statements with its commit. */
const mutation = 10;

/**
 * Sets the default cost of root fields without `@Cost`, in units of database work, and the points of an operation by its work. A page has
 * the default of a query.
 */
export function withRootCosts(schema: GraphQLSchema): GraphQLSchema {
  assign(schema.getQueryType(), query);
  assign(schema.getMutationType(), mutation);
  schema.extensions = { ...schema.extensions, pointsOfWork: pointsOfWork satisfies PointsOfWork };
  return schema;
}

function assign(type: GraphQLObjectType | null | undefined, units: number): void {
  for (const field of Object.values(type?.getFields() ?? {})) {
    if (declaredCost(field)) continue;
    field.extensions = { ...field.extensions, databaseCost: { units, given: {} } };
  }
}
