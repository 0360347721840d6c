import { createRequire } from 'node:module';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type * as Jit from 'graphql-jit';
import type * as Runtime from 'graphql-jit/dist/runtime.js';
import { compileLeafSerializer } from './serialize-leaves.ts';

// The ES modules of graphql-jit import its CommonJS modules, so that only the patch of the latter has an effect.
const require = createRequire(import.meta.url);

type LoadedJit = Pick<typeof Jit, 'compileQuery' | 'isCompiledQuery'>;

/** Executes one operation with variables that are coerced already. The data belongs to the caller. */
export type CompiledQuery = (
  root: unknown,
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>;

let loaded: LoadedJit | null | undefined;

/** Compiles an operation; undefined if graphql-jit is not installed or cannot compile it. See `isCompilable`. */
export function compileQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string,
): CompiledQuery | undefined {
  const jit = loadJit();
  const compiled = jit?.compileQuery(schema, document, operationName, { disableLeafSerialization: true });
  if (!jit || !compiled || !jit.isCompiledQuery(compiled)) return undefined;
  const { query } = compiled;
  const serialize = compileLeafSerializer(document, schema);
  if (!serialize) return query;
  const complete = (result: ExecutionResult): ExecutionResult => {
    if (!result.data) return result;
    const errors: GraphQLError[] = [];
    serialize(result.data, errors);
    return errors.length === 0 ? result : { data: result.data, errors: [...(result.errors ?? []), ...errors] };
  };
  return (root, context, variables) => {
    const result = query(root, context, variables);
    return result instanceof Promise ? result.then(complete) : complete(result);
  };
}

/** The optional package graphql-jit, loaded and patched by the first call; undefined if it is not installed. */
function loadJit(): LoadedJit | undefined {
  if (loaded === undefined) loaded = requireJit();
  return loaded ?? undefined;
}

function requireJit(): LoadedJit | null {
  try {
    const jit: typeof Jit = require('graphql-jit');
    patch(require('graphql-jit/dist/runtime.js'));
    return jit;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** The part of graphql-jit's execution state that is used here. */
interface JitExecution {
  promiseCounter: number;
  errors: unknown[];
  GraphQLError: new (message: string, locations: [], path: [], cause: unknown) => unknown;
  /** Continues with the next field of a mutation, or ends the execution. */
  resolve(execution: JitExecution): void;
  /** Ends a mutation. */
  finalResolve?(execution: JitExecution): void;
}

/**
 * graphql-jit 0.8.9 continues after a resolver's promise outside any `try`. An exception there, thrown by a row's getter or by
 * `resolveType`, for example, is an unhandled rejection: it ends the process and the request never ends. This patch makes it a
 * field error, as it is without a promise.
 */
function patch({ jitRuntime }: typeof Runtime): void {
  const { isPromise } = jitRuntime;
  const handleResult = (
    execution: JitExecution,
    value: unknown,
    succeed: (value: unknown) => void,
    fail: (error: unknown) => void,
  ): void => {
    if (isPromise(value)) handlePromise(execution, value as PromiseLike<unknown>, succeed, fail);
    else succeed(value);
  };
  Object.assign(jitRuntime, { handleResolverResult: handleResult, handleListItemResult: handleResult });
}

function handlePromise(
  execution: JitExecution,
  value: PromiseLike<unknown>,
  succeed: (value: unknown) => void,
  fail: (error: unknown) => void,
): void {
  execution.promiseCounter++;
  value.then(
    (result: unknown) => settlePromise(execution, succeed, result),
    (reason: unknown) => settlePromise(execution, fail, reason),
  );
}

/** Continues with the outcome of a promise, and ends the execution after the last one. */
function settlePromise(execution: JitExecution, next: (outcome: unknown) => void, outcome: unknown): void {
  try {
    next(outcome);
  } catch (error) {
    recordError(execution, error);
  }
  execution.promiseCounter--;
  if (execution.promiseCounter > 0) return;
  try {
    execution.resolve(execution);
  } catch (error) {
    recordError(execution, error);
    execution.finalResolve?.(execution);
  }
}

function recordError({ errors, GraphQLError }: JitExecution, error: unknown): void {
  errors.push(new GraphQLError(error instanceof Error ? error.message : String(error), [], [], error));
}
