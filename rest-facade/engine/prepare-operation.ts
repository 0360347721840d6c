import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from './graphql-jit.ts';
import { isCompilable } from './jit-compatibility.ts';
import type { Operation } from './operation.ts';
import { executableDocument } from './read-operations.ts';
import type { ResponsePlan } from './response-plan.ts';

export type ExecuteOperation = (
  variables: Record<string, unknown>,
  context: unknown,
) => ExecutionResult | Promise<ExecutionResult>;
/** The two ways to run an operation. They give the same data; `interpreted` is what the other is held against. */
export type Executor = 'compiled' | 'interpreted';

/** The key under which the type of an outcome is read. Two underscores belong to GraphQL and one could be a real key. */
export const outcomeKey = '_outcome_';

/** How an operation is run. */
export interface PreparedOperation {
  run: ExecuteOperation;
  /** How `run` works. Interpreted is right as well, and slower: lists should not be. */
  executor(): Executor;
}

/**
 * Prepares an operation for execution against the wire schema. graphql-js takes over what graphql-jit cannot compile, and
 * what it would compile into something else.
 *
 * It was checked when it was read; compiled it is when it is first asked for. At boot that took a fifth of the time in which
 * a contract is read, for operations most of which a process may never be asked for.
 */
export function prepareOperation(
  operation: Operation,
  plan: ResponsePlan,
  wire: GraphQLSchema,
  wanted: Executor,
): PreparedOperation {
  let run: ExecuteOperation | undefined;
  let executor: Executor = 'interpreted';
  const ready = (): ExecuteOperation => {
    if (run) return run;
    const document = executableDocument(operation, plan.outcome === 'asked' ? outcomeKey : undefined);
    const args = { schema: wire, document, operationName: operation.name };
    run = (variables, context) => execute({ ...args, variableValues: variables, contextValue: context });
    const variables = [...operation.parameters, ...operation.agreements];
    const mayCompile = wanted === 'compiled' && isCompilable(document, variables, wire);
    const compiled = mayCompile ? compileQuery(wire, document, operation.name) : undefined;
    if (!compiled || !isCompiledQuery(compiled)) return run;
    executor = 'compiled';
    run = (variables, context) => compiled.query(undefined, context, variables);
    return run;
  };
  return {
    run: (variables, context) => ready()(variables, context),
    executor() {
      ready();
      return executor;
    },
  };
}
