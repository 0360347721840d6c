/** Every count saturates here. Above 2^53 a double loses units, and Infinity × 0 is NaN, which passes every `>`. */
export const maxCount = Number.MAX_SAFE_INTEGER;

/** Saturating addition of non-negative integers. */
export const saturatingAdd = (a: number, b: number): number => Math.min(maxCount, a + b);

/** Saturating multiplication of non-negative integers. */
export const saturatingMultiply = (a: number, b: number): number => Math.min(maxCount, a * b);

/**
 * Weight of one selection set on one object of one type, fragments expanded.
 *
 * It does not depend on its position, so it can be memoized: depth is the height of its subselections, and cost is a linear
 * function of the page size that the parent field provides (`cost + costPerItem × size`). Rejected: a remaining budget passed
 * down the tree, which depends on the position: a fragment first seen near the root would be accepted at any depth.
 */
export interface Weight {
  /** Levels of nested fields. */
  readonly depth: number;
  readonly fields: number;
  /** Fields of this selection set and its fragments, without subselections. */
  readonly ownFields: number;
  readonly aliases: number;
  readonly directives: number;
  /** Objects below one object, without those below each item of a page. */
  readonly cost: number;
  /** Objects per item, if the object is a page. */
  readonly costPerItem: number;
  /** Units of database work below one object, without those below each item of a page. */
  readonly databaseUnits: number;
  /** Units of database work per item, if the object is a page. */
  readonly databaseUnitsPerItem: number;
  /** Nested lists of types and fields on one path of an introspection. */
  readonly introspectionDepth: number;
  readonly introspectionAliases: number;
  /** Cost and depth below a `__schema` or `__type` of this selection set: not counted at the root, counted elsewhere. */
  readonly exemptCost: number;
  readonly exemptDepth: number;
}

/** Weight of an empty selection set. */
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

/** Weight of a selection that contains itself. */
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

/** Two selections on the same object: counts are added, depths take the maximum. */
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
 * One selection on an object of either type. An object has one type, so the maximum is an upper bound and the sum would reject
 * ordinary unions. The maximum is taken number by number, so the result can be memoized for the interface or union.
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
