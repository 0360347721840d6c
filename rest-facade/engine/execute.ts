import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { isCompilable } from './compilable.ts';
import { compileQuery, isCompiledQuery } from './jit.ts';
import type { Operation } from './operation.ts';
import type { Plan } from './plan.ts';
import { executable } from './read-operations.ts';

export type Run = (variables: Record<string, unknown>, context: unknown) => ExecutionResult | Promise<ExecutionResult>;
/** The two ways to run an operation. They give the same data; `interpreted` is what the other is held against. */
export type Executor = 'compiled' | 'interpreted';

/** The key under which the type of an outcome is read. Two underscores belong to GraphQL and one could be a real key. */
export const outcomeKey = '_outcome_';

/** How an operation is run. */
export interface Prepared {
  run: Run;
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
export function prepare(operation: Operation, plan: Plan, wire: GraphQLSchema, wanted: Executor): Prepared {
  let run: Run | undefined;
  let executor: Executor = 'interpreted';
  const ready = (): Run => {
    if (run) return run;
    const document = executable(operation, plan.outcome === 'asked' ? outcomeKey : undefined);
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
