import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { executableDocument } from './executable-document.ts';
import { compileQuery, isCompiledQuery } from './graphql-jit.ts';
import { isCompilable } from './jit-compatibility.ts';
import type { Operation } from './operation.ts';
import type { ResponsePlan } from './response-plan.ts';

export type ExecuteOperation = (
  variables: Record<string, unknown>,
  context: unknown,
) => ExecutionResult | Promise<ExecutionResult>;
/** graphql-jit or graphql-js. Both give the same data; `interpreted` is the reference. */
export type Executor = 'compiled' | 'interpreted';

/** The alias of `__typename` in a queried outcome. GraphQL reserves names with two underscores; one could be a published key. */
export const outcomeKey = '_outcome_';

/** An operation, ready to execute. */
export interface PreparedOperation {
  execute: ExecuteOperation;
  /** The executor in use. Interpreted is correct but slower, so that lists should be compiled. */
  executor(): Executor;
}

/**
 * Prepares an operation for execution against the wire schema. graphql-js executes what graphql-jit cannot compile or compiles
 * incorrectly. The operation is compiled by its first request: compiling all of them at boot took a fifth of the time to read a
 * contract, and a process may never serve most of them.
 */
export function prepareOperation(
  operation: Operation,
  plan: ResponsePlan,
  wire: GraphQLSchema,
  preferred: Executor,
): PreparedOperation {
  let run: ExecuteOperation | undefined;
  let executor: Executor = 'interpreted';
  const ready = (): ExecuteOperation => {
    if (run) return run;
    const document = executableDocument(operation, plan.outcome === 'queried' ? outcomeKey : undefined);
    const args = { schema: wire, document, operationName: operation.name };
    run = (variables, context) => execute({ ...args, variableValues: variables, contextValue: context });
    const variables = [...operation.parameters, ...operation.negotiated];
    const mayCompile = preferred === 'compiled' && isCompilable(document, variables, wire);
    const compiled = mayCompile ? compileQuery(wire, document, operation.name) : undefined;
    if (!compiled || !isCompiledQuery(compiled)) return run;
    executor = 'compiled';
    run = (variables, context) => compiled.query(undefined, context, variables);
    return run;
  };
  return {
    execute: (variables, context) => ready()(variables, context),
    executor() {
      ready();
      return executor;
    },
  };
}
