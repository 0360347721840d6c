import type { LongTask } from '../workers/long-task.ts';
import { collectTask, repackTask } from './repositories/maintain-repository.ts';
import { scanTask } from './source-imports/scan-task.ts';

/** Every long task that child processes run. */
export const longTasks: readonly LongTask<never, unknown>[] = [collectTask, repackTask, scanTask];
