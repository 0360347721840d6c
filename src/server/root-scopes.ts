import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The names of the root fields that an operation asks for, `__typename` and introspection among them. */
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

/**
 * The access words of the root fields that an operation asks for. `__typename` and introspection have none and need none:
 * they are left out.
 */
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
 * Whether nothing but fields of the word `open` is asked for, which do not look at a credential that is no good: whoever
 * renews a token or logs in may well send the old one along.
 */
export function ignoresCredential(scopes: ReadonlySet<string>): boolean {
  return scopes.size > 0 && [...scopes].every(word => word === 'open');
}
