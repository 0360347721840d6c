import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isListType,
  isNonNullType,
} from 'graphql';
import { defaultPageSize } from '../../schema/vocabulary/page-size.ts';
import { argumentValue, type CoercedVariables } from './query-arguments.ts';
import { maxCount, saturatingMultiply } from './query-weight.ts';

type Field = GraphQLField<unknown, unknown>;

/**
 * Assumed size of a list without a declared size. 100 is the maximum page size and the maximum length of a list argument
 * (`maxListLength`), so neither a page nor a lookup by ids can be longer.
 */
export const assumedListSize = 100;

export const slicingArgument = 'first';
export const itemFields = new Set(['nodes', 'edges']);

/** Number of objects that a field returns. */
export interface FieldSize {
  /** Objects per parent object; 1 if the field is not a list. With `perItem`: objects per item. */
  readonly objects: number;
  /** The field holds the items of a page: it returns `objects` for each item of the requested page size. */
  readonly perItem: boolean;
  /** Page size that applies to a page which the field returns. */
  readonly pageSize: number;
}

/**
 * Computes the number of objects of a field from the argument values that its resolver receives.
 *
 * - A field with the argument `first`: its list, or `nodes` and `edges` of the connection it returns, have that many items; a field
 *   that has `last` as well holds that many, or the default page size if neither is given.
 * - Other lists, and `first` absent without a default: `extensions.listSize` of the field, else `assumedListSize`.
 * - `first: null`: the larger of its default and the size above, because the resolver receives null instead of the default.
 * - Nested lists multiply.
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

  const perItem = slice === undefined && stated === undefined && itemFields.has(field.name) && isConnection(parent);
  let objects = perItem ? 1 : size;
  for (let inner = 1; inner < lists; inner++) objects = saturatingMultiply(objects, assumedListSize);
  return { objects, perItem, pageSize: size };
}

/** A connection is an object type with the name `…Connection` and a list `nodes`. */
function isConnection(type: GraphQLObjectType): boolean {
  const nodes = type.getFields().nodes;
  return type.name.endsWith('Connection') && nodes !== undefined && listsIn(nodes.type) > 0;
}

/** The value of `first`, else of `last`, at least 1; undefined if the field has no such argument. */
function sliceOf(field: Field, node: FieldNode, variables: CoercedVariables): number | undefined {
  const argument = field.args.find(({ name }) => name === slicingArgument);
  if (argument === undefined) return undefined;
  const last = field.args.find(({ name }) => name === 'last');
  for (const one of last ? [argument, last] : [argument]) {
    const value = argumentValue(one, node, variables);
    if (typeof value === 'number') return atLeastOne(value);
  }
  if (last && argument.defaultValue === undefined) return declaredSize(field) ?? defaultPageSize;
  const unknown = declaredSize(field) ?? assumedListSize;
  const byDefault = argument.defaultValue;
  return typeof byDefault === 'number' ? Math.max(atLeastOne(byDefault), unknown) : unknown;
}

/** The size declared by `extensions.listSize`, if any. */
export function declaredSize(field: Field): number | undefined {
  const { listSize } = field.extensions;
  return typeof listSize === 'number' ? atLeastOne(listSize) : undefined;
}

/** A size below 1 must not reduce the cost: resolvers reject or replace `first: -5` and `first: 0`. */
function atLeastOne(size: number): number {
  return Number.isNaN(size) ? assumedListSize : Math.min(maxCount, Math.max(1, Math.ceil(size)));
}

function listsIn(type: GraphQLOutputType): number {
  let lists = 0;
  for (let rest = type; isNonNullType(rest) || isListType(rest); rest = rest.ofType) if (isListType(rest)) lists++;
  return lists;
}
