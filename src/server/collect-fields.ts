import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type CoercedVariables, isIncluded } from '../limits/query-arguments.ts';

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** Collects fields for given conditions and fragments. */
interface Collector {
  schema: GraphQLSchema;
  fragments: Fragments;
  /** All conditions of the document must be Booleans in it. */
  variables: CoercedVariables;
}

/** The nodes of each response key of selection sets on an object of `type`, in the order of the executor. */
export function collectFields(
  collector: Collector,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  for (const set of sets) collectInto(fields, collector, type, set, spread);
  return fields;
}

function collectInto(
  fields: Map<string, FieldNode[]>,
  collector: Collector,
  type: GraphQLObjectType,
  { selections }: SelectionSetNode,
  spread: Set<string>,
): void {
  for (const selection of selections) {
    if (!isIncluded(selection, collector.variables)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const nodes = fields.get(key);
      if (nodes) nodes.push(selection);
      else fields.set(key, [selection]);
      continue;
    }
    let fragment: { typeCondition?: NamedTypeNode | undefined; selectionSet: SelectionSetNode } | undefined;
    if (selection.kind === Kind.INLINE_FRAGMENT) fragment = selection;
    else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      fragment = collector.fragments[selection.name.value];
    }
    if (!fragment || !matches(collector.schema, fragment.typeCondition, type)) continue;
    collectInto(fields, collector, type, fragment.selectionSet, spread);
  }
}

function matches(schema: GraphQLSchema, condition: NamedTypeNode | undefined, type: GraphQLObjectType): boolean {
  if (!condition || condition.name.value === type.name) return true;
  const wanted = schema.getType(condition.name.value);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}

/** Names of the variables that are conditions of `@skip` and `@include` anywhere in the document. */
export function conditionVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: given = [] }: DirectiveNode) {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
