import { readConfig } from '../../src/config/config.ts';
import { requestWorkLimits } from '../../src/context/request-work-limits.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';

const limits = requestWorkLimits(readConfig({}));

/** The budget that a request has by default. */
export const requestBudget = (): WorkBudget => new WorkBudget(limits);

/** A twentieth of it, so that work which only a budget ends takes half a second instead of ten. */
export const smallBudget = (): WorkBudget =>
  new WorkBudget({
    steps: limits.steps / 20,
    objects: limits.objects / 20,
    bytes: limits.bytes / 20,
    milliseconds: limits.milliseconds / 20,
  });
