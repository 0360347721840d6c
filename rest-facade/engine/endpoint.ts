import type { Executor, Run } from './execute.ts';
import type { Operation } from './operation.ts';
import type { Plan } from './plan.ts';

/** One endpoint, ready to run. */
export interface Endpoint {
  operation: Operation;
  plan: Plan;
  run: Run;
  /** How `run` works. Interpreted is right as well, and slower: lists should not be. */
  executor: Executor;
}
