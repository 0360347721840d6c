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

/**
 * Prepares an operation for execution against the wire schema. graphql-js takes over what graphql-jit cannot compile, and
 * what it would compile into something else.
 */
export function prepare(
  operation: Operation,
  plan: Plan,
  wire: GraphQLSchema,
  wanted: Executor,
): { run: Run; executor: Executor } {
  const document = executable(operation, plan.outcome === 'asked' ? outcomeKey : undefined);
  const variables = [...operation.parameters, ...operation.agreements];
  if (wanted === 'compiled' && isCompilable(document, variables, wire)) {
    const compiled = compileQuery(wire, document, operation.name);
    if (isCompiledQuery(compiled)) {
      return { run: (variables, context) => compiled.query(undefined, context, variables), executor: 'compiled' };
    }
  }
  const args = { schema: wire, document, operationName: operation.name };
  return {
    run: (variables, context) => execute({ ...args, variableValues: variables, contextValue: context }),
    executor: 'interpreted',
  };
}
