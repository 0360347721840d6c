import {
  type DocumentNode,
  GraphQLBoolean,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Parameter } from './operation.ts';

/** `extensions.cursorAfter` of a connection type: the cursor of the item at a position from 1. */
type CursorAfter = NonNullable<Parameter['cursorAfter']>;

/** `extensions.cursorKey` of a connection type whose cursors are keys. */
interface CursorKey {
  /** Name of the key's scalar. */
  scalar: string;
  encode(key: unknown): string;
  decode(cursor: string): string;
}

/** An extension of the connections of which the variable is the `after`; undefined if they are none, or have different ones. */
function extensionOfLists<Extension>(
  variable: string,
  extension: 'cursorAfter' | 'cursorKey',
  document: DocumentNode,
  schema: GraphQLSchema,
): Extension | undefined {
  const types = new TypeInfo(schema);
  const lists = new Set<Extension | undefined>();
  const visitor = {
    Argument({ name, value }: { name: { value: string }; value: { kind: string; name?: { value: string } } }) {
      if (value.kind !== 'Variable' || value.name?.value !== variable || name.value !== 'after') return;
      lists.add(getNamedType(types.getType())?.extensions[extension] as Extension | undefined);
    },
  };
  visit(document, visitWithTypeInfo(types, visitor as never));
  const [only, second] = lists;
  return second === undefined ? only : undefined;
}

/**
 * The parameter of a variable with `@cursorKey`: a key in place of the cursor.
 * @param document the operation with its fragments; it says in which list the cursor is
 * @param refuse called with the reason if the variable is not the cursor of one list with keys
 */
export function publishCursorKey(
  variable: string,
  document: DocumentNode,
  schema: GraphQLSchema,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'encodeKey' | 'keyOfCursor'> {
  const key = extensionOfLists<CursorKey>(variable, 'cursorKey', document, schema);
  const scalar = key && schema.getType(key.scalar);
  if (!key || !isScalarType(scalar))
    return refuse(`$${variable} has @cursorKey, but is not the \`after\` of one connection whose cursors are keys.`);
  return { type: scalar, encodeKey: value => key.encode(scalar.parseValue(value)), keyOfCursor: key.decode };
}

/**
 * The parameter of a variable with `@pageNumber`: a number in place of the cursor.
 * @param document the operation with its fragments; it says in which list the cursor is
 * @param refuse called with the reason if the variable is not the cursor of one list with positions
 */
export function publishPageNumber(
  variable: string,
  document: DocumentNode,
  schema: GraphQLSchema,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'cursorAfter'> {
  const cursorAfter = extensionOfLists<CursorAfter>(variable, 'cursorAfter', document, schema);
  if (!cursorAfter)
    return refuse(
      `$${variable} has @pageNumber, but is not the \`after\` of one connection whose cursors are positions.`,
    );
  return { type: GraphQLInt, cursorAfter };
}

/**
 * The parameter of a variable with `@sortKeys`: one text in place of the list of enum values.
 * @param named keys of the text that are not those of the enum → the enum's
 * @param refuse called with the reason if the variable is no list of an enum with ascending and descending values
 */
export function publishSortKeys(
  variable: string,
  type: GraphQLInputType,
  named: Readonly<Record<string, string>>,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'sortKeys'> {
  const list = getNullableType(type);
  const item = isListType(list) ? getNullableType(list.ofType) : undefined;
  if (!isEnumType(item)) return refuse(`$${variable} has @sortKeys, but its type ${type} is no list of an enum.`);
  const sortKeys = new Map<string, string>();
  const textKeys = new Map(Object.entries(named).map(([text, key]) => [String(key).toLowerCase(), text]));
  for (const { name } of item.getValues()) {
    const [, key, direction] = /^(\w+)_(asc|desc)$/i.exec(name) ?? [];
    if (key === undefined || direction === undefined)
      return refuse(`${item} cannot be sort keys: ${name} ends neither in _ASC nor in _DESC.`);
    const published = textKeys.get(key.toLowerCase()) ?? key.toLowerCase();
    sortKeys.set(`${direction.toLowerCase() === 'desc' ? '-' : ''}${published}`, name);
  }
  return { type: GraphQLString, sortKeys };
}

/**
 * The parameter of a variable with `@knownValues`: any texts in place of the enum's values.
 * @param refuse called with the reason if the variable is no list of an enum
 */
export function publishKnownValues(
  variable: string,
  type: GraphQLInputType,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'knownValues'> {
  const list = getNullableType(type);
  const item = isListType(list) ? getNullableType(list.ofType) : undefined;
  if (!isEnumType(item)) return refuse(`$${variable} has @knownValues, but its type ${type} is no list of an enum.`);
  return {
    // Of the texts of a list, none of which need be known.
    type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
    knownValues: new Set(item.getValues().map(({ name }) => name)),
  };
}

/**
 * The parameter of a variable with `@flag`: any text in place of a Boolean.
 * @param refuse called with the reason if the variable is none
 */
export function publishFlag(
  variable: string,
  type: GraphQLInputType,
  texts: readonly string[],
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'flag'> {
  if (getNullableType(type) !== GraphQLBoolean) refuse(`$${variable} has @flag, but its type ${type} is not Boolean.`);
  return { type: GraphQLString, flag: new Set(texts) };
}

/**
 * The parameter of a variable with `@keyed`: an object in place of the list of inputs.
 * @param documented type of the parameter with `@as`
 * @param refuse called with the reason if the variable is no list of inputs with two fields
 */
export function publishKeyed(
  variable: string,
  type: GraphQLInputType,
  by: string,
  documented: GraphQLInputType | undefined,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'keyed'> {
  const list = getNullableType(type);
  const item = isListType(list) ? getNullableType(list.ofType) : undefined;
  const names = isInputObjectType(item) ? Object.keys(item.getFields()) : [];
  const other = names.find(name => name !== by);
  if (names.length !== 2 || !names.includes(by) || other === undefined)
    return refuse(`$${variable} has @keyed, but its type ${type} is no list of inputs with ${by} and another field.`);
  if (!isScalarType(getNullableType(documented)))
    return refuse(`$${variable} has @keyed, and needs a scalar for the object: @as.`);
  return { type: documented as GraphQLInputType, keyed: [by, other] };
}

/** The enum values of a text of sort keys, each once: a repeated key orders nothing. */
export function readSortKeys(text: string, sortKeys: ReadonlyMap<string, string>): string[] {
  return [...new Set(text.split(',').flatMap(key => sortKeys.get(key.trim()) ?? []))];
}

/** The variables for a page by its number: the cursor in place of the number, none for the first page. */
export function variablesAtPage(
  variables: Readonly<Record<string, unknown>>,
  parameter: Pick<Parameter, 'name' | 'cursorAfter'> | undefined,
  page: number,
  size: number,
): Readonly<Record<string, unknown>> {
  if (!parameter) return variables;
  const { name, cursorAfter } = parameter;
  const value = cursorAfter ? (page > 1 ? cursorAfter((page - 1) * size) : null) : page;
  return { ...variables, [name]: value };
}
