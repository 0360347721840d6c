import { createRequire } from 'node:module';
import type * as Jit from 'graphql-jit';
import type * as Runtime from 'graphql-jit/dist/runtime.js';

// The ES modules of graphql-jit import its CommonJS ones, so only those are the ones that run.
const require = createRequire(import.meta.url);
export const { compileQuery, isCompiledQuery }: typeof Jit = require('graphql-jit');
const { jitRuntime }: typeof Runtime = require('graphql-jit/dist/runtime.js');

/** What graphql-jit keeps while it runs one operation, as far as it is needed here. */
interface JitExecution {
  promiseCounter: number;
  errors: unknown[];
  GraphQLError: new (message: string, locations: [], path: [], cause: unknown) => unknown;
  /** Goes on with the next field of a mutation, or ends. */
  resolve(running: JitExecution): void;
  /** Ends a mutation. */
  finalResolve?(running: JitExecution): void;
}

/**
 * graphql-jit 0.8.9 goes on with a resolver's promise outside of any `try`. What the compiled code throws there, be it the
 * getter of a row or the function that tells a type, would be an unhandled rejection: it ends the process, and the request
 * never ends. This makes it an error of the result, which is what it is where no promise was waited for.
 */
Object.assign(jitRuntime, { handleResolverResult: handleResult, handleListItemResult: handleResult });

function handleResult(
  running: JitExecution,
  value: unknown,
  succeed: (value: unknown) => void,
  fail: (error: unknown) => void,
): void {
  if (!isPromise(value)) {
    succeed(value);
    return;
  }
  running.promiseCounter++;
  value.then(
    (result: unknown) => {
      try {
        succeed(result);
      } catch (error) {
        recordError(running, error);
      }
      settlePromise(running);
    },
    (reason: unknown) => {
      try {
        fail(reason);
      } catch (error) {
        recordError(running, error);
      }
      settlePromise(running);
    },
  );
}

function settlePromise(running: JitExecution): void {
  running.promiseCounter--;
  if (running.promiseCounter > 0) return;
  try {
    running.resolve(running);
  } catch (error) {
    recordError(running, error);
    running.finalResolve?.(running);
  }
}

function recordError({ errors, GraphQLError }: JitExecution, error: unknown): void {
  errors.push(new GraphQLError(error instanceof Error ? error.message : String(error), [], [], error));
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return jitRuntime.isPromise(value);
}
