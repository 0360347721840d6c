import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** The fields that a caller selects, and under each of them the same again; empty for a leaf. */
export type Selection = ReadonlyMap<string, Selection>;

const known = new WeakMap<object, Selection>();

/**
 * What a caller selects under the field being resolved, by the names of the graph, through fragments. What stands under
 * @skip or @include counts as selected, so that the answer hangs on the document alone and is made once for each, the same
 * object every time: a query built on it may bring a column too much and never one too few.
 */
export function selectionOf({ fieldNodes, fragments }: GraphQLResolveInfo): Selection {
  const [only, second] = fieldNodes;
  const before = only && !second ? known.get(only) : undefined;
  if (before) return before;
  const selection: Growing = new Map();
  for (const { selectionSet } of fieldNodes) collect(selectionSet, fragments, selection);
  if (only && !second) known.set(only, selection);
  return selection;
}

type Growing = Map<string, Growing>;

function collect(set: SelectionSetNode | undefined, fragments: GraphQLResolveInfo['fragments'], into: Growing): void {
  for (const one of set?.selections ?? []) {
    if (one.kind === Kind.FIELD) {
      // One field may be selected several times, under aliases or by fragments: what any of them asks for is wanted.
      const below = into.get(one.name.value) ?? new Map();
      into.set(one.name.value, below);
      collect(one.selectionSet, fragments, below);
    } else
      collect((one.kind === Kind.INLINE_FRAGMENT ? one : fragments[one.name.value])?.selectionSet, fragments, into);
  }
}
