import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** The selected fields, each with the selection below it; empty for a leaf. */
export type Selection = ReadonlyMap<string, Selection>;

const known = new WeakMap<object, Selection>();

/**
 * The selection below the resolved field, by field names, fragments included. Fields with @skip or @include count as selected,
 * so that the result depends on the document alone and is the same object for each execution of it: a statement may read a
 * column too many and never one too few.
 */
export function selectionOf({ fieldNodes, fragments }: GraphQLResolveInfo): Selection {
  const [only, second] = fieldNodes;
  // A field that is selected several times: the executors have one array of its nodes for all objects of a list.
  const key = only && !second ? only : fieldNodes;
  const before = known.get(key);
  if (before) return before;
  const selection: Growing = new Map();
  for (const { selectionSet } of fieldNodes) collect(selectionSet, fragments, selection);
  known.set(key, selection);
  return selection;
}

/** The selection below a field of the resolved field, such as the changed object of a payload. */
export function selectionBelow(info: GraphQLResolveInfo, field: string): Selection {
  return selectionOf(info).get(field) ?? noSelection;
}

/** Selects nothing. One object, so that what is cached or batched by selection stays together. */
export const noSelection: Selection = new Map();

type Growing = Map<string, Growing>;

function collect(set: SelectionSetNode | undefined, fragments: GraphQLResolveInfo['fragments'], into: Growing): void {
  for (const one of set?.selections ?? []) {
    if (one.kind === Kind.FIELD) {
      // A field may be selected several times, by aliases or fragments: the selections are merged.
      const below = into.get(one.name.value) ?? new Map();
      into.set(one.name.value, below);
      collect(one.selectionSet, fragments, below);
    } else
      collect((one.kind === Kind.INLINE_FRAGMENT ? one : fragments[one.name.value])?.selectionSet, fragments, into);
  }
}

const mergedSelections = new WeakMap<Selection, WeakMap<Selection, Selection>>();

/**
 * The selection of both, the same object for the same two; `first` or `second` itself where the other adds nothing. So what is
 * cached by selection stays cached, and what is loaded for the objects of a list stays one batch.
 */
export function mergeSelections(first: Selection | undefined, second: Selection): Selection {
  if (first === undefined || first.size === 0 || first === second) return second;
  if (second.size === 0) return first;
  const withFirst = mergedSelections.get(first) ?? new WeakMap<Selection, Selection>();
  mergedSelections.set(first, withFirst);
  const before = withFirst.get(second);
  if (before) return before;
  const merged = new Map(first);
  for (const [name, below] of second) merged.set(name, mergeSelections(first.get(name), below));
  withFirst.set(second, merged);
  return merged;
}
