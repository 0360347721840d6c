import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fieldUnits } from './field-units.ts';
import type { CoercedVariables } from './query-arguments.ts';

/**
 * Units of database work of an executed operation: `fieldUnits` of every field, once per object in `data` that has it. It is
 * `QueryMeasure.databaseUnits` for the actual instead of the possible objects. It does not see work below an object that an
 * error replaced by null: see `hidesExecutedFields`.
 *
 * @param variables after coercion, as for `measureQuery`
 */
export function databaseUnitsUsed(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  data: Readonly<Record<string, unknown>>,
  variables: CoercedVariables = {},
): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const root = schema.getRootType(operation.operation);
  if (!root) return 0;

  /** By response key: a field selected twice is resolved and counted once. */
  const collect = (set: SelectionSetNode, type: GraphQLCompositeType, into: Fields, seen: Set<string>): Fields => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const field = fieldOf(schema, type, selection.name.value);
        if (!field) continue;
        const known = into.get(key) ?? { field, units: fieldUnits(field, selection, variables), sets: [] };
        if (selection.selectionSet) known.sets.push(selection.selectionSet);
        into.set(key, known);
        continue;
      }
      const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
      if (name !== undefined && seen.has(name)) continue;
      if (name !== undefined) seen.add(name);
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (!fragment) continue;
      const conditionType = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
      collect(fragment.selectionSet, isCompositeType(conditionType) ? conditionType : type, into, seen);
    }
    return into;
  };
  const known = new Map<string, Fields>();
  const numbers = new Map<SelectionSetNode, number>();
  const numberOf = (set: SelectionSetNode): number => {
    const number = numbers.get(set) ?? numbers.size;
    numbers.set(set, number);
    return number;
  };
  const fieldsOf = (sets: readonly SelectionSetNode[], type: GraphQLCompositeType): Fields => {
    const key = `${type.name} ${sets.map(numberOf).join(' ')}`;
    let fields = known.get(key);
    if (!fields) {
      fields = new Map();
      const seen = new Set<string>();
      for (const set of sets) collect(set, type, fields, seen);
      known.set(key, fields);
    }
    return fields;
  };
  let made = 0;
  const walk = (value: unknown, fields: Fields): void => {
    if (Array.isArray(value)) {
      for (const item of value) walk(item, fields);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, { field, units, sets }] of fields) {
      const below = (value as Record<string, unknown>)[key];
      // Removed by a directive, or a field of another type of the union.
      if (below === undefined) continue;
      made += units;
      const type = getNamedType(field.type);
      if (below !== null && sets.length > 0 && isCompositeType(type)) walk(below, fieldsOf(sets, type));
    }
  };
  walk(data, fieldsOf([operation.selectionSet], root));
  return made;
}

/** Whether an error replaced a parent object of the failed field by null: its other fields were executed but are not in `data`. */
export function hidesExecutedFields(
  data: unknown,
  errors: readonly { path?: readonly (string | number)[] | undefined }[],
): boolean {
  return errors.some(({ path = [] }) => {
    let value = data;
    for (const [at, key] of path.entries()) {
      value =
        typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
      if (value === null && at < path.length - 1) return true;
    }
    return false;
  });
}

type Fields = Map<string, { field: GraphQLField<unknown, unknown>; units: number; sets: SelectionSetNode[] }>;

/** For a union: the field of that name of the first type that has it. */
function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (isObjectType(type) || isInterfaceType(type)) return type.getFields()[name];
  for (const possible of schema.getPossibleTypes(type)) {
    const field = possible.getFields()[name];
    if (field) return field;
  }
  return undefined;
}
