import { createRequire } from 'node:module';
import type * as Jit from 'graphql-jit';
import type * as Runtime from 'graphql-jit/dist/runtime.js';

// The ES modules of graphql-jit import its CommonJS modules, so that only the patch of the latter has an effect.
const require = createRequire(import.meta.url);

type LoadedJit = Pick<typeof Jit, 'compileQuery' | 'isCompiledQuery'>;

let loaded: LoadedJit | null | undefined;

/** The optional package graphql-jit, loaded and patched by the first call; undefined if it is not installed. */
export function loadJit(): LoadedJit | undefined {
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
