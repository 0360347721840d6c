import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql';
import type { CoercedVariables } from './query-arguments.ts';
import { larger, literalsOf, measureVariables, type VariablesExtent } from './query-inputs.ts';
import { QueryWalk } from './query-walk.ts';
import { saturatingAdd, type Weight, zeroWeight } from './query-weight.ts';
import { type VariableBounds, variableBounds } from './variable-bounds.ts';

/**
 * Size of an operation, measured before execution. Fragments are expanded, selections removed by `@skip` and `@include` do not
 * count, and every number saturates at `Number.MAX_SAFE_INTEGER`.
 */
export interface QueryMeasure extends VariablesExtent {
  /** Levels of nested fields; `{ viewer { login } }` is 2. Fields below a root `__schema` or `__type` do not count. */
  readonly depth: number;
  readonly fields: number;
  /** Fields at the root, `__typename` and introspection included. */
  readonly rootFields: number;
  readonly aliases: number;
  /** Directives on the operation, its variables, fields, fragment spreads, and fragments once per spread. */
  readonly directives: number;
  /** Maximum number of objects in the response; see `measureQuery`. */
  readonly cost: number;
  /** Maximum database work in units of one page read: `fieldUnits` of each field, once per object that has the field. */
  readonly databaseUnits: number;
  /** Nested `types`, `fields`, `inputFields`, `interfaces`, `possibleTypes` of introspection; usually 2. */
  readonly introspectionDepth: number;
  /** Aliases inside introspection and on `__schema`; development tools send none. */
  readonly introspectionAliases: number;
}

/**
 * Measures one operation of a document.
 *
 * **Cost** is the maximum number of objects in the response:
 *
 * - a field that returns an object, interface or union costs 1 per object; a scalar costs nothing;
 * - a list multiplies itself and its subselections by its size: `first` if the field has it (for a page, `first` of the parent
 *   field is the size of `nodes` and `edges`), else the field's own `listSize`, else 100;
 * - on an interface or union the most expensive possible type counts;
 * - `__schema` and `__type` at the root of a query cost 1; their subselections have their own two measures;
 * - a field selected twice counts twice, although the executor merges it.
 *
 * So `{ viewer { repositories(first: 30) { nodes { name issues(first: 30) { nodes { title } } } } } }` costs
 * 1 + 1 + 30 × (1 + 1 + 30) = 962. Objects dominate the cost: one takes 5 to 9 µs of execution and, at worst, a row and an entry
 * of a batch; a scalar is a property of a row already fetched. Rejected: counting scalars, which makes the figure hard to
 * predict by hand; counting a merged field once, which needs the executor's field collection and is not linear in the document.
 * A mutation does not cost more here: rate limits charge it more points.
 *
 * Time is linear in the document (see `QueryWalk`), also for an invalid document.
 *
 * @param operationName as in the request; may be undefined if the document has one operation
 * @param coercedVariables from `getVariableValues`: defaults filled in, nulls kept, absent keys absent
 * @returns zeros except for the inputs if there is no such operation, which the executor reports
 */
export function measureQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  coercedVariables: CoercedVariables,
): QueryMeasure {
  const operation = operationOf(document, operationName);
  const bounds = variableBounds(schema, document, operation);
  return measureOf(schema, document, operation, bounds)(coercedVariables);
}

/** `measureQuery` of one operation as a function of the variables, which does not weigh again what no variable changes. */
export function measureOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode | undefined,
  { types, maxItems }: VariableBounds,
): (coercedVariables: CoercedVariables) => QueryMeasure {
  const weigh = operation ? weightOf(schema, document, operation) : () => zeroWeight;
  const measureLiterals = literalsOf(document);
  const declared = operation?.variableDefinitions?.length ?? 0;
  return variables => {
    const weight = weigh(variables);
    const sent = measureVariables(variables, types, maxItems);
    return {
      depth: weight.depth,
      fields: weight.fields,
      rootFields: weight.ownFields,
      aliases: weight.aliases,
      directives: weight.directives,
      cost: weight.cost,
      databaseUnits: weight.databaseUnits,
      introspectionDepth: weight.introspectionDepth,
      introspectionAliases: weight.introspectionAliases,
      variables: Math.max(sent.variables, declared),
      ...larger(sent, measureLiterals(variables)),
      ...(sent.overlong ? { overlong: sent.overlong } : {}),
    };
  };
}

function weightOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: CoercedVariables) => Weight {
  const root = schema.getRootType(operation.operation);
  if (root === undefined || root === null) return () => zeroWeight;
  const walk = new QueryWalk(schema, document);
  const around = [operation, ...(operation.variableDefinitions ?? [])];
  const directives = around.reduce((sum, node) => sum + (node.directives?.length ?? 0), 0);
  return variables => {
    const weight = walk.weigh(operation.selectionSet, root, variables);
    return { ...weight, directives: saturatingAdd(weight.directives, directives) };
  };
}

/** The operation that the executor selects: the last of that name, or the only one. */
function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION);
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
  return operations.findLast(operation => operation.name?.value === name);
}
