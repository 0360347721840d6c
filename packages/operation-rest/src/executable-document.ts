import { type DocumentNode, Kind, visit } from 'graphql';
import { isFacadeDirective } from './directives.ts';
import type { Operation } from './operation.ts';

/**
 * The document that is executed: the operation without the facade's directives.
 * @param outcomeKey alias of `__typename` that is added to the end of the @body selection
 */
export function executableDocument(
  operation: Pick<Operation, 'definition' | 'fragments'>,
  outcomeKey: string | undefined,
): DocumentNode {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation.definition, ...operation.fragments] };
  return visit(document, {
    Field: node => {
      const isBody = node.directives?.some(one => one.name.value === 'body') === true;
      if (!isBody || !node.selectionSet || outcomeKey === undefined) return undefined;
      const outcome = {
        kind: Kind.FIELD,
        name: { kind: Kind.NAME, value: '__typename' },
        alias: { kind: Kind.NAME, value: outcomeKey },
      } as const;
      return {
        ...node,
        selectionSet: { ...node.selectionSet, selections: [...node.selectionSet.selections, outcome] },
      };
    },
    Directive: node => (isFacadeDirective(node.name.value) ? null : undefined),
    // Most servers do not parse descriptions of operations.
    OperationDefinition: node => ({ ...node, description: undefined }),
    VariableDefinition: node => ({ ...node, description: undefined }),
    FragmentDefinition: node => ({ ...node, description: undefined }),
  });
}
