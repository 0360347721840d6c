import { type JobsDatabase, jobsSchema } from './jobs-database.ts';

interface OverdueJobsOptions {
  database: JobsDatabase;
  intervalMs: number;
  /** Returns the overdue jobs of a queue to it, or fails those without another attempt. */
  recover(queue: string): Promise<void>;
  onError(error: unknown): void;
}

/** Active jobs whose process is silent for longer than its heartbeat, or whose time is up. */
const overdueQueues = `
  select distinct name from ${jobsSchema}.job where state = 'active'
    and (heartbeat_on + heartbeat_seconds * interval '1s' < now() or started_on + expire_seconds * interval '1s' < now())`;

/**
 * Looks for the jobs of killed processes in all queues, and has a queue recovered only where there are some. The supervision of pg-boss
 * writes two rows of every queue whenever it looks, which for 40 queues is eight rows a second of an idle product.
 */
export class OverdueJobs {
  readonly #options: OverdueJobsOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: OverdueJobsOptions) {
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
    const { database, recover, onError } = this.#options;
    try {
      const { rows } = await database.executeSql(overdueQueues);
      for (const { name } of rows as { name: string }[]) {
        if (this.#isStopping) return;
        await recover(name);
      }
    } catch (error) {
      onError(error);
    }
  }
}
