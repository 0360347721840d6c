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
  /**
   * Those of the innermost level that has any, for headers: `contents:read` of a file and not `metadata:read` of its folder. A level that
   * admits everybody says less than one around it that does not.
   */
  accepted: ReadonlySet<string>;
}

interface SelectedField {
  node: FieldNode;
  parent: GraphQLNamedType | undefined;
}

/**
 * Fields inside `@body` are not included: they are judged one by one when they are resolved.
 * @param isOpen whether a scope admits everybody
 */
export function pathScopes(
  graph: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
  isOpen: (scope: string) => boolean = () => false,
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
  const levels = (levelsToBody(root) ?? [root]).map(level => scopesOf(level, operation)).reverse();
  const accepted = levels.find(scopes => !scopes.every(isOpen)) ?? levels.find(scopes => scopes.length > 0);
  return { required: new Set(levels.flat()), accepted: new Set(accepted) };
}

function definitionOf({ node, parent }: SelectedField) {
  return parent && 'getFields' in parent && 'getInterfaces' in parent ? parent.getFields()[node.name.value] : undefined;
}

function scopesOf(fields: readonly SelectedField[], operation: OperationDefinitionNode): string[] {
  return fields.map(field => scopeOf(field, operation)).filter(scope => typeof scope === 'string');
}

/** `extensions.accessOfType`: scopes of a field that depend on the type of the object whose global ID its input has. */
interface AccessOfType {
  /** Name of the input field with the ID. */
  id: string;
  scopes: Readonly<Record<string, string>>;
}

function scopeOf(field: SelectedField, { variableDefinitions = [] }: OperationDefinitionNode): unknown {
  const { access, accessOfType } = definitionOf(field)?.extensions ?? {};
  if (!accessOfType) return access;
  const { id, scopes } = accessOfType as AccessOfType;
  const input = field.node.arguments?.find(({ name }) => name.value === 'input')?.value;
  const given = input?.kind === Kind.OBJECT ? input.fields.find(({ name }) => name.value === id)?.value : undefined;
  const variable = variableDefinitions.find(
    one => given?.kind === Kind.VARIABLE && one.variable.name.value === given.name.value,
  );
  const directive = variable?.directives?.find(({ name }) => name.value === 'globalId');
  const type = directive?.arguments?.find(({ name }) => name.value === 'of')?.value;
  return (type?.kind === Kind.STRING ? scopes[type.value] : undefined) ?? access;
}
