import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql';
import type { CoercedVariables } from './query-arguments.ts';
import { larger, measureLiterals, measureVariables, type VariablesExtent } from './query-inputs.ts';
import { QueryWalk } from './query-walk.ts';
import { saturatingAdd, type Weight, zeroWeight } from './query-weight.ts';

/**
 * What an operation asks for, counted before it runs. All fragments are expanded, what `@skip` and `@include` leave out is
 * not counted, and every number stops at `Number.MAX_SAFE_INTEGER`.
 */
export interface QueryMeasure extends VariablesExtent {
  /** Levels of fields; `{ viewer { login } }` is 2. Below `__schema` and `__type` at the root nothing counts. */
  readonly depth: number;
  readonly fields: number;
  /** Fields at the root, `__typename` and introspection included. */
  readonly rootFields: number;
  readonly aliases: number;
  /** Directives on the operation, its variables, fields, spreads, and fragments each time they are spread. */
  readonly directives: number;
  /** Objects that the answer can hold at most; see `measureQuery`. */
  readonly cost: number;
  /**
   * Database work at most, in units of one page read: `fieldUnits` of each field, once for every object it is asked of. A
   * field that takes `first` is one unless it declares more.
   */
  readonly databaseUnits: number;
  /** `types`, `fields`, `inputFields`, `interfaces`, `possibleTypes` of introspection one inside the other; 2 is usual. */
  readonly introspectionDepth: number;
  /** Aliases inside introspection and on `__schema`; tools send none. */
  readonly introspectionAliases: number;
}

/**
 * Measures one operation of a document.
 *
 * **Cost** is the number of objects that the answer can hold at most:
 *
 * - a field that returns an object, interface or union costs 1 for each object; a scalar costs nothing;
 * - a list multiplies itself and all below it by its size: `first` where the field takes it (for a page, `first` of the
 *   field above is the size of `nodes` and `edges`), else the field's own `listSize`, else 100;
 * - on an interface or union the most expensive of the possible types counts;
 * - `__schema` and `__type` at the root of a query cost 1; what is below has its own two measures;
 * - a field selected twice counts twice, though the executor merges it.
 *
 * So `{ viewer { repositories(first: 30) { nodes { name issues(first: 30) { nodes { title } } } } } }` costs
 * 1 + 1 + 30 × (1 + 1 + 30) = 962. Objects are what costs here: one takes 5 to 9 µs of graph execution and, at worst, a row
 * and a place in a batch, whereas a scalar is a property of a row already fetched. Counting scalars too would make the
 * figure unpredictable by hand. Counting a merged field once would need the executor's own grouping, which has no bound
 * linear in the document. A mutation is not dearer here: rate limits weigh it.
 *
 * Time is linear in the document (see `QueryWalk`), also for a document that validation would refuse.
 *
 * @param operationName as in the request; may be undefined when the document has one operation
 * @param coercedVariables what `getVariableValues` gave: variable defaults filled in, nulls kept, absent keys absent
 * @returns all zeros, save for the inputs, when there is no such operation: the executor will say so
 */
export function measureQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  coercedVariables: CoercedVariables,
): QueryMeasure {
  const operation = operationOf(document, operationName);
  const {
    fields,
    depth,
    ownFields,
    aliases,
    directives,
    cost,
    databaseUnits,
    introspectionDepth,
    introspectionAliases,
  } = operation === undefined ? zeroWeight : weightOf(schema, document, operation, coercedVariables);
  const sent = measureVariables(coercedVariables);
  return {
    depth,
    fields,
    rootFields: ownFields,
    aliases,
    directives,
    cost,
    databaseUnits,
    introspectionDepth,
    introspectionAliases,
    variables: Math.max(sent.variables, operation?.variableDefinitions?.length ?? 0),
    ...larger(sent, measureLiterals(document, coercedVariables)),
  };
}

function weightOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: CoercedVariables,
): Weight {
  const root = schema.getRootType(operation.operation);
  if (root === undefined || root === null) return zeroWeight;
  const weight = new QueryWalk(schema, document, variables).weigh(operation.selectionSet, root);
  const around = [operation, ...(operation.variableDefinitions ?? [])];
  const directives = around.reduce((sum, node) => sum + (node.directives?.length ?? 0), 0);
  return { ...weight, directives: saturatingAdd(weight.directives, directives) };
}

/** The operation that the executor will take: the last of that name, or the only one. */
function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION);
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
  return operations.findLast(operation => operation.name?.value === name);
}
