import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isListType,
  isNonNullType,
} from 'graphql';
import { argumentValue, type CoercedVariables } from './query-arguments.ts';
import { maxCount, saturatingMultiply } from './query-weight.ts';

type Field = GraphQLField<unknown, unknown>;

/**
 * The size of a list that says nothing about itself. 100 is the largest page, and no list argument may be longer
 * (`maxListLength`), so neither a page without a size nor a lookup by a list of ids outgrows the assumption.
 */
export const assumedListSize = 100;

const slicingArgument = 'first';
const itemFields = new Set(['nodes', 'edges']);

/** How many objects a field makes. */
export interface FieldSize {
  /** Objects for each object the field is selected on; 1 when the field is no list. Counts one item where `perItem`. */
  readonly objects: number;
  /** The field holds the items of a page: it makes `objects` for each item the page was asked for. */
  readonly perItem: boolean;
  /** The page size that the field hands down to a page it returns. */
  readonly pageSize: number;
}

/**
 * Counts what a field makes, from the arguments as the resolver will see them.
 *
 * - A field with the argument `first`: its list, or the `nodes` and `edges` of the page it returns, have that many items.
 * - Other lists: `extensions.listSize` of the field, else `assumedListSize`. So too where `first` is left out without a
 *   default. Where `first` is null, the larger of its default and that: a null reaches the resolver in place of the
 *   default, and what the resolver makes of it is not known here.
 * - A list in a list multiplies.
 */
export function fieldSize(
  field: Field,
  parent: GraphQLObjectType,
  node: FieldNode,
  variables: CoercedVariables,
): FieldSize {
  const slice = sliceOf(field, node, variables);
  const stated = declaredSize(field);
  const size = slice ?? stated ?? assumedListSize;
  const lists = listsIn(field.type);
  if (lists === 0) return { objects: 1, perItem: false, pageSize: size };

  const perItem = slice === undefined && stated === undefined && itemFields.has(field.name) && isPage(parent);
  let objects = perItem ? 1 : size;
  for (let inner = 1; inner < lists; inner++) objects = saturatingMultiply(objects, assumedListSize);
  return { objects, perItem, pageSize: size };
}

/** A page is an object type named `…Page` with a list of `nodes`. */
function isPage(type: GraphQLObjectType): boolean {
  const nodes = type.getFields().nodes;
  return type.name.endsWith('Page') && nodes !== undefined && listsIn(nodes.type) > 0;
}

/** The value of `first`, at least 1; undefined where the field does not take it. */
function sliceOf(field: Field, node: FieldNode, variables: CoercedVariables): number | undefined {
  const argument = field.args.find(({ name }) => name === slicingArgument);
  if (argument === undefined) return undefined;
  const value = argumentValue(argument, node, variables);
  if (typeof value === 'number') return atLeastOne(value);
  const unknown = declaredSize(field) ?? assumedListSize;
  const byDefault = argument.defaultValue;
  return typeof byDefault === 'number' ? Math.max(atLeastOne(byDefault), unknown) : unknown;
}

function declaredSize(field: Field): number | undefined {
  const { listSize } = field.extensions;
  return typeof listSize === 'number' ? atLeastOne(listSize) : undefined;
}

/** `first: -5` must not buy a refund, nor `first: 0` a free subtree: resolvers refuse or replace such sizes. */
function atLeastOne(size: number): number {
  return Number.isNaN(size) ? assumedListSize : Math.min(maxCount, Math.max(1, Math.ceil(size)));
}

function listsIn(type: GraphQLOutputType): number {
  let lists = 0;
  for (let rest = type; isNonNullType(rest) || isListType(rest); rest = rest.ofType) if (isListType(rest)) lists++;
  return lists;
}
