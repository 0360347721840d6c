import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLError,
  GraphQLFloat,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { pointedFloat } from '../pointed-float.ts';
import { completeInTurn, executeFields, isPromise, noPath, nullFor } from './execute-fields.ts';
import { type Complete, type FieldPlan, leafCharacters, type Path, type Run } from './execution-plan.ts';
import { requireRuntimeType } from './runtime-type.ts';

const completions = new WeakMap<GraphQLOutputType, Complete>();

/** How values of a type are completed. */
export function completionOf(type: GraphQLOutputType): Complete {
  let complete = completions.get(type);
  if (!complete) {
    complete = makeCompletion(type);
    completions.set(type, complete);
  }
  return complete;
}

function makeCompletion(type: GraphQLOutputType): Complete {
  if (isNonNullType(type)) return nonNullCompletion(completionOf(type.ofType));
  const complete = isListType(type)
    ? listCompletion(type.ofType)
    : isLeafType(type)
      ? leafCompletion(type)
      : isAbstractType(type)
        ? abstractCompletion(type)
        : objectCompletion(type);
  return (run, value, path, field, fieldPath) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    return complete(run, value, path, field, fieldPath);
  };
}

function nonNullCompletion(inner: Complete): Complete {
  return (run, value, path, field, fieldPath) => {
    const completed = inner(run, value, path, field, fieldPath);
    if (completed !== null) return completed;
    throw new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.name}.`);
  };
}

function leafCompletion(type: GraphQLLeafType): Complete {
  const isFloat = type.name === GraphQLFloat.name;
  return (run, value) => {
    const serialized: unknown = type.serialize(value);
    if (typeof serialized === 'string') {
      run.characters += serialized.length;
      return serialized;
    }
    // A scalar of JSON values: the data must be measured.
    if (typeof serialized === 'object' && serialized !== null) run.characters = Number.POSITIVE_INFINITY;
    if (serialized !== null && serialized !== undefined)
      return isFloat && run.plan.lists.pointedFloats ? pointedFloat(serialized) : serialized;
    const call = `${type.name}.serialize(${inspect(value)})`;
    throw new Error(`Expected \`${call}\` to return non-nullable value, returned: ${inspect(serialized)}`);
  };
}

function listCompletion(itemType: GraphQLOutputType): Complete {
  const complete = completionOf(itemType);
  const hasLeaves = isLeafType(isNonNullType(itemType) ? itemType.ofType : itemType);
  return (run, value, path, field, fieldPath) => {
    if (typeof value !== 'object' || typeof (value as Iterable<unknown>)[Symbol.iterator] !== 'function') {
      const { parentType, name } = field;
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${parentType.name}.${name}".`);
    }
    const completeItem = (item: unknown, index: number): unknown => {
      let at: Path | undefined;
      try {
        if (hasLeaves && !isPromise(item)) return complete(run, item, noPath, field, fieldPath);
        at = { prev: path, key: index, typename: undefined };
        const itemPath = at;
        const completeAt = (result: unknown): unknown => complete(run, result, itemPath, field, fieldPath);
        const completed = isPromise(item) ? item.then(completeInTurn(run, field, completeAt)) : completeAt(item);
        if (!isPromise(completed)) return completed;
        return completed.then(undefined, (error: unknown) => nullFor(run, field, itemType, error, itemPath));
      } catch (error) {
        return nullFor(run, field, itemType, error, at ?? { prev: path, key: index, typename: undefined });
      }
    };
    const values = Array.isArray(value) ? value : Array.from(value as Iterable<unknown>);
    run.characters += hasLeaves ? values.length * leafCharacters : values.length;
    return completeItems(run, values, [], hasLeaves ? leavesPerReading : objectsPerReading, completeItem);
  };
}

/** Items of a list between two readings of the clock: an object takes up to 100 µs, and usually as long as four loaded values. */
const objectsPerReading = 16;
const worksPerObject = 4;
const leavesPerReading = 1_000;

/** Completes the items of a list that `items` lacks, in turns of the event loop. */
function completeItems(
  run: Run,
  values: readonly unknown[],
  items: unknown[],
  itemsPerReading: number,
  complete: (item: unknown, index: number) => unknown,
): unknown[] | Promise<unknown[]> {
  const first = items.length;
  try {
    for (let index = first; index < values.length; index++) {
      if (index > first && index % itemsPerReading === 0 && run.turns.isDue(worksPerObject * itemsPerReading)) {
        ignoreRejections(items, first);
        return run.turns.defer(() => completeItems(run, values, items, itemsPerReading, complete));
      }
      items.push(complete(values[index], index));
    }
  } catch (error) {
    ignoreRejections(items, first);
    throw error;
  }
  return items.some(isPromise) ? Promise.all(items) : items;
}

/** An item may reject before `Promise.all` has the list, which says so at the end, or after another item has failed the list. */
function ignoreRejections(items: readonly unknown[], from: number): void {
  for (const item of items.slice(from)) if (isPromise(item)) item.then(undefined, () => {});
}

function abstractCompletion(type: GraphQLAbstractType): Complete {
  return (run, value, path, field, fieldPath) => {
    const complete = (name: unknown): unknown => {
      const runtimeType = requireRuntimeType(run.plan.schema, type, name, value, field);
      return completeObject(run, runtimeType, value, path, field, fieldPath);
    };
    const { __typename: name } = value as { __typename?: unknown };
    if (!type.resolveType && typeof value === 'object' && typeof name === 'string') return complete(name);
    const resolveType = type.resolveType ?? defaultTypeResolver;
    const resolved = resolveType(value, run.context, field.infoOf(run, fieldPath), type);
    return isPromise(resolved) ? resolved.then(complete) : complete(resolved);
  };
}

const objectCompletion =
  (type: GraphQLObjectType): Complete =>
  (run, value, path, field, fieldPath) =>
    completeObject(run, type, value, path, field, fieldPath);

function completeObject(
  run: Run,
  type: GraphQLObjectType,
  value: unknown,
  path: Path,
  field: FieldPlan,
  fieldPath: Path,
): unknown {
  const selection = field.selectionOn(type);
  if (!type.isTypeOf) return executeFields(run, selection, value, path);
  const execute = (isOfType: boolean): unknown => {
    if (isOfType) return executeFields(run, selection, value, path);
    throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, { nodes: field.nodes });
  };
  const isOfType = type.isTypeOf(value, run.context, field.infoOf(run, fieldPath));
  return isPromise(isOfType) ? isOfType.then(execute) : execute(isOfType);
}
