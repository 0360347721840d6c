import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql';

/** A field of the objects of a list, as it is published in JSON. */
export interface JsonField {
  /** Key of the JSON. */
  readonly key: string;
  /** Name of the field in the graph. Its value is the property of this name of the object. */
  readonly field: string;
  /** Name of the field's type, without its list and non-null wrappers. */
  readonly type: string;
  readonly isList: boolean;
  /** Of an enum: internal value → published value. */
  readonly choices?: ReadonlyMap<unknown, string>;
  /** Of an instant: digits of its fraction of a second; as the scalar writes it if undefined. */
  readonly fractionDigits?: number | undefined;
  /** The value is this text: `__typename`. */
  readonly constant?: string;
  /** The property is a key, published as the global id of an object of this type. */
  readonly globalIdOf?: string;
  /** Of an object: its fields. */
  readonly fields?: readonly JsonField[];
}

/**
 * Reads the nodes of a connection as the text of a JSON array, for example made by the database. Undefined if it cannot: it must have read
 * nothing then, and the nodes are executed. Called in the turn of the connection's other fields. The same array of fields for each
 * execution of a plan.
 */
export type ReadList = (connection: unknown, fields: readonly JsonField[]) => Promise<string> | undefined;

/** How values are written as JSON, and which fields a list printed as JSON may have. */
export interface JsonRules {
  /** Whether whole values of Float are written with a point, `1.0`: the data has a `JsonText` for them. */
  readonly pointedFloats?: boolean;
  /** Name of a scalar → digits of the fraction of a second. */
  readonly fractionDigits?: Readonly<Record<string, number>>;
  /** Whether a property of an object may be printed; all may by default. */
  mayPrint?(field: Pick<GraphQLField<unknown, unknown>, 'extensions'>): boolean;
}

/** A selected field, as `FieldPlan` is one. */
interface SelectedField extends Pick<GraphQLField<unknown, unknown>, 'extensions'> {
  readonly key: string;
  readonly name: string;
  readonly returnType: GraphQLOutputType;
  /** Undefined: the property of the same name. */
  readonly resolve: unknown;
  readonly hasArguments: boolean;
  /** Whether it has a selection. */
  readonly isComposite: boolean;
  selectionOn(type: GraphQLObjectType): { readonly fields: readonly SelectedField[] };
}

/** Names of the fields of a connection that are read in the statement of its nodes or made of what it reads. */
const readWithNodes = new Set(['nodes', 'totalCount', 'pageInfo', '__typename']);

/** Whether the fields of a connection are read by one statement if its nodes are read as JSON: edges need the rows. */
export const areReadWithNodes = (fields: readonly SelectedField[]): boolean =>
  fields.every(({ name }) => readWithNodes.has(name)) && fields.filter(({ name }) => name === 'nodes').length === 1;

/** The selected fields of a list's objects, if all are properties of the object, `__typename` or the global id. */
export function jsonFieldsOf(list: SelectedField, rules: JsonRules): JsonField[] | undefined {
  const type = getNamedType(list.returnType);
  if (!isObjectType(type)) return undefined;
  const fields: JsonField[] = [];
  for (const field of list.selectionOn(type).fields) {
    const found = jsonFieldOf(field, type, rules);
    if (!found) return undefined;
    fields.push(found);
  }
  return fields;
}

function jsonFieldOf(field: SelectedField, parent: GraphQLObjectType, rules: JsonRules): JsonField | undefined {
  const leaf = getNamedType(field.returnType);
  const base = { key: field.key, field: field.name, type: leaf.name };
  if (field.name === '__typename') return { ...base, isList: false, constant: parent.name };
  const { nodeKey } = parent.extensions as { nodeKey?: { isRowKey?: boolean } };
  if (field.name === 'id' && nodeKey?.isRowKey) return { ...base, isList: false, globalIdOf: parent.name };
  if (field.resolve || field.hasArguments || rules.mayPrint?.(field) === false) return undefined;
  const isList = isListType(getNullableType(field.returnType as GraphQLOutputType));
  if (field.isComposite) {
    const fields = jsonFieldsOf(field, rules);
    return fields && { ...base, isList, fields };
  }
  const choices = isEnumType(leaf) && new Map(leaf.getValues().map(({ name, value }) => [value as unknown, name]));
  const fractionDigits = rules.fractionDigits?.[leaf.name];
  return {
    ...base,
    isList,
    ...(choices ? { choices } : {}),
    ...(fractionDigits === undefined ? {} : { fractionDigits }),
  };
}
