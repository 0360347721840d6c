import {
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isNonNullType,
  locatedError,
  responsePathAsArray,
} from 'graphql';
import { JsonText } from '../json-text.ts';
import type { Data, FieldPlan, Path, Run, SelectionPlan } from './execution-plan.ts';
import type { ReadList } from './printed-lists.ts';

/** A property of a row that is called in the place of a resolver. */
type Method = (args: Data, context: unknown, info: GraphQLResolveInfo) => unknown;

/** Executes fields concurrently. */
export function executeFields(
  run: Run,
  selection: SelectionPlan,
  source: unknown,
  path: Path | undefined,
): Data | Promise<Data> {
  const data = selection.makeData();
  run.characters += selection.characters;
  let pending: string[] | undefined;
  try {
    for (const field of selection.fields) {
      const value = executeField(run, field, source, path);
      data[field.key] = value;
      if (isPromise(value)) {
        if (pending) pending.push(field.key);
        else pending = [field.key];
      }
    }
  } catch (error) {
    if (!pending) throw error;
    // The others may reject as well.
    return settled(data, pending).finally(() => {
      throw error;
    });
  }
  return pending ? settled(data, pending) : data;
}

async function settled(data: Data, pending: readonly string[]): Promise<Data> {
  const values = await Promise.all(pending.map(key => data[key]));
  for (const [at, key] of pending.entries()) data[key] = values[at];
  return data;
}

/** Executes the fields of a mutation one after the other. */
export async function executeFieldsSerially(run: Run, selection: SelectionPlan): Promise<Data> {
  const data = selection.makeData();
  run.characters += selection.characters;
  for (const field of selection.fields) {
    const value = executeField(run, field, run.source, undefined);
    data[field.key] = isPromise(value) ? await value : value;
  }
  return data;
}

function executeField(run: Run, field: FieldPlan, source: unknown, parentPath: Path | undefined): unknown {
  let path: Path | undefined;
  try {
    let value: unknown;
    const nodes = field.isReadAsJson && run.readList ? readNodes(run, run.readList, field, source) : undefined;
    if (nodes) {
      path = field.pathBelow(parentPath);
      const at = path;
      return nodes.then(undefined, (error: unknown) => nullFor(run, field, field.returnType, error, at));
    }
    if (field.resolve) {
      path = field.pathBelow(parentPath);
      value = field.resolve(source, field.argumentsOf(run), run.context, field.infoOf(run, path));
    } else if (isObject(source)) {
      value = source[field.name];
      if (typeof value === field.plain && (field.plain !== 'number' || Object.is(value, (value as number) | 0))) {
        if (field.plain === 'string') run.characters += (value as string).length;
        return value;
      }
      if (typeof value === 'function') {
        path = field.pathBelow(parentPath);
        value = (value as Method).call(source, field.argumentsOf(run), run.context, field.infoOf(run, path));
      }
    }
    // A path per leaf would be a third of the objects of a list.
    if (field.isLeaf && !isPromise(value)) return field.complete(run, value, noPath, field, noPath);
    path ??= field.pathBelow(parentPath);
    const at = path;
    const complete = (result: unknown): unknown => field.complete(run, result, at, field, at);
    const completed = isPromise(value) ? value.then(completeInTurn(run, field, complete)) : complete(value);
    if (!isPromise(completed)) return completed;
    return completed.then(undefined, (error: unknown) => nullFor(run, field, field.returnType, error, at));
  } catch (error) {
    return nullFor(run, field, field.returnType, error, path ?? field.pathBelow(parentPath));
  }
}

/** The nodes of a connection as JSON; undefined if they must be executed. */
function readNodes(run: Run, read: ReadList, field: FieldPlan, source: unknown): Promise<JsonText> | undefined {
  const fields = field.jsonFields;
  return (fields && read(source, fields))?.then(text => {
    run.characters += text.length;
    return new JsonText(text);
  });
}

/** Records an error and returns null, or throws it to the parent if the type is non-null. */
export function nullFor(run: Run, field: FieldPlan, type: GraphQLOutputType, error: unknown, path: Path): null {
  const located = locatedError(error, field.nodes, responsePathAsArray(path));
  if (isNonNullType(type)) throw located;
  run.errors.add(located, path);
  return null;
}

/** Given to the completion of leaves, which does not read it. */
export const noPath: Path = { prev: undefined, key: '', typename: undefined };

/** What completes a loaded value: an object may have thousands beside it that were loaded by the same statement. */
export function completeInTurn(
  run: Run,
  field: FieldPlan,
  complete: (value: unknown) => unknown,
): (value: unknown) => unknown {
  return field.isComposite ? value => run.turns.run(() => complete(value)) : complete;
}

function isObject(value: unknown): value is Data {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
