import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  typeFromAST,
} from 'graphql';

/** Response key → the fields that are merged there. */
export type Collected = ReadonlyMap<string, readonly FieldNode[]>;

interface Source {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

/**
 * The fields that selection sets select on objects of a type (GraphQL, 6.3.2). graphql-js has the same function, and exports it from no
 * entry point.
 * @param conditions values of the variables of `@skip` and `@include`
 * @throws GraphQLError for a condition that is no Boolean
 */
export function collectFields(
  { schema, fragments }: Source,
  conditions: Readonly<Record<string, unknown>>,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Collected {
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD && visited.has(selection.name.value)) continue;
      if (!isIncluded(selection, conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = fields.get(key);
        if (known) known.push(selection);
        else fields.set(key, [selection]);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) visited.add(selection.name.value);
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      if (fragment && appliesTo(fragment, type, schema)) collect(fragment.selectionSet);
    }
  };
  for (const set of sets) collect(set);
  return fields;
}

function isIncluded(node: SelectionNode, conditions: Readonly<Record<string, unknown>>): boolean {
  if (!node.directives?.length) return true;
  const variables = conditions as Record<string, unknown>;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

function appliesTo(
  { typeCondition }: FragmentDefinitionNode | InlineFragmentNode,
  type: GraphQLObjectType,
  schema: GraphQLSchema,
): boolean {
  if (!typeCondition) return true;
  const named = typeFromAST(schema, typeCondition);
  return named === type || (isAbstractType(named) && schema.isSubType(named, type));
}

/** The definition of a field, also of those that no type declares. */
export function fieldDefinition(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}
