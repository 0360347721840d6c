import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { TurnQueue } from '../event-loop-turn.ts';
import { CollectedErrors } from './collected-errors.ts';
import { completionOf } from './complete-value.ts';
import { conditionVariables } from './condition-variables.ts';
import { executeFields, executeFieldsSerially } from './execute-fields.ts';
import { type CoercedVariables, ExecutionPlan, type Fragments, type Run } from './execution-plan.ts';
import type { JsonRules, ReadList } from './printed-lists.ts';

/** Maximum plans of one operation: three conditions have eight combinations. */
const maxPlans = 8;

/** Result of an execution. */
export interface PlannedResult {
  data: Record<string, unknown> | null;
  /** Undefined if there are none. */
  errors: readonly GraphQLError[] | undefined;
  /** Upper bound of the characters of `data` as JSON, each escape counted as the character it stands for. */
  maxCharacters: number;
}

/** One execution of a plan. */
export interface Execution {
  /** Value of the root, undefined for most schemas. */
  source?: unknown;
  context: unknown;
  /** Coerced: see `OperationPlan.coerce`. */
  variables: CoercedVariables;
  /** Reads lists as JSON. Without it no list of the data is a `JsonText`. */
  readList?: ReadList | undefined;
}

/**
 * How one operation is executed: a plan for each combination of its conditions (`@skip`, `@include`) that has occurred. A plan has only
 * what has been executed, so that documents of callers cannot fill the memory by what they select.
 */
export class OperationPlan {
  readonly operation: OperationDefinitionNode;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #conditions: readonly string[];
  readonly #lists: JsonRules;
  readonly #plans = new Map<string, ExecutionPlan>();

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode = onlyOperation(document),
    lists: JsonRules = {},
  ) {
    this.#schema = schema;
    this.operation = operation;
    this.#lists = lists;
    this.#fragments = Object.create(null) as Record<string, FragmentDefinitionNode>;
    for (const one of document.definitions) {
      if (one.kind === Kind.FRAGMENT_DEFINITION) this.#fragments[one.name.value] = one;
    }
    this.#conditions = conditionVariables(document);
  }

  /** Number of planned fields, which grows with the types and conditions that occur. */
  get size(): number {
    let size = 0;
    for (const plan of this.#plans.values()) size += plan.size;
    return size;
  }

  /** The values of the variables of a request, or what is wrong with them. */
  coerce(sent: Readonly<Record<string, unknown>>): ReturnType<typeof getVariableValues> {
    return getVariableValues(this.#schema, this.operation.variableDefinitions ?? [], sent, { maxErrors: 50 });
  }

  /** The plan for the conditions of a request. @throws GraphQLError for a condition at the root that is no Boolean */
  planFor(variables: CoercedVariables): ExecutionPlan {
    let key = '';
    const conditions = Object.create(null) as Record<string, unknown>;
    for (const name of this.#conditions) {
      // A document may have conditions of several operations, and a variable another operation declares is absent.
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (typeof value === 'boolean' || value === null) conditions[name] = value;
      key += String(conditions[name]).charAt(0);
    }
    const known = this.#plans.get(key);
    if (known) return known;
    const made = new ExecutionPlan(
      this.#schema,
      this.#fragments,
      this.operation,
      conditions,
      this.#lists,
      completionOf,
    );
    if (this.#plans.size >= maxPlans) this.#plans.delete(this.#plans.keys().next().value ?? '');
    this.#plans.set(key, made);
    return made;
  }
}

/**
 * Executes a query, a mutation or one event of a subscription by the algorithm of graphql-js 16, with its order of resolvers, its errors
 * and its propagation of null.
 */
export async function execute(
  plan: OperationPlan,
  { source, context, variables, readList }: Execution,
): Promise<PlannedResult> {
  const errors = new CollectedErrors();
  let run: Run | undefined;
  let data: Record<string, unknown> | null = null;
  try {
    const turns = new TurnQueue();
    run = { plan: plan.planFor(variables), source, variables, context, errors, readList, turns, characters: 0 };
    data =
      plan.operation.operation === OperationTypeNode.MUTATION
        ? await executeFieldsSerially(run, run.plan.root)
        : await executeFields(run, run.plan.root, source, undefined);
  } catch (error) {
    errors.add(error as GraphQLError, undefined);
  }
  return { data, errors: errors.list.length > 0 ? errors.list : undefined, maxCharacters: run?.characters ?? 0 };
}

/** Executes the only operation of a document with variables as they are sent; its plan is kept as long as the document. */
export async function executeDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  {
    variables = {},
    context,
    source,
  }: { variables?: Readonly<Record<string, unknown>>; context: unknown; source?: unknown },
): Promise<ExecutionResult> {
  const plan = planOf(schema, document);
  const { coerced, errors } = plan.coerce(variables);
  if (!coerced) return { errors };
  const result = await execute(plan, { source, context, variables: coerced });
  return result.errors ? { data: result.data, errors: result.errors } : { data: result.data };
}

const plans = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, OperationPlan>>();

function planOf(schema: GraphQLSchema, document: DocumentNode): OperationPlan {
  const known = plans.get(schema) ?? new WeakMap<DocumentNode, OperationPlan>();
  plans.set(schema, known);
  const plan = known.get(document) ?? new OperationPlan(schema, document);
  known.set(document, plan);
  return plan;
}

/** @throws TypeError if the document has several operations, or none */
function onlyOperation({ definitions }: DocumentNode): OperationDefinitionNode {
  const [operation, other] = definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
  if (!operation || other) throw new TypeError('The document must have one operation.');
  return operation;
}
