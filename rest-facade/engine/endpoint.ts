import type { Prepared } from './execute.ts';
import type { Operation } from './operation.ts';
import type { Plan } from './plan.ts';

/** One endpoint, ready to run. */
export interface Endpoint extends Prepared {
  operation: Operation;
  plan: Plan;
}
