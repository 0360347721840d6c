/** Where every count stops. Above 2^53 a double loses units, and Infinity × 0 would be NaN, which passes every `>`. */
export const maxCount = Number.MAX_SAFE_INTEGER;

/** Adds non-negative integers, never beyond `countless`. */
export const saturatingAdd = (a: number, b: number): number => Math.min(maxCount, a + b);

/** Multiplies non-negative integers, never beyond `countless`. */
export const saturatingMultiply = (a: number, b: number): number => Math.min(maxCount, a * b);

/**
 * What one selection set weighs on one object of one type, all fragments expanded.
 *
 * It knows nothing of where it stands: depth is the height of what is below, and cost is a linear function of the page
 * size that the field above will hand down (`cost + costPerItem × size`). That is what makes it safe to remember. A budget
 * carried downwards cannot be remembered: a fragment met first near the root would keep its shallow verdict for deep use.
 */
export interface Weight {
  /** Levels of fields. */
  readonly depth: number;
  readonly fields: number;
  /** The fields of this very selection set, those of its fragments included, those below not. */
  readonly ownFields: number;
  readonly aliases: number;
  readonly directives: number;
  /** Objects made below one object, without those that a page makes for each of its items. */
  readonly cost: number;
  /** Objects made for each item of the page, when the object is a page. */
  readonly costPerItem: number;
  /** Units of database work below one object, without those below each item of a page. */
  readonly databaseUnits: number;
  /** Units of database work below each item, when the object is a page. */
  readonly databaseUnitsPerItem: number;
  /** Lists of types and fields of types, one inside the other, on one path of an introspection. */
  readonly introspectionDepth: number;
  readonly introspectionAliases: number;
  /** Cost and depth below a `__schema` or `__type` of this very selection set: free at the root, charged anywhere else. */
  readonly exemptCost: number;
  readonly exemptDepth: number;
}

/** The weight of nothing. */
export const zeroWeight: Weight = {
  depth: 0,
  fields: 0,
  ownFields: 0,
  aliases: 0,
  directives: 0,
  cost: 0,
  costPerItem: 0,
  databaseUnits: 0,
  databaseUnitsPerItem: 0,
  introspectionDepth: 0,
  introspectionAliases: 0,
  exemptCost: 0,
  exemptDepth: 0,
};

/** The weight of a selection that contains itself. */
export const maxWeight: Weight = {
  depth: maxCount,
  fields: maxCount,
  ownFields: maxCount,
  aliases: maxCount,
  directives: maxCount,
  cost: maxCount,
  costPerItem: maxCount,
  databaseUnits: maxCount,
  databaseUnitsPerItem: maxCount,
  introspectionDepth: maxCount,
  introspectionAliases: maxCount,
  exemptCost: maxCount,
  exemptDepth: maxCount,
};

/** Two selections of the same object: amounts add up, heights do not. */
export function sumOfWeights(a: Weight, b: Weight): Weight {
  return {
    depth: Math.max(a.depth, b.depth),
    fields: saturatingAdd(a.fields, b.fields),
    ownFields: saturatingAdd(a.ownFields, b.ownFields),
    aliases: saturatingAdd(a.aliases, b.aliases),
    directives: saturatingAdd(a.directives, b.directives),
    cost: saturatingAdd(a.cost, b.cost),
    costPerItem: saturatingAdd(a.costPerItem, b.costPerItem),
    databaseUnits: saturatingAdd(a.databaseUnits, b.databaseUnits),
    databaseUnitsPerItem: saturatingAdd(a.databaseUnitsPerItem, b.databaseUnitsPerItem),
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    introspectionAliases: saturatingAdd(a.introspectionAliases, b.introspectionAliases),
    exemptCost: saturatingAdd(a.exemptCost, b.exemptCost),
    exemptDepth: Math.max(a.exemptDepth, b.exemptDepth),
  };
}

/**
 * The same selection on an object that is of one type or the other. An object is of one type only, so the larger is
 * enough and the sum would refuse honest unions. Each number is taken by itself: the result may belong to neither type,
 * is never less than either, and can be remembered for the interface or union as a whole.
 */
export function maxOfWeights(a: Weight, b: Weight): Weight {
  return {
    depth: Math.max(a.depth, b.depth),
    fields: Math.max(a.fields, b.fields),
    ownFields: Math.max(a.ownFields, b.ownFields),
    aliases: Math.max(a.aliases, b.aliases),
    directives: Math.max(a.directives, b.directives),
    cost: Math.max(a.cost, b.cost),
    costPerItem: Math.max(a.costPerItem, b.costPerItem),
    databaseUnits: Math.max(a.databaseUnits, b.databaseUnits),
    databaseUnitsPerItem: Math.max(a.databaseUnitsPerItem, b.databaseUnitsPerItem),
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    introspectionAliases: Math.max(a.introspectionAliases, b.introspectionAliases),
    exemptCost: Math.max(a.exemptCost, b.exemptCost),
    exemptDepth: Math.max(a.exemptDepth, b.exemptDepth),
  };
}
