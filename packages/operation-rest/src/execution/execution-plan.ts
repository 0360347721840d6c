import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLBoolean,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLID,
  GraphQLInt,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLString,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isLeafType,
  Kind,
  type OperationDefinitionNode,
  type ResponsePath,
} from 'graphql';
import type { TurnQueue } from '../event-loop-turn.ts';
import { type Collected, collectFields, fieldDefinition } from './collect-fields.ts';
import type { CollectedErrors } from './collected-errors.ts';
import { areReadWithNodes, type JsonField, type JsonRules, jsonFieldsOf, type ReadList } from './printed-lists.ts';

/** One execution of an operation. */
export interface Run {
  readonly plan: ExecutionPlan;
  /** Value of the root, undefined for most schemas. */
  readonly source: unknown;
  readonly variables: CoercedVariables;
  readonly context: unknown;
  readonly errors: CollectedErrors;
  /** Without it no list of the data is a `JsonText`. */
  readonly readList: ReadList | undefined;
  /** Loaded objects that wait for their completion: one statement may load thousands, which all go on in one turn. */
  readonly turns: TurnQueue;
  /** Characters of the JSON so far, without escapes. */
  characters: number;
}

/** Characters of a number, a boolean or null with its separator, and of the quotes of a string. */
export const leafCharacters = 30;

/** Values of variables after coercion: defaults are filled in, absent variables are absent. */
export type CoercedVariables = Readonly<Record<string, unknown>>;

export type Fragments = Record<string, FragmentDefinitionNode>;
export type Path = ResponsePath;
export type Data = Record<string, unknown>;
type Resolver = GraphQLFieldResolver<unknown, unknown>;
/** Completes a value of a field or an item at `path`. */
export type Complete = (run: Run, value: unknown, path: Path, field: FieldPlan, fieldPath: Path) => unknown;

/** How values of a type are completed; a completion executes plans, so that it is given to them. */
export type CompletionOf = (type: GraphQLOutputType) => Complete;

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
  readonly lists: JsonRules;
  readonly completionOf: CompletionOf;
  /** Number of planned fields. */
  size = 0;
  /** With the values of all conditions. */
  readonly #conditions: CoercedVariables;

  constructor(
    schema: GraphQLSchema,
    fragments: Fragments,
    operation: OperationDefinitionNode,
    conditions: CoercedVariables,
    lists: JsonRules,
    completionOf: CompletionOf,
  ) {
    this.schema = schema;
    this.fragments = fragments;
    this.operation = operation;
    this.#conditions = conditions;
    this.lists = lists;
    this.completionOf = completionOf;
    const type = schema.getRootType(operation.operation);
    if (!type) throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`);
    this.root = this.#plan(type, collectFields(this, conditions, type, [operation.selectionSet]));
  }

  /** The selection of a field on an object of the type. */
  select(type: GraphQLObjectType, nodes: readonly FieldNode[]): SelectionPlan {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return this.#plan(type, collectFields(this, this.#conditions, type, sets));
  }

  #plan(type: GraphQLObjectType, collected: Collected): SelectionPlan {
    const fields: FieldPlan[] = [];
    for (const [key, nodes] of collected) {
      const definition = fieldDefinition(this.schema, type, (nodes[0] as FieldNode).name.value);
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
    this.complete = plan.completionOf(definition.type);
    this.plain = this.resolve ? undefined : plainTypes.get(getNullableType(definition.type));
    this.isLeaf = isLeafType(getNullableType(definition.type));
    this.isComposite = isCompositeType(getNamedType(definition.type));
    this.#constantArguments = constantArguments(definition, nodes[0] as FieldNode);
  }

  /** Of a field at the root of a subscription: makes its events. */
  get subscribe(): Resolver | undefined {
    return this.#definition.subscribe;
  }

  get extensions(): GraphQLField<unknown, unknown>['extensions'] {
    return this.#definition.extensions;
  }

  get hasArguments(): boolean {
    return this.#definition.args.length > 0;
  }

  /** The selected fields of nodes that the database can print. */
  get jsonFields(): JsonField[] | undefined {
    this.#jsonFields ??= jsonFieldsOf(this, this.#plan.lists) ?? 'none';
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

  infoOf({ variables, source }: Run, path: Path): GraphQLResolveInfo {
    const { schema, fragments, operation } = this.#plan;
    return {
      fieldName: this.name,
      fieldNodes: this.nodes,
      returnType: this.returnType,
      parentType: this.parentType,
      path,
      schema,
      fragments,
      rootValue: source,
      operation,
      variableValues: variables as Data,
    };
  }

  pathBelow(parent: Path | undefined): Path {
    return { prev: parent, key: this.key, typename: this.parentType.name };
  }
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
