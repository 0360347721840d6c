import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

const name = 'rateLimit';

interface Asked {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
}

/** The operation with nothing in it but `rateLimit`, where that asks for a dry run; undefined where it does not. */
export function dryRunOf(
  graph: GraphQLSchema,
  { document, operation, variables }: Asked,
): ((context: unknown) => ExecutionResult | Promise<ExecutionResult>) | undefined {
  const field = operation.operation === 'query' ? graph.getQueryType()?.getFields()[name] : undefined;
  const nodes = field ? rootNodes(document, operation.selectionSet, new Set()) : [];
  if (!field || nodes.length === 0) return undefined;
  const { coerced } = getVariableValues(graph, operation.variableDefinitions ?? [], variables, { maxErrors: 1 });
  if (!coerced || !nodes.some(node => isDry(field, node, coerced))) return undefined;
  const alone = { ...operation, selectionSet: { ...operation.selectionSet, selections: nodes } };
  const definitions = document.definitions.map(one => (one === operation ? alone : one));
  return context =>
    execute({
      schema: graph,
      document: { ...document, definitions },
      operationName: operation.name?.value ?? null,
      variableValues: variables,
      contextValue: context,
    });
}

function isDry(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Record<string, unknown>): boolean {
  return getArgumentValues(field, node, variables).dryRun === true;
}

function rootNodes(document: DocumentNode, { selections }: SelectionSetNode, seen: Set<string>): FieldNode[] {
  return selections.flatMap(selection => {
    if (selection.kind === Kind.FIELD) return selection.name.value === name ? [selection] : [];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootNodes(document, selection.selectionSet, seen);
    const wanted = selection.name.value;
    if (seen.has(wanted)) return [];
    seen.add(wanted);
    const fragment = document.definitions.find(
      one => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === wanted,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootNodes(document, fragment.selectionSet, seen) : [];
  });
}
