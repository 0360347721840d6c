import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  isCompositeType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Operation } from './operation.ts';

/** A selection on a type. */
export interface SelectionLevel {
  set: SelectionSetNode;
  parent: GraphQLCompositeType;
}

interface SelectedField {
  field: FieldNode;
  /** Response key. */
  key: string;
  type: GraphQLOutputType;
}

/** Reads the selections of an operation, through its fragments. */
export class SelectionWalker {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor({ schema, fragments }: Pick<Operation, 'schema' | 'fragments'>) {
    this.#schema = schema;
    this.#fragments = new Map(fragments.map(one => [one.name.value, one]));
  }

  /** The fields of an object, including those of its fragments. */
  *fieldsOf({ set, parent }: SelectionLevel): Generator<SelectedField> {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const definition = 'getFields' in parent ? parent.getFields()[selection.name.value] : undefined;
        // __typename is the one field that no type declares.
        yield { field: selection, key: responseKey(selection), type: definition?.type ?? GraphQLString };
      } else {
        const inner = this.enterFragment(selection, parent);
        if (inner) yield* this.fieldsOf(inner);
      }
    }
  }

  /** Undefined for a field. */
  enterFragment(selection: SelectionNode, parent: GraphQLCompositeType): SelectionLevel | undefined {
    if (selection.kind === Kind.FIELD) return undefined;
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
    if (!fragment) return undefined;
    const named = fragment.typeCondition && this.#schema.getType(fragment.typeCondition.name.value);
    return { set: fragment.selectionSet, parent: isCompositeType(named) ? named : parent };
  }
}

/** Undefined for a field without a selection. */
export function enterField(field: FieldNode, type: GraphQLOutputType): SelectionLevel | undefined {
  const named = getNamedType(type);
  return field.selectionSet && isCompositeType(named) ? { set: field.selectionSet, parent: named } : undefined;
}

function responseKey(field: FieldNode): string {
  return field.alias?.value ?? field.name.value;
}
