import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isIntrospectionType,
  Kind,
  type NamedTypeNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { fieldUnits } from './field-units.ts';
import { type CoercedVariables, hasVariableArgument, hasVariableCondition, isIncluded } from './query-arguments.ts';
import { fieldSize } from './query-list-size.ts';
import {
  maxOfWeights,
  maxWeight,
  saturatingAdd,
  saturatingMultiply,
  sumOfWeights,
  type Weight,
  zeroWeight,
} from './query-weight.ts';

/** Introspection fields that lead from types to types. `args` is always below one of them. */
const typeListFields = new Set(['types', 'fields', 'inputFields', 'interfaces', 'possibleTypes']);

/** A selection set and the type it applies to. */
interface TypedSelectionSet {
  readonly selections: SelectionSetNode;
  readonly type: GraphQLCompositeType;
}

/** One selection: its subselections, if any, and its weight as a function of theirs. */
interface SelectionPart {
  readonly inside: TypedSelectionSet | undefined;
  readonly weigh: (inside: Weight) => Weight;
  /** Whether no variable has an effect on `inside` and `weigh`. */
  readonly isConstant: boolean;
}

interface Frame {
  readonly typedSet: TypedSelectionSet;
  parts: SelectionPart[] | undefined;
}

/** Weights kept for the next call, of 200 bytes each. A selection on an interface of sixty types has as many, at every level. */
const maxConstants = 500;

type Weights = Map<SelectionSetNode, Map<GraphQLCompositeType, Weight>>;

/**
 * Computes the weight of selection sets, memoized by selection set and type: for all calls where no variable occurs, else for one
 * call.
 *
 * The time is at most (selections in the document) × (object types they apply to), whatever fragments expand to: 50 fragments
 * that each spread the next one twice are 50 entries, not 2^50. The walk has an explicit stack, because a valid document can
 * nest deeper than the call stack.
 */
export class QueryWalk {
  readonly #schema: GraphQLSchema;
  /** Of the current call. */
  #variables: CoercedVariables = {};
  /** A Map, and the last definition of a name, as in the executor: a fragment may be called `__proto__`. */
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  #constants: Weights = new Map();
  #constantCount = 0;
  #weights: Weights = new Map();

  constructor(schema: GraphQLSchema, document: DocumentNode) {
    this.#schema = schema;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  /** The weight of `selections` on one object of `type`. Circular fragments have the maximum weight. */
  weigh(selections: SelectionSetNode, type: GraphQLCompositeType, variables: CoercedVariables): Weight {
    this.#variables = variables;
    this.#weights = new Map();
    const start: TypedSelectionSet = { selections, type };
    const stack: Frame[] = [{ typedSet: start, parts: undefined }];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      if (frame.parts === undefined) {
        if (this.#known(frame.typedSet) !== undefined) {
          stack.pop();
          continue;
        }
        // A selection set that is being computed has the maximum weight: only a selection inside it, a cycle, can look it up.
        remember(this.#weights, frame.typedSet, maxWeight);
        frame.parts = this.#partsOf(frame.typedSet);
        for (const { inside } of frame.parts) {
          if (inside !== undefined && this.#known(inside) === undefined)
            stack.push({ typedSet: inside, parts: undefined });
        }
      } else {
        stack.pop();
        const join = isAbstractType(frame.typedSet.type) ? maxOfWeights : sumOfWeights;
        const weights = frame.parts.map(({ inside, weigh }) => weigh(inside ? this.#weightOf(inside) : zeroWeight));
        const isConstant = frame.parts.every(
          part => part.isConstant && (!part.inside || this.#isConstant(part.inside)),
        );
        if (isConstant) this.#constantCount++;
        remember(isConstant ? this.#constants : this.#weights, frame.typedSet, weights.reduce(join, zeroWeight));
      }
    }
    const weight = this.#weightOf(start);
    if (this.#constantCount > maxConstants) {
      this.#constants = new Map();
      this.#constantCount = 0;
    }
    return weight;
  }

  #isConstant({ selections, type }: TypedSelectionSet): boolean {
    return this.#constants.get(selections)?.has(type) === true;
  }

  #known({ selections, type }: TypedSelectionSet): Weight | undefined {
    return this.#constants.get(selections)?.get(type) ?? this.#weights.get(selections)?.get(type);
  }

  #weightOf(place: TypedSelectionSet): Weight {
    return this.#known(place) ?? maxWeight;
  }

  /** An interface or union is expanded to its object types: only those exist at run time, and fragments match only those. */
  #partsOf({ selections, type }: TypedSelectionSet): SelectionPart[] {
    if (isAbstractType(type)) {
      return this.#schema.getPossibleTypes(type).map(possible => ({
        inside: { selections, type: possible },
        weigh: inside => inside,
        isConstant: true,
      }));
    }
    return selections.selections.map(selection => this.#partOf(selection, type));
  }

  #partOf(selection: SelectionNode, type: GraphQLObjectType): SelectionPart {
    const directives = selection.directives?.length ?? 0;
    const isConstant = !hasVariableCondition(selection);
    if (!isIncluded(selection, this.#variables)) return weightless({ ...zeroWeight, directives }, isConstant);
    if (selection.kind === Kind.FIELD) return this.#fieldPart(selection, type, directives, isConstant);
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
    if (fragment === undefined || !this.#matches(fragment.typeCondition, type)) {
      return weightless({ ...zeroWeight, directives }, isConstant);
    }
    const all = fragment === selection ? directives : directives + (fragment.directives?.length ?? 0);
    return {
      inside: { selections: fragment.selectionSet, type },
      weigh: inside => ({ ...inside, directives: saturatingAdd(inside.directives, all) }),
      isConstant,
    };
  }

  #fieldPart(node: FieldNode, parent: GraphQLObjectType, directives: number, isUnconditional: boolean): SelectionPart {
    const isConstant = isUnconditional && !hasVariableArgument(node);
    const inIntrospection = isIntrospectionType(parent);
    const aliases = node.alias === undefined ? 0 : 1;
    const own = {
      ...zeroWeight,
      depth: 1,
      fields: 1,
      ownFields: 1,
      aliases,
      directives,
      introspectionDepth: inIntrospection && typeListFields.has(node.name.value) ? 1 : 0,
      // A second `__schema` costs as much as the first and requires an alias.
      introspectionAliases: inIntrospection || node.name.value === SchemaMetaFieldDef.name ? aliases : 0,
    };
    // The executor skips an unknown field, so it counts as a leaf.
    const field = this.#fieldOf(parent, node.name.value);
    const type = field && getNamedType(field.type);
    if (field === undefined) return weightless(own, isConstant);
    const units = fieldUnits(field, node, this.#variables);
    if (!isCompositeType(type)) return weightless({ ...own, databaseUnits: units }, isConstant);

    const { objects, perItem, pageSize } = fieldSize(field, parent, node, this.#variables);
    const isExempt = field === SchemaMetaFieldDef || field === TypeMetaFieldDef;
    return {
      isConstant,
      inside: node.selectionSet && { selections: node.selectionSet, type },
      weigh: inside => {
        const below = saturatingAdd(
          saturatingAdd(inside.cost, inside.exemptCost),
          saturatingMultiply(inside.costPerItem, pageSize),
        );
        const depthBelow = Math.max(inside.depth, inside.exemptDepth);
        const cost = saturatingMultiply(objects, isExempt ? 1 : saturatingAdd(1, below));
        const unitsBelow = saturatingMultiply(
          objects,
          saturatingAdd(inside.databaseUnits, saturatingMultiply(inside.databaseUnitsPerItem, pageSize)),
        );
        return {
          depth: isExempt ? 1 : saturatingAdd(1, depthBelow),
          fields: saturatingAdd(1, inside.fields),
          ownFields: 1,
          aliases: saturatingAdd(own.aliases, inside.aliases),
          directives: saturatingAdd(own.directives, inside.directives),
          cost: perItem ? 0 : cost,
          costPerItem: perItem ? cost : 0,
          databaseUnits: perItem ? units : saturatingAdd(units, unitsBelow),
          databaseUnitsPerItem: perItem ? unitsBelow : 0,
          introspectionDepth: saturatingAdd(own.introspectionDepth, inside.introspectionDepth),
          introspectionAliases: saturatingAdd(own.introspectionAliases, inside.introspectionAliases),
          exemptCost: isExempt ? below : 0,
          exemptDepth: isExempt ? saturatingAdd(1, depthBelow) : 0,
        };
      },
    };
  }

  /** Resolves a field name on a type: only the query root has `__schema` and `__type`. */
  #fieldOf(parent: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (parent === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    return parent.getFields()[name];
  }

  #matches(condition: NamedTypeNode | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition.name.value === type.name) return true;
    const conditionType = this.#schema.getType(condition.name.value);
    return isAbstractType(conditionType) && this.#schema.isSubType(conditionType, type);
  }
}

/** The weight of a selection without subselections. */
function weightless(weight: Weight, isConstant: boolean): SelectionPart {
  return { inside: undefined, weigh: () => weight, isConstant };
}

function remember(weights: Weights, { selections, type }: TypedSelectionSet, weight: Weight): void {
  const byType = weights.get(selections);
  if (byType === undefined) weights.set(selections, new Map([[type, weight]]));
  else byType.set(type, weight);
}
