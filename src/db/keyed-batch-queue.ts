import { serviceUnavailable } from '../errors/errors.ts';
import { isDeadlock, isSessionIntact, isWriteUnavailable } from './sql-state.ts';
import type { WriteDeadline } from './write-deadline.ts';

/** The result of one job, or the error that it failed with. */
export type Outcome<T> = { value: T; error?: undefined } | { error: unknown };

/** The `timeout` of writes whose callers try again: 503 after 10 s, and nothing of the job was stored. */
export const busyTimeout = {
  ms: 10_000,
  outcome: (): Outcome<never> => ({ error: serviceUnavailable({ reason: 'database_busy' }) }),
};

/** Never rejects. */
export async function captureOutcome<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
}

/**
 * Runs jobs together. If that fails through one of them, such as a value that no column takes, runs each alone, so that only that one
 * fails. Not after errors that the others would meet as well, nor after one that leaves open whether the jobs were committed.
 */
export async function runTogether<Job, Result>(
  jobs: readonly Job[],
  run: (jobs: readonly Job[]) => Promise<Outcome<Result>[]>,
): Promise<Outcome<Result>[]> {
  const together = await captureOutcome(run(jobs));
  if ('value' in together) return together.value;
  const { error } = together;
  const isShared = !isSessionIntact(error) || (isWriteUnavailable(error) && !isDeadlock(error));
  if (jobs.length === 1 || isShared) return jobs.map(() => ({ error }));
  const outcomes: Outcome<Result>[] = [];
  for (const job of jobs) {
    const alone = await captureOutcome(run([job]));
    outcomes.push('value' in alone ? (alone.value[0] ?? { error }) : alone);
  }
  return outcomes;
}

/** Runs one job without others. @throws its error */
export async function runAlone<Job, Result>(
  job: Job,
  run: (jobs: readonly Job[]) => Promise<Outcome<Result>[]>,
): Promise<Result> {
  const [outcome] = await run([job]);
  if (!outcome) throw new TypeError('A job has no outcome.');
  if ('value' in outcome) return outcome.value;
  throw outcome.error;
}

export interface KeyedBatchQueueOptions<Job, Result> {
  /** Runs the jobs together and returns the outcome of each, in order. If it rejects, every job fails with that error. */
  runBatch(jobs: readonly Job[]): Promise<Outcome<Result>[]>;
  maxItems: number;
  /** Bounds the bytes of a batch. A single larger job is a batch of its own. */
  size?: { bytesOf(job: Job): number; maxBytes: number };
  /**
   * Least milliseconds between the starts of two batches; the first one then starts after the current turn of the event loop
   * and includes the jobs added in it. Absent: a job starts at once when no batch of its key is running.
   */
  intervalMs?: number;
  /** Bounds the wait for a batch; a job that has waited `ms` leaves the queue with this outcome. */
  timeout?: { ms: number; outcome(job: Job): Outcome<Result> };
  /** The time limit of the request of a job: see `admit`. Absent: the jobs have none. */
  deadlineOf?(job: Job): WriteDeadline | undefined;
}

interface QueuedJob<Job, Result> {
  job: Job;
  timer?: NodeJS.Timeout;
  settle(outcome: Outcome<Result>): void;
}

/**
 * Group commit: runs the jobs of one key in batches, in order of arrival and one batch at a time. Jobs that arrive while a batch
 * runs form the next one. Batches of different keys run concurrently.
 */
export class KeyedBatchQueue<Job, Result> {
  readonly #options: KeyedBatchQueueOptions<Job, Result>;
  /** The waiting jobs of each key that has a batch running. */
  readonly #queues = new Map<string, QueuedJob<Job, Result>[]>();

  constructor(options: KeyedBatchQueueOptions<Job, Result>) {
    this.#options = options;
  }

  /** Resolves or rejects with the outcome of the job. */
  run(key: string, job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome<Result>): void =>
        'value' in outcome ? resolve(outcome.value) : reject(outcome.error);
      const queued: QueuedJob<Job, Result> = { job, settle };
      const queue = this.#queues.get(key);
      if (queue) {
        queue.push(queued);
        this.#startTimeout(queue, queued);
        return;
      }
      const newQueue = [queued];
      this.#queues.set(key, newQueue);
      if (this.#options.intervalMs === undefined) void this.#drain(key, newQueue);
      else setImmediate(() => void this.#drain(key, newQueue));
    });
  }

  #startTimeout(queue: QueuedJob<Job, Result>[], queued: QueuedJob<Job, Result>): void {
    const { timeout } = this.#options;
    if (timeout === undefined) return;
    queued.timer = setTimeout(() => {
      queue.splice(queue.indexOf(queued), 1);
      queued.settle(timeout.outcome(queued.job));
    }, timeout.ms);
  }

  async #drain(key: string, queue: QueuedJob<Job, Result>[]): Promise<void> {
    const { intervalMs = 0 } = this.#options;
    while (queue.length > 0) {
      const startedAt = performance.now();
      const taken = queue.splice(0, this.#batchLength(queue));
      for (const { timer } of taken) clearTimeout(timer);
      const batch = this.#admit(taken);
      if (batch.length === 0) continue;
      const outcomes = await captureOutcome(this.#options.runBatch(batch.map(({ job }) => job)));
      for (const [at, { settle }] of batch.entries()) {
        settle('value' in outcomes ? (outcomes.value[at] ?? { error: new Error('A job has no outcome.') }) : outcomes);
      }
      const pauseMs = intervalMs - (performance.now() - startedAt);
      if (pauseMs > 0) await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
    this.#queues.delete(key);
  }

  /**
   * Jobs whose time limit has passed are not run. Those that share a transaction run to its end whatever the time: the limit of one
   * must not roll back the others. The transaction of a single job checks the limit itself, before its commit.
   */
  #admit(jobs: QueuedJob<Job, Result>[]): QueuedJob<Job, Result>[] {
    const { deadlineOf } = this.#options;
    if (deadlineOf === undefined) return jobs;
    return jobs.filter(({ job, settle }) => {
      const deadline = deadlineOf(job);
      try {
        if (jobs.length > 1) deadline?.beginCommit();
        else deadline?.assertOpen();
        return true;
      } catch (error) {
        settle({ error });
        return false;
      }
    });
  }

  #batchLength(queue: readonly QueuedJob<Job, Result>[]): number {
    const { maxItems, size } = this.#options;
    if (size === undefined) return maxItems;
    let bytes = 0;
    const end = queue.findIndex(({ job }, at) => {
      bytes += size.bytesOf(job);
      return at > 0 && bytes > size.maxBytes;
    });
    return end < 0 ? maxItems : Math.min(end, maxItems);
  }
}
