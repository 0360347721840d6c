import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { estimateCompileSteps, expressionError } from './text-pattern.ts';

/** A regular expression of 511 characters takes up to 110 ms to compile, and a ruleset can have 50. */
const checkTask: WorkerTask<readonly string[], (string | undefined)[]> = {
  name: 'expressions of rules',
  program: programBeside(import.meta.url, 'expression-worker'),
  deadlineMs: 2_000,
  maxQueued: 20,
  maxQueuedPerKey: 2,
  maxQueueMs: 5_000,
};

/** Cost limit for compiling on the main thread: about 1 ms. */
const maxMainThreadSteps = 10_000;

/**
 * Compiles regular expressions. Returns the error message of each, or undefined for a valid one. `key` selects the
 * queue: the owner of the rules. Call it before a transaction begins, so that no database connection waits.
 *
 * @throws 503 when no worker thread is free.
 */
export async function checkExpressions(
  key: string,
  patterns: readonly string[],
): Promise<Map<string, string | undefined>> {
  const unique = [...new Set(patterns)];
  const steps = unique.reduce((sum, one) => sum + estimateCompileSteps(one), 0);
  if (steps <= maxMainThreadSteps) return new Map(unique.map(one => [one, expressionError(one)]));
  const outcome = await workerPool.run(checkTask, unique, { key });
  if (outcome.kind === 'busy')
    throw serviceUnavailable({ reason: 'patterns_busy' }, 'The rules cannot be checked at this moment. Try again.');
  if (outcome.kind === 'exhausted')
    return new Map(unique.map(one => [one, 'the expressions take too long to compile']));
  return new Map(unique.map((one, at) => [one, outcome.value[at]]));
}
