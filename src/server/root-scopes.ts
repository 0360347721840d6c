import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Names of the root fields of an operation, including `__typename` and introspection. */
export function rootFields(
  operation: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
): Set<string> {
  const names = new Set<string>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.find(one => one.name.value === selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return names;
}

/** Access scopes of the root fields of an operation. `__typename` and introspection have none. */
export function rootScopes(
  graph: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
): Set<string> {
  const fields = graph.getRootType(operation.operation)?.getFields() ?? {};
  const words = [...rootFields(operation, fragments)].map(name => fields[name]?.extensions.access);
  return new Set(words.filter(word => typeof word === 'string'));
}

/**
 * Whether the operation selects only fields with the scope `open`, for which an invalid credential is treated as absent: a
 * client that renews a token or logs in may send the expired one.
 */
export function ignoresCredential(scopes: ReadonlySet<string>): boolean {
  return scopes.size > 0 && [...scopes].every(word => word === 'open');
}

/** Whether the operation selects only fields with the scope `service`, or introspection: all that a service credential may run. */
export function isOfService(scopes: ReadonlySet<string>): boolean {
  return [...scopes].every(word => word === 'service');
}
