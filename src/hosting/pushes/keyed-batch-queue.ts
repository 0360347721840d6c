/** The result of one job: its value or its error. */
export type Outcome<T> = { value: T; error?: undefined } | { error: unknown };

export async function captureOutcome<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
}

interface QueuedJob<Job, Result> {
  job: Job;
  /** Removes the job when it has waited too long. */
  timer?: NodeJS.Timeout;
  settle(outcome: Outcome<Result>): void;
}

/** Maximum jobs per batch. All jobs behind a batch, also in other processes, wait for all of it. */
const maxBatchSize = 16;

interface KeyedBatchQueueOptions<Job, Result> {
  /** Returns one outcome per job. */
  runBatch(jobs: readonly Job[]): Promise<Outcome<Result>[]>;
  /** Maximum wait of a job, in milliseconds. */
  waitTimeoutMs: number;
  /** The result of a job that waited too long. */
  onTimeout(job: Job): Result;
}

/**
 * Runs the jobs of one key in order, one batch at a time. Jobs that arrive while a batch runs form the next batch
 * (group commit); a job for an idle key starts immediately.
 */
export class KeyedBatchQueue<Job, Result> {
  readonly #options: KeyedBatchQueueOptions<Job, Result>;
  /** A key is present while one of its batches runs. */
  readonly #queues = new Map<string, QueuedJob<Job, Result>[]>();

  constructor(options: KeyedBatchQueueOptions<Job, Result>) {
    this.#options = options;
  }

  run(key: string, job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome<Result>): void =>
        'value' in outcome ? resolve(outcome.value) : reject(outcome.error);
      const queue = this.#queues.get(key);
      if (queue) {
        const waiting: QueuedJob<Job, Result> = { job, settle };
        waiting.timer = setTimeout(() => {
          queue.splice(queue.indexOf(waiting), 1);
          resolve(this.#options.onTimeout(job));
        }, this.#options.waitTimeoutMs);
        queue.push(waiting);
        return;
      }
      this.#queues.set(key, [{ job, settle }]);
      void this.#drain(key);
    });
  }

  async #drain(key: string): Promise<void> {
    for (let queue = this.#queues.get(key); queue && queue.length > 0; ) {
      const batch = queue.splice(0, maxBatchSize);
      for (const { timer } of batch) clearTimeout(timer);
      const outcomes = await captureOutcome(this.#options.runBatch(batch.map(({ job }) => job)));
      for (const [at, { settle }] of batch.entries()) {
        settle(
          'value' in outcomes
            ? (outcomes.value[at] ?? { error: new Error('runBatch returned no outcome for a job.') })
            : outcomes,
        );
      }
    }
    this.#queues.delete(key);
  }
}
