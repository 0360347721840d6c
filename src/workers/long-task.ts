import type { ConnectionPool } from '../db/connection-pool.ts';
import { serviceUnavailable } from '../errors/errors.ts';
import type { WorkInput } from './computation.ts';
import { WorkBudget } from './work-budget.ts';
import { fromSentError } from './work-errors.ts';
import { WorkProcessEnded, WorkProcessUnstarted } from './work-process.ts';
import type { WorkProcesses, WorkQueueLimits } from './work-processes.ts';

/** What a long task works with. */
export interface LongSource {
  /** Of sessions that may write. */
  readonly pool: ConnectionPool;
  readonly signal: AbortSignal;
}

/**
 * Work of a job over one repository that takes seconds to an hour, and runs in this process or in a child process, with the same result.
 * It reads, writes and starts processes of git itself. `Input` and `Output` are plain data, as those of a computation.
 */
export interface LongTask<Input extends WorkInput, Output> {
  /** Its name in the list of the program: `collect`. */
  readonly name: string;
  run(source: LongSource, input: Input): Promise<Output>;
}

/** The concurrency of the jobs bounds the queue. */
const queue: WorkQueueLimits = {
  maxQueued: Number.POSITIVE_INFINITY,
  maxQueuedPerKey: Number.POSITIVE_INFINITY,
  maxQueueMs: Number.POSITIVE_INFINITY,
};

/** Child processes for the long tasks of jobs, beside those of computations: a request never waits for one of them. */
export class LongWork {
  readonly processes: WorkProcesses;

  constructor(processes: WorkProcesses) {
    this.processes = processes;
  }

  /** @throws as the task; the reason of the signal; SERVICE_UNAVAILABLE when the process ended */
  async run<Input extends WorkInput, Output>(
    task: LongTask<Input, Output>,
    input: Input,
    source: LongSource,
  ): Promise<Output> {
    if (!this.processes.areAvailable) return task.run(source, input);
    const { signal } = source;
    try {
      const { result } = await this.processes.run({
        key: task.name,
        task: queue,
        order: { kind: 'run', name: task.name, input, budget: WorkBudget.unlimited().state },
        deadlineMs: Number.POSITIVE_INFINITY,
        signal,
      });
      if ('error' in result) throw fromSentError(result.error);
      return result.value as Output;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WorkProcessUnstarted) return task.run(source, input);
      if (error instanceof WorkProcessEnded)
        throw serviceUnavailable({ reason: 'work_ended' }, `The process of the task «${task.name}» was ended.`);
      throw error;
    }
  }
}

/** Runs a task in a child process where there are some. @throws as `LongWork.run` */
export function runLong<Input extends WorkInput, Output>(
  work: LongWork | undefined,
  task: LongTask<Input, Output>,
  input: Input,
  source: LongSource,
): Promise<Output> {
  return work ? work.run(task, input, source) : task.run(source, input);
}
