import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { generatesContent, isHostingScope } from '../auth/hosting-scopes.ts';

/**
 * Number of mutation fields whose access scope creates content that other users see, once per selection. `document` holds the
 * fragments.
 */
export function countContentMutations(
  graph: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): number {
  if (operation.operation !== OperationTypeNode.MUTATION) return 0;
  const fields = graph.getMutationType()?.getFields() ?? {};
  const within = new Map<string, number>();
  const count = ({ selections }: SelectionSetNode): number => {
    let sum = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const word = fields[selection.name.value]?.extensions.access;
        if (typeof word === 'string' && isHostingScope(word) && generatesContent(word)) sum++;
      } else if (selection.kind === Kind.INLINE_FRAGMENT) sum += count(selection.selectionSet);
      else sum += ofFragment(selection.name.value);
    }
    return sum;
  };
  const ofFragment = (name: string): number => {
    const found = within.get(name);
    if (found !== undefined) return found;
    // Set before the fragment is expanded: validation has rejected cycles, but this function must end without it, too.
    within.set(name, 0);
    const fragment = document.definitions.find(one => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name);
    const sum = fragment?.kind === Kind.FRAGMENT_DEFINITION ? count(fragment.selectionSet) : 0;
    within.set(name, sum);
    return sum;
  };
  return count(operation.selectionSet);
}
