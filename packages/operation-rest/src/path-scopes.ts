import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Access scopes of a REST operation. */
export interface PathScopes {
  /** Scopes of all fields from the root to the `@body` field and beside them, innermost first: it is the most specific one. */
  required: ReadonlySet<string>;
  /** Those of the innermost level that has any, for headers: `contents:read` of a file and not `metadata:read` of its folder. */
  accepted: ReadonlySet<string>;
}

interface SelectedField {
  node: FieldNode;
  parent: GraphQLNamedType | undefined;
}

/** Fields inside `@body` are not included: they are judged one by one when they are resolved. */
export function pathScopes(
  graph: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
): PathScopes {
  const fieldsOf = ({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): SelectedField[] =>
    selections.flatMap(selection => {
      if (selection.kind === Kind.FIELD) return [{ node: selection, parent }];
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : fragments.find(one => one.name.value === selection.name.value);
      const condition = inner?.typeCondition?.name.value;
      return inner ? fieldsOf(inner.selectionSet, condition === undefined ? parent : graph.getType(condition)) : [];
    });
  /** The levels from `fields` to the `@body` field; undefined if it is not below. */
  const levelsToBody = (fields: SelectedField[]): SelectedField[][] | undefined => {
    if (fields.some(({ node }) => node.directives?.some(one => one.name.value === 'body'))) return [fields];
    for (const field of fields) {
      const type = definitionOf(field)?.type;
      const { selectionSet } = field.node;
      const below = selectionSet && type && levelsToBody(fieldsOf(selectionSet, getNamedType(type)));
      if (below) return [fields, ...below];
    }
    return undefined;
  };
  const root = fieldsOf(operation.selectionSet, graph.getRootType(operation.operation) ?? undefined);
  // A response without a body has no `@body`.
  const levels = (levelsToBody(root) ?? [root]).map(scopesOf).reverse();
  return { required: new Set(levels.flat()), accepted: new Set(levels.find(scopes => scopes.length > 0)) };
}

function definitionOf({ node, parent }: SelectedField) {
  return parent && 'getFields' in parent && 'getInterfaces' in parent ? parent.getFields()[node.name.value] : undefined;
}

function scopesOf(fields: readonly SelectedField[]): string[] {
  return fields.map(field => definitionOf(field)?.extensions.access).filter(scope => typeof scope === 'string');
}
