import {
  defaultFieldResolver,
  defaultTypeResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  GraphQLBoolean,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLString,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { getFieldDef } from 'graphql/execution/execute.js';
import { inspect } from 'graphql/jsutils/inspect.js';
import { JsonText } from 'operation-rest';
import { Connection } from '../db/connection.ts';
import type { JsonField } from '../db/json-columns.ts';
import type { CoercedVariables } from '../limits/query-arguments.ts';
import type { TurnQueue } from '../workers/event-loop-turn.ts';
import type { CollectedErrors } from './collected-errors.ts';
import { areReadWithNodes, jsonFieldsOf } from './json-list.ts';
import { requireRuntimeType } from './runtime-type.ts';

/** One execution of an operation. */
export interface Run {
  readonly plan: ExecutionPlan;
  readonly variables: CoercedVariables;
  readonly context: unknown;
  readonly errors: CollectedErrors;
  /** Whether the data may have a `JsonText`: the serializer of the response knows it. */
  readonly hasJsonLists: boolean;
  /** Loaded objects that wait for their completion: one statement may load thousands, which all go on in one turn. */
  readonly turns: TurnQueue;
  /** Characters of the JSON so far, without escapes. */
  characters: number;
}

/** Characters of a number, a boolean or null with its separator, and of the quotes of a string. */
const leafCharacters = 30;

type Fragments = Record<string, FragmentDefinitionNode>;
type Path = ResponsePath;
type Data = Record<string, unknown>;
type Resolver = GraphQLFieldResolver<unknown, unknown>;
/** A property of a row that is called in the place of a resolver. */
type Method = (args: Data, context: unknown, info: GraphQLResolveInfo) => unknown;

/** Completes a value of a field or an item at `path`. */
type Complete = (run: Run, value: unknown, path: Path, field: FieldPlan, fieldPath: Path) => unknown;

/** The fields selected on one object type at one position. */
export interface SelectionPlan {
  readonly fields: readonly FieldPlan[];
  /** Characters of the keys and of leaves without their strings. */
  readonly characters: number;
  /** Makes the object of the result. */
  makeData(): Data;
}

/**
 * How one operation with given conditions is executed: for each object type that has occurred at a position the collected fields, with
 * their definitions, constant arguments and completion. graphql-js works them out for every object of every request.
 */
export class ExecutionPlan {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly operation: OperationDefinitionNode;
  readonly root: SelectionPlan;
  /** Number of planned fields. */
  size = 0;
  /** With the values of all conditions. */
  readonly #conditions: CoercedVariables;

  constructor(
    schema: GraphQLSchema,
    fragments: Fragments,
    operation: OperationDefinitionNode,
    conditions: CoercedVariables,
  ) {
    this.schema = schema;
    this.fragments = fragments;
    this.operation = operation;
    this.#conditions = conditions;
    const type = schema.getRootType(operation.operation);
    if (!type) throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`);
    this.root = this.#plan(type, collectFields(schema, fragments, conditions as Data, type, operation.selectionSet));
  }

  /** The selection of a field on an object of the type. */
  select(type: GraphQLObjectType, nodes: readonly FieldNode[]): SelectionPlan {
    const { schema, fragments } = this;
    return this.#plan(type, collectSubfields(schema, fragments, this.#conditions as Data, type, nodes));
  }

  #plan(type: GraphQLObjectType, collected: ReadonlyMap<string, readonly FieldNode[]>): SelectionPlan {
    const fields: FieldPlan[] = [];
    for (const [key, nodes] of collected) {
      const definition = getFieldDef(this.schema, type, nodes[0] as FieldNode);
      if (definition) fields.push(new FieldPlan(this, type, key, nodes, definition));
    }
    if (areReadWithNodes(fields)) for (const field of fields) field.isReadAsJson = field.name === 'nodes';
    this.size += fields.length;
    // An ordinary object is made and serialized in half the time, but `__proto__` is no property of it.
    const isOrdinary = !collected.has('__proto__');
    const characters = fields.reduce((sum, { key }) => sum + key.length + leafCharacters, 2);
    return { fields, characters, makeData: isOrdinary ? () => ({}) : () => Object.create(null) as Data };
  }
}

/** Types whose `serialize` returns such a value unchanged, an Int if it has 32 bits. */
const plainTypes = new Map<GraphQLOutputType, 'string' | 'number' | 'boolean'>([
  [GraphQLString, 'string'],
  [GraphQLID, 'string'],
  [GraphQLInt, 'number'],
  [GraphQLBoolean, 'boolean'],
]);

/** One field of a selection. */
export class FieldPlan {
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly name: string;
  readonly parentType: GraphQLObjectType;
  readonly returnType: GraphQLOutputType;
  /** Undefined: the property of the same name. */
  readonly resolve: Resolver | undefined;
  /** A property of this type is serialized as it is. */
  readonly plain: 'string' | 'number' | 'boolean' | undefined;
  readonly complete: Complete;
  readonly isLeaf: boolean;
  /** Whether it has a selection. */
  readonly isComposite: boolean;
  /** Whether these are the nodes of a connection, which the database may print. */
  isReadAsJson = false;
  readonly #plan: ExecutionPlan;
  readonly #definition: GraphQLField<unknown, unknown>;
  readonly #selections = new Map<GraphQLObjectType, SelectionPlan>();
  readonly #constantArguments: Data | undefined;
  #jsonFields: JsonField[] | 'none' | undefined;

  constructor(
    plan: ExecutionPlan,
    parentType: GraphQLObjectType,
    key: string,
    nodes: readonly FieldNode[],
    definition: GraphQLField<unknown, unknown>,
  ) {
    this.#plan = plan;
    this.#definition = definition;
    this.key = key;
    this.nodes = nodes;
    this.name = definition.name;
    this.parentType = parentType;
    this.returnType = definition.type;
    this.resolve = definition.resolve === defaultFieldResolver ? undefined : definition.resolve;
    this.complete = completionOf(definition.type);
    this.plain = this.resolve ? undefined : plainTypes.get(getNullableType(definition.type));
    this.isLeaf = isLeafType(getNullableType(definition.type));
    this.isComposite = isCompositeType(getNamedType(definition.type));
    this.#constantArguments = constantArguments(definition, nodes[0] as FieldNode);
  }

  get extensions(): GraphQLField<unknown, unknown>['extensions'] {
    return this.#definition.extensions;
  }

  get hasArguments(): boolean {
    return this.#definition.args.length > 0;
  }

  /** The selected fields of nodes that the database can print. */
  get jsonFields(): JsonField[] | undefined {
    this.#jsonFields ??= jsonFieldsOf(this) ?? 'none';
    return this.#jsonFields === 'none' ? undefined : this.#jsonFields;
  }

  /** The selection on an object of the type. */
  selectionOn(type: GraphQLObjectType): SelectionPlan {
    let selection = this.#selections.get(type);
    if (!selection) {
      selection = this.#plan.select(type, this.nodes);
      this.#selections.set(type, selection);
    }
    return selection;
  }

  /** A new object, because a resolver may change it. @throws GraphQLError for a value that only execution shows to be missing */
  argumentsOf({ variables }: Run): Data {
    if (this.#constantArguments) return { ...this.#constantArguments };
    return getArgumentValues(this.#definition, this.nodes[0] as FieldNode, variables as Data);
  }

  infoOf({ variables }: Run, path: Path): GraphQLResolveInfo {
    const { schema, fragments, operation } = this.#plan;
    return {
      fieldName: this.name,
      fieldNodes: this.nodes,
      returnType: this.returnType,
      parentType: this.parentType,
      path,
      schema,
      fragments,
      rootValue: undefined,
      operation,
      variableValues: variables as Data,
    };
  }

  pathBelow(parent: Path | undefined): Path {
    return { prev: parent, key: this.key, typename: this.parentType.name };
  }
}

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
    const value = executeField(run, field, undefined, undefined);
    data[field.key] = isPromise(value) ? await value : value;
  }
  return data;
}

function executeField(run: Run, field: FieldPlan, source: unknown, parentPath: Path | undefined): unknown {
  let path: Path | undefined;
  try {
    let value: unknown;
    const nodes = field.isReadAsJson && run.hasJsonLists ? readNodes(run, field, source) : undefined;
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
function readNodes(run: Run, field: FieldPlan, source: unknown): Promise<JsonText> | undefined {
  const fields = source instanceof Connection ? field.jsonFields : undefined;
  const read = fields && (source as Connection<object>).nodesAsJson(fields);
  return read?.then(text => {
    run.characters += text.length;
    return new JsonText(text);
  });
}

/** Records an error and returns null, or throws it to the parent if the type is non-null. */
function nullFor(run: Run, field: FieldPlan, type: GraphQLOutputType, error: unknown, path: Path): null {
  const located = locatedError(error, field.nodes, responsePathAsArray(path));
  if (isNonNullType(type)) throw located;
  run.errors.add(located, path);
  return null;
}

/** Given to the completion of leaves, which does not read it. */
const noPath: Path = { prev: undefined, key: '', typename: undefined };

const completions = new WeakMap<GraphQLOutputType, Complete>();

function completionOf(type: GraphQLOutputType): Complete {
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
  return (run, value) => {
    const serialized: unknown = type.serialize(value);
    if (typeof serialized === 'string') {
      run.characters += serialized.length;
      return serialized;
    }
    // A scalar of JSON values: the data must be measured.
    if (typeof serialized === 'object' && serialized !== null) run.characters = Number.POSITIVE_INFINITY;
    if (serialized !== null && serialized !== undefined) return serialized;
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

/** What completes a loaded value: an object may have thousands beside it that were loaded by the same statement. */
function completeInTurn(
  run: Run,
  field: FieldPlan,
  complete: (value: unknown) => unknown,
): (value: unknown) => unknown {
  return field.isComposite ? value => run.turns.run(() => complete(value)) : complete;
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

/** Argument values that no request changes; undefined if there are others, or lists and objects, which a resolver might change. */
function constantArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): Data | undefined {
  const isVariable = node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE) === true;
  if (isVariable || node.arguments?.some(({ value }) => value.kind === Kind.LIST || value.kind === Kind.OBJECT)) {
    return undefined;
  }
  try {
    const values = getArgumentValues(definition, node, {});
    return Object.values(values).some(value => typeof value === 'object' && value !== null) ? undefined : values;
  } catch {
    // An error of each execution.
    return undefined;
  }
}

function isObject(value: unknown): value is Data {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
