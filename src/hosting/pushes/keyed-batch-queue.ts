/** What became of one piece of work. */
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
  /** Ends the wait when it has been too long. */
  timer?: NodeJS.Timeout;
  settle(outcome: Outcome<Result>): void;
}

/** Jobs of one turn: who waits behind them, here or in another process, waits for all. */
const maxBatchSize = 16;

interface KeyedBatchQueueOptions<Job, Result> {
  /** Gives an outcome for each job. */
  runBatch(jobs: readonly Job[]): Promise<Outcome<Result>[]>;
  /** Milliseconds that a job waits for its turn. */
  waitTimeoutMs: number;
  /** What comes of one that has waited for longer. */
  onTimeout(job: Job): Result;
}

/**
 * Does jobs of one key one after the other, in the order in which they come. Nobody waits where nobody is at work; those that
 * come while somebody is are done together in the next turn.
 */
export class KeyedBatchQueue<Job, Result> {
  readonly #options: KeyedBatchQueueOptions<Job, Result>;
  /** A key is here while somebody is at work for it. */
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
        settle('value' in outcomes ? (outcomes.value[at] ?? { error: new Error('A job has no outcome.') }) : outcomes);
      }
    }
    this.#queues.delete(key);
  }
}
