import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql';
import type { JsonField } from '../db/json-columns.ts';
import { declaredCost } from '../limits/field-units.ts';

/** A selected field, as `ExecutionPlan` knows it. */
interface SelectedField {
  readonly key: string;
  readonly name: string;
  readonly returnType: GraphQLOutputType;
  /** Undefined: the property of the same name. */
  readonly resolve: unknown;
  readonly hasArguments: boolean;
  /** Whether it has a selection. */
  readonly isComposite: boolean;
  readonly extensions: Parameters<typeof declaredCost>[0]['extensions'];
  selectionOn(type: GraphQLObjectType): { readonly fields: readonly SelectedField[] };
}

/** Names of the fields of a connection that are read in the statement of its nodes or made of what it reads. */
const readWithNodes = new Set(['nodes', 'totalCount', 'pageInfo', '__typename']);

/** Whether the fields of a connection are read by one statement if its nodes are read as JSON: edges need the rows. */
export const areReadWithNodes = (fields: readonly SelectedField[]): boolean =>
  fields.every(({ name }) => readWithNodes.has(name)) && fields.filter(({ name }) => name === 'nodes').length === 1;

/**
 * The selected fields of a list's objects, if the database can print them: properties of the object that cost nothing, `__typename`, and
 * the global id.
 */
export function jsonFieldsOf(list: SelectedField): JsonField[] | undefined {
  const type = getNamedType(list.returnType);
  if (!isObjectType(type)) return undefined;
  const fields: JsonField[] = [];
  for (const field of list.selectionOn(type).fields) {
    const found = jsonFieldOf(field, type);
    if (!found) return undefined;
    fields.push(found);
  }
  return fields;
}

function jsonFieldOf(field: SelectedField, parent: GraphQLObjectType): JsonField | undefined {
  const leaf = getNamedType(field.returnType);
  const base = { key: field.key, field: field.name, type: leaf.name };
  if (field.name === '__typename') return { ...base, isList: false, constant: parent.name };
  const { nodeKey } = parent.extensions as { nodeKey?: { isRowKey: boolean } };
  if (field.name === 'id' && nodeKey?.isRowKey) return { ...base, isList: false, globalIdOf: parent.name };
  if (field.resolve || field.hasArguments || declaredCost(field)) return undefined;
  const isList = isListType(getNullableType(field.returnType as GraphQLOutputType));
  if (!field.isComposite) {
    const choices = isEnumType(leaf) && new Map(leaf.getValues().map(({ name, value }) => [value as unknown, name]));
    return { ...base, isList, ...(choices ? { choices } : {}) };
  }
  const fields = jsonFieldsOf(field);
  return fields && { ...base, isList, fields };
}
