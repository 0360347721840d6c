import {
  type DocumentNode,
  type FieldNode,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { execute, OperationPlan } from 'operation-rest';
import { argumentValue, type CoercedVariables, isIncluded } from '../limits/query-arguments.ts';

const rateLimitField = 'rateLimit';

interface DryRunRequest {
  prepared: { document: DocumentNode; operation: OperationDefinitionNode; rootFields: ReadonlySet<string> };
  coerced: CoercedVariables | undefined;
}

/** Returns a function that executes only the field `rateLimit`, if the operation requests a dry run; else undefined. */
export function findDryRun(
  graph: GraphQLSchema,
  { prepared: { document, operation, rootFields }, coerced }: DryRunRequest,
): ((context: unknown) => Promise<FormattedExecutionResult>) | undefined {
  if (!coerced || !rootFields.has(rateLimitField)) return undefined;
  const field = operation.operation === 'query' ? graph.getQueryType()?.getFields()[rateLimitField] : undefined;
  const argument = field?.args.find(one => one.name === 'dryRun');
  if (!argument) return undefined;
  const nodes = rootNodes({ document, variables: coerced }, operation.selectionSet, new Set());
  // With `dryRun: null` the operation runs, and the executor reports that null is not allowed.
  if (!nodes.some(node => argumentValue(argument, node, coerced) === true)) return undefined;
  const alone = { ...operation, selectionSet: { ...operation.selectionSet, selections: nodes } };
  const definitions = document.definitions.map(one => (one === operation ? alone : one));
  return async context => {
    const plan = new OperationPlan(graph, { ...document, definitions }, alone);
    const { data, errors = [] } = await execute(plan, { context, variables: coerced });
    return errors.length > 0 ? { errors: errors.map(formatRequestError), data } : { data };
  };
}

/** Formats an error of the request, such as null for `@skip(if:)`. Rethrows an error of a resolver, which is a defect. */
function formatRequestError(error: GraphQLError): GraphQLFormattedError {
  const { originalError } = error;
  if (originalError && !(originalError instanceof GraphQLError)) throw originalError;
  return { ...error.toJSON(), extensions: { code: 'BAD_USER_INPUT' } };
}

interface Read {
  document: DocumentNode;
  variables: CoercedVariables;
}

/** Omits fields removed by `@skip` and `@include`: such an operation requests no dry run. */
function rootNodes(read: Read, { selections }: SelectionSetNode, seen: Set<string>): FieldNode[] {
  return selections.flatMap(selection => {
    if (!isIncluded(selection, read.variables)) return [];
    if (selection.kind === Kind.FIELD) return selection.name.value === rateLimitField ? [selection] : [];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootNodes(read, selection.selectionSet, seen);
    const fragmentName = selection.name.value;
    if (seen.has(fragmentName)) return [];
    seen.add(fragmentName);
    const fragment = read.document.definitions.find(
      one => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === fragmentName,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootNodes(read, fragment.selectionSet, seen) : [];
  });
}
