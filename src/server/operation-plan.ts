import {
  type DocumentNode,
  execute,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { CoercedVariables } from '../limits/query-arguments.ts';
import { TurnQueue } from '../workers/event-loop-turn.ts';
import { CollectedErrors } from './collected-errors.ts';
import { conditionVariables } from './condition-variables.ts';
import { ExecutionPlan, executeFields, executeFieldsSerially, type Run } from './execution-plan.ts';

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

/** Values of the variables of a request. */
export interface OperationVariables {
  sent: Readonly<Record<string, unknown>>;
  coerced: CoercedVariables;
}

/**
 * Executes one operation by plans, one for each combination of its conditions (`@skip`, `@include`) that has occurred.
 *
 * The result is that of graphql-js 16.15, with its order of resolvers, its errors and its propagation of null; tests execute the same
 * operations by both. Rejected: graphql-jit, which executes the operations of the REST contracts. It reports other errors where two
 * non-null fields of an object fail, needs nine exceptions (`jit-compatibility.ts`), cannot take part in conditions, and a caller could
 * have it compile megabytes of code with documents of his own; a plan has only what has been executed.
 */
export class OperationPlan {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #operation: OperationDefinitionNode;
  readonly #fragments: Record<string, FragmentDefinitionNode>;
  readonly #conditions: readonly string[];
  readonly #plans = new Map<string, ExecutionPlan>();

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.#schema = schema;
    this.#document = document;
    this.#operation = operation;
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

  /** Executes a query or a mutation. @param hasJsonLists see `Run` */
  async execute(
    variables: OperationVariables,
    context: unknown,
    { hasJsonLists = false }: { hasJsonLists?: boolean } = {},
  ): Promise<PlannedResult> {
    const plan = this.#planFor(variables.coerced);
    if (!plan) return this.#interpret(variables, context);
    const errorsOfRun = new CollectedErrors();
    const run: Run = {
      plan,
      variables: variables.coerced,
      context,
      errors: errorsOfRun,
      hasJsonLists,
      turns: new TurnQueue(),
      characters: 0,
    };
    let data: Record<string, unknown> | null = null;
    try {
      data =
        this.#operation.operation === OperationTypeNode.MUTATION
          ? await executeFieldsSerially(run, plan.root)
          : await executeFields(run, plan.root, undefined, undefined);
    } catch (error) {
      run.errors.add(error as GraphQLError, undefined);
    }
    const errors = run.errors.list.length > 0 ? run.errors.list : undefined;
    return { data, errors, maxCharacters: run.characters };
  }

  /** By graphql-js: a condition that is null or absent is an error of the field that has it. */
  async #interpret({ sent }: OperationVariables, context: unknown): Promise<PlannedResult> {
    const { data = null, errors } = await execute({
      schema: this.#schema,
      document: this.#document,
      operationName: this.#operation.name?.value ?? null,
      variableValues: sent,
      contextValue: context,
    });
    return { data, errors, maxCharacters: Number.POSITIVE_INFINITY };
  }

  /** @returns undefined if a condition is not a Boolean */
  #planFor(variables: CoercedVariables): ExecutionPlan | undefined {
    let key = '';
    for (const name of this.#conditions) {
      // A document may have conditions of several operations, and a variable another operation declares is absent.
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (typeof value !== 'boolean') return undefined;
      key += value ? 't' : 'f';
    }
    const known = this.#plans.get(key);
    if (known) return known;
    if (this.#plans.size >= maxPlans) this.#plans.delete(this.#plans.keys().next().value ?? '');
    const made = new ExecutionPlan(this.#schema, this.#fragments, this.#operation, variables);
    this.#plans.set(key, made);
    return made;
  }
}
