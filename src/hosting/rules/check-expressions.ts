import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { estimateCompileSteps, expressionError } from './text-pattern.ts';

/** An expression of 511 letters takes up to 110 ms to compile, and a ruleset has 50. */
const checkTask: WorkerTask<readonly string[], (string | undefined)[]> = {
  name: 'expressions of rules',
  program: programBeside(import.meta.url, 'expression-worker'),
  deadlineMs: 2_000,
  maxQueued: 20,
  maxQueuedPerKey: 2,
  maxQueueMs: 5_000,
};

/** As much as is compiled on the main thread: about 1 ms. */
const maxMainThreadSteps = 10_000;

/**
 * What is wrong with each expression, by expression; undefined for a good one. `key`: whose they are. Throws `unavailable` where no
 * thread is free. To be called before a transaction begins: no connection waits for it.
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
