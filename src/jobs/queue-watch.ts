import { type JobsDatabase, jobsSchema } from './jobs-database.ts';

interface QueueWatchOptions {
  database: JobsDatabase;
  /** Reads the names of queues, with `values` as its parameters. */
  statement: string;
  values?: readonly unknown[];
  intervalMs: number;
  /** Called for each queue that the statement names, one after the other. */
  onQueue(name: string): Promise<void> | void;
  onError(error: unknown): void;
}

/**
 * Queues of `$1` that have a job that is due, so that idle tasks need not poll: with a poll for each of 20 tasks an idle gateway sent 22
 * statements a second. Rejected: the notifications of pg-boss, which a pooler in transaction mode does not deliver, and which a job for
 * later does not send when its time comes.
 */
export const dueQueues = `select queue.name from unnest($1::text[]) as queue (name)
  where exists (select from ${jobsSchema}.job where name = queue.name and state < 'active' and not blocked and start_after <= now())`;

/**
 * Queues with active jobs whose process is silent for longer than its heartbeat, or whose time is up. Only these are supervised: the
 * supervision of pg-boss writes two rows of every queue whenever it looks, which for 40 queues is eight rows a second of an idle product.
 */
export const overdueQueues = `select distinct name from ${jobsSchema}.job where state = 'active'
  and (heartbeat_on + heartbeat_seconds * interval '1s' < now() or started_on + expire_seconds * interval '1s' < now())`;

/** Looks for queues that need something, with one statement per interval. */
export class QueueWatch {
  readonly #options: QueueWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: QueueWatchOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Does not wait for a statement that runs: the server may not respond. */
  stop(): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopping) return;
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#schedule()), this.#options.intervalMs);
  }

  async #look(): Promise<void> {
    const { database, statement, values = [], onQueue, onError } = this.#options;
    try {
      const { rows } = await database.executeSql(statement, [...values]);
      for (const { name } of rows as { name: string }[]) {
        if (this.#isStopping) return;
        await onQueue(name);
      }
    } catch (error) {
      onError(error);
    }
  }
}
