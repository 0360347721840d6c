/** What became of one piece of work. */
export type Outcome<T> = { value: T; error?: undefined } | { error: unknown };

export async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
}

interface Waiting<Job, Result> {
  job: Job;
  /** Ends the wait when it has been too long. */
  timer?: NodeJS.Timeout;
  settle(outcome: Outcome<Result>): void;
}

/** Jobs of one turn: who waits behind them, here or in another process, waits for all. */
const most = 16;

interface TurnQueueOptions<Job, Result> {
  /** Gives an outcome for each job. */
  work(jobs: readonly Job[]): Promise<Outcome<Result>[]>;
  /** Milliseconds that a job waits for its turn. */
  patience: number;
  /** What comes of one that has waited for longer. */
  late(job: Job): Result;
}

/**
 * Does jobs of one key one after the other, in the order in which they come. Nobody waits where nobody is at work; those that
 * come while somebody is are done together in the next turn.
 */
export class TurnQueue<Job, Result> {
  readonly #options: TurnQueueOptions<Job, Result>;
  /** A key is here while somebody is at work for it. */
  readonly #lines = new Map<string, Waiting<Job, Result>[]>();

  constructor(options: TurnQueueOptions<Job, Result>) {
    this.#options = options;
  }

  run(key: string, job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome<Result>): void =>
        'value' in outcome ? resolve(outcome.value) : reject(outcome.error);
      const line = this.#lines.get(key);
      if (line) {
        const waiting: Waiting<Job, Result> = { job, settle };
        waiting.timer = setTimeout(() => {
          line.splice(line.indexOf(waiting), 1);
          resolve(this.#options.late(job));
        }, this.#options.patience);
        line.push(waiting);
        return;
      }
      this.#lines.set(key, [{ job, settle }]);
      void this.#serve(key);
    });
  }

  async #serve(key: string): Promise<void> {
    for (let line = this.#lines.get(key); line && line.length > 0; ) {
      const turn = line.splice(0, most);
      for (const { timer } of turn) clearTimeout(timer);
      const outcomes = await outcomeOf(this.#options.work(turn.map(({ job }) => job)));
      for (const [at, { settle }] of turn.entries()) {
        settle('value' in outcomes ? (outcomes.value[at] ?? { error: new Error('A job has no outcome.') }) : outcomes);
      }
    }
    this.#lines.delete(key);
  }
}
