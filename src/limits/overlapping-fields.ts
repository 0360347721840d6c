import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';

/** A selection set and its parent type. */
interface TypedSet {
  readonly set: SelectionSetNode;
  readonly parent: GraphQLCompositeType;
}

/** One field of a selection set after fragment expansion. */
interface Selected {
  readonly node: FieldNode;
  readonly parent: GraphQLCompositeType;
  readonly type: GraphQLOutputType;
}

/** The document has more than `maxSelections` selections. */
class TooManySelections extends Error {}

/**
 * Validates «Field Selection Merging» of the GraphQL specification in time linear in the selections of the document.
 *
 * graphql-js compares all pairs of fields with one response name, which takes 118 to 240 ms for 5.7 KB of conflicts. Here the
 * fields of one response name are one group, each is compared with the first only (the relation is an equivalence), and their
 * selection sets are merged and checked once. Sangria and graphql-java use the same algorithm. The number of visited selections
 * is limited too: nested fragment spreads can select 2^50 fields in 2 KB.
 *
 * @param document must satisfy all other rules: its fragments exist without cycles, its fields exist
 * @param maxSelections maximum number of visited selections, fragments expanded at every spread
 * @returns at most one error: a conflict, or the code QUERY_TOO_COMPLEX
 */
export function overlappingFieldErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  maxSelections: number,
): GraphQLError[] {
  const merging = new FieldMerging(schema, document, maxSelections);
  try {
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const parent = schema.getRootType(definition.operation);
      if (parent) merging.assertMergeable([{ set: definition.selectionSet, parent }]);
    }
    return [];
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    if (!(error instanceof TooManySelections)) throw error;
    const allowed = maxSelections.toLocaleString('en');
    const message = `Fields and fragments, counted wherever their fragment is spread: more than ${allowed}. Spread fewer fragments or split the query.`;
    return [new GraphQLError(message, { extensions: { code: 'QUERY_TOO_COMPLEX', allowed: maxSelections } })];
  }
}

class FieldMerging {
  readonly #schema: GraphQLSchema;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #checkedSets = new Set<string>();
  readonly #shapeCheckedSets = new Set<string>();
  readonly #arguments = new Map<FieldNode, string>();
  #left: number;

  constructor(schema: GraphQLSchema, document: DocumentNode, maxSelections: number) {
    this.#schema = schema;
    this.#left = maxSelections;
    for (const one of document.definitions) {
      if (one.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(one.name.value, one);
    }
  }

  /** Checks that the fields of these sets, selected on one object, can be merged. @throws GraphQLError of the conflict */
  assertMergeable(sets: readonly TypedSet[]): void {
    if (this.#isSeen(this.#checkedSets, sets)) return;
    for (const [name, fields] of this.#fieldsOf(sets)) {
      const groups = coexistingFields(fields);
      for (const group of groups) this.#assertSameField(name, group);
      this.#assertSameType(name, fields);
      // Fields of different object types never apply to one object, but their response shapes must be compatible.
      if (groups.length > 1) this.#assertSameShape(subselections(fields));
      for (const group of groups) this.assertMergeable(subselections(group));
    }
  }

  #assertSameShape(sets: readonly TypedSet[]): void {
    if (sets.length < 2 || this.#isSeen(this.#shapeCheckedSets, sets)) return;
    for (const [name, fields] of this.#fieldsOf(sets)) {
      this.#assertSameType(name, fields);
      this.#assertSameShape(subselections(fields));
    }
  }

  #assertSameField(name: string, [first, ...others]: readonly Selected[]): void {
    if (!first) return;
    for (const other of others) {
      if (other.node.name.value !== first.node.name.value) {
        const names = `"${first.node.name.value}" and "${other.node.name.value}"`;
        throw conflict(name, `${names} are different fields`, first, other);
      }
      if (this.#argumentsOf(first.node) !== this.#argumentsOf(other.node)) {
        throw conflict(name, 'they have differing arguments', first, other);
      }
    }
  }

  #assertSameType(name: string, [first, ...others]: readonly Selected[]): void {
    if (!first || others.length === 0) return;
    const shape = shapeOf(first.type);
    for (const other of others) {
      if (other.type === first.type || shapeOf(other.type) === shape) continue;
      throw conflict(name, `they return conflicting types "${first.type}" and "${other.type}"`, first, other);
    }
  }

  /** The fields of the sets by response name. Each fragment is expanded once, because a second spread adds nothing. */
  #fieldsOf(sets: readonly TypedSet[]): Map<string, Selected[]> {
    const fields = new Map<string, Selected[]>();
    const spread = new Set<string>();
    const collect = ({ set, parent }: TypedSet): void => {
      for (const selection of set.selections) {
        if (--this.#left < 0) throw new TooManySelections();
        if (selection.kind === Kind.FIELD) {
          const type = this.#typeOf(parent, selection.name.value);
          if (!type) continue;
          const name = selection.alias?.value ?? selection.name.value;
          const same = fields.get(name);
          if (same) same.push({ node: selection, parent, type });
          else fields.set(name, [{ node: selection, parent, type }]);
          continue;
        }
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          if (spread.has(selection.name.value)) continue;
          spread.add(selection.name.value);
        }
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
        const condition = fragment?.typeCondition && this.#schema.getType(fragment.typeCondition.name.value);
        const inside = isCompositeType(condition) ? condition : parent;
        if (fragment) collect({ set: fragment.selectionSet, parent: inside });
      }
    };
    for (const one of sets) collect(one);
    return fields;
  }

  #typeOf(parent: GraphQLCompositeType, name: string): GraphQLOutputType | undefined {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef.type;
    if (parent === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef.type;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef.type;
    }
    return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name]?.type : undefined;
  }

  /** Whether these sets were checked before. A selection set has the same result on every path to it. */
  #isSeen(known: Set<string>, sets: readonly TypedSet[]): boolean {
    const key = sets.map(({ set }) => this.#numberOf(set)).join(' ');
    if (known.has(key)) return true;
    known.add(key);
    return false;
  }

  #numberOf(set: SelectionSetNode): number {
    const number = this.#numbers.get(set) ?? this.#numbers.size;
    this.#numbers.set(set, number);
    return number;
  }

  #argumentsOf(node: FieldNode): string {
    const known = this.#arguments.get(node) ?? namedValues(node.arguments ?? []);
    this.#arguments.set(node, known);
    return known;
  }
}

/** Groups of fields that can apply to one object: those of one object type with all fields of interfaces and unions. */
function coexistingFields(fields: readonly Selected[]): Selected[][] {
  const abstract = fields.filter(({ parent }) => !isObjectType(parent));
  const concrete = new Map<GraphQLCompositeType, Selected[]>();
  for (const field of fields) {
    if (!isObjectType(field.parent)) continue;
    const same = concrete.get(field.parent);
    if (same) same.push(field);
    else concrete.set(field.parent, [...abstract, field]);
  }
  return concrete.size === 0 ? [abstract] : [...concrete.values()];
}

function subselections(fields: readonly Selected[]): TypedSet[] {
  return fields.flatMap(({ node, type }) => {
    const parent = getNamedType(type);
    return node.selectionSet && isCompositeType(parent) ? [{ set: node.selectionSet, parent }] : [];
  });
}

/** Equal for compatible response shapes: the same list and non-null wrappers and the same leaf type, if any. */
function shapeOf(type: GraphQLOutputType): string {
  if (isNonNullType(type)) return `${shapeOf(type.ofType)}!`;
  if (isListType(type)) return `[${shapeOf(type.ofType)}]`;
  return isLeafType(type) ? type.name : '';
}

/** Canonical text of named values, independent of their order. */
function namedValues(fields: readonly Pick<ArgumentNode, 'name' | 'value'>[]): string {
  const texts = fields.map(({ name, value }) => `${name.value}:${valueText(value)}`);
  return texts.toSorted().join(',');
}

function valueText(value: ValueNode): string {
  switch (value.kind) {
    case Kind.VARIABLE:
      return `$${value.name.value}`;
    case Kind.LIST:
      return `[${value.values.map(valueText).join(',')}]`;
    case Kind.OBJECT:
      return `{${namedValues(value.fields)}}`;
    case Kind.STRING:
      return JSON.stringify(value.value);
    case Kind.NULL:
      return 'null';
    default:
      return String(value.value);
  }
}

function conflict(name: string, reason: string, first: Selected, other: Selected): GraphQLError {
  const message = `Fields "${name}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`;
  return new GraphQLError(message, { nodes: [first.node, other.node] });
}
