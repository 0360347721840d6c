import type { Clock } from '../../context/context.ts';
import type { ApiUsageActor } from './api-usage-actor.ts';
import type { UsageBatch, UsageRow, UsageTarget } from './write-usage.ts';

/** One request that was answered. */
export interface RecordedRequest {
  address: UsageTarget;
  actor: ApiUsageActor;
  method: string;
  /** Template of its path, such as `/repositories/:repository_id/contents/:path`. */
  route: string;
  /** Whether a rate limit refused it. */
  limited: boolean;
}

export interface UsageRecorderOptions {
  /** Writes a batch, once however often it is called with the same one. Rejects while that is not known to have happened. */
  write(batch: UsageBatch): Promise<void>;
  clock: Clock;
  /** Of this process, or rather of this recorder: no other one may have it. */
  process: string;
  log: { warn(facts: object, message: string): void };
}

/** How long a count waits in the process, in milliseconds. */
const flushIntervalMs = 1_000;
/** Different rows at which a batch is written before its time: some 2 MB. */
const flushThreshold = 5_000;
/** Different rows that wait at most while the database is away. What would be one more is not counted, and the log says so. */
const maxPendingRows = 50_000;

/**
 * Counts requests in memory and writes them once a second in one statement: a request pays some map look-ups and no
 * statement. A batch that failed, or whose answer was lost, is repeated under the same number until it is known to have
 * arrived, and what comes meanwhile waits for the next one. Killed, a process loses what came in the last second.
 */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions;
  #pending = new Map<string, UsageRow>();
  #batch: UsageBatch | undefined;
  #sequence = 0;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #dropped = 0;

  constructor(options: UsageRecorderOptions) {
    this.#options = options;
  }

  record({ address, actor, method, route, limited }: RecordedRequest): void {
    const at = this.#options.clock().getTime();
    const second = at - (at % 1_000);
    const minute = at - (at % 60_000);
    const key = `${minute} ${actor.type} ${actor.id} ${actor.userId} ${address.by}${address.value} ${method} ${route}`;
    const row = this.#pending.get(key);
    if (row) {
      row.total++;
      row.lastRequest = Math.max(row.lastRequest, second);
      if (limited) {
        row.limited++;
        row.lastLimited = Math.max(row.lastLimited ?? 0, second);
      }
      return;
    }
    if (this.#pending.size >= maxPendingRows) {
      this.#dropped++;
      return;
    }
    const count = limited ? 1 : 0;
    const lastLimited = limited ? second : null;
    this.#pending.set(key, {
      address,
      actor,
      method,
      route,
      minute,
      total: 1,
      limited: count,
      lastRequest: second,
      lastLimited,
    });
    if (this.#pending.size === flushThreshold && !this.#isFailing) this.#flushInBackground();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flushInBackground();
    }, flushIntervalMs).unref();
  }

  /** Writes the batch that is not known to have arrived, or else what waits. Rejects when that failed; it waits on. */
  flush(): Promise<void> {
    this.#flushing ??= this.#writeNext().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Writes everything. To be called when no more requests come. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#flushing?.catch(() => {});
    while (this.#batch || this.#pending.size > 0) await this.flush();
  }

  async #writeNext(): Promise<void> {
    if (!this.#batch) {
      if (this.#pending.size === 0) return;
      const { clock, process } = this.#options;
      this.#batch = { process, sequence: ++this.#sequence, writtenAt: clock(), rows: [...this.#pending.values()] };
      this.#pending = new Map();
    }
    await this.#options.write(this.#batch);
    this.#batch = undefined;
  }

  /** Nobody waits for it: that it fails is told once, and once that it works again. */
  #flushInBackground(): void {
    this.flush().then(
      () => {
        if (this.#isFailing) this.#options.log.warn({ lost: this.#dropped }, 'counts of requests are written again');
        this.#isFailing = false;
        this.#dropped = 0;
      },
      (error: unknown) => {
        if (!this.#isFailing) this.#options.log.warn({ err: error }, 'counts of requests wait: they cannot be written');
        this.#isFailing = true;
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#flushInBackground();
        }, flushIntervalMs).unref();
      },
    );
  }
}
