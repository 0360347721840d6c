import type { Config } from '../config/config.ts';
import type { WorkLimits } from '../workers/work-budget.ts';

/** The limits of the work budget of one request. */
export const requestWorkLimits = (config: Config): WorkLimits => ({
  steps: config.WORK_MAX_STEPS,
  objects: config.WORK_MAX_OBJECTS,
  bytes: config.WORK_MAX_MB * 1024 * 1024,
  milliseconds: config.WORK_TIMEOUT_MS,
});
