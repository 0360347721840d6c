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
 * How many things an operation makes that others see: its mutations whose access word stands for content, each as often as it
 * is asked for. `document` holds the fragments.
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
    // Before it is looked into: validation has refused circles, and this must end without it as well.
    within.set(name, 0);
    const fragment = document.definitions.find(one => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name);
    const sum = fragment?.kind === Kind.FRAGMENT_DEFINITION ? count(fragment.selectionSet) : 0;
    within.set(name, sum);
    return sum;
  };
  return count(operation.selectionSet);
}
