import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import { maxPageSize } from '../../schema/vocabulary/page-size.ts';
import { unitsPerPoint } from './operation-cost.ts';
import { measureQuery } from './query-measure.ts';

/**
 * Points for the database work of an operation, whatever values its variables have: 1 for each full 100 units. The measure is the one that
 * the primary window of `/graphql` charges, with pages of the maximum size and every filter given, but without skipped rows: every list
 * would cost 10 points for pages that hardly anybody asks for.
 */
export function pointsOfWork(
  schema: GraphQLSchema,
  definition: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
): number {
  const given =
    definition.variableDefinitions?.map(({ variable, type }) => [variable.name.value, givenValue(type)]) ?? [];
  const document = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] } as const;
  const { databaseUnits } = measureQuery(schema, document, definition.name?.value, Object.fromEntries(given));
  return Math.floor(databaseUnits / unitsPerPoint);
}

/** A value that counts as given: for an integer the largest page, for anything else a text, which no cursor is. */
function givenValue(type: TypeNode): unknown {
  if (type.kind === Kind.NON_NULL_TYPE) return givenValue(type.type);
  if (type.kind === Kind.LIST_TYPE) return [givenValue(type.type)];
  return type.name.value === 'Int' ? maxPageSize : 'given';
}
