import type { Clock } from '../../context/context.ts';
import type { ApiUsageActor } from './api-usage-actor.ts';
import type { UsageBatch, UsageRow, UsageTarget } from './write-usage.ts';

/** One answered request. */
export interface RecordedRequest {
  target: UsageTarget;
  actor: ApiUsageActor;
  method: string;
  /** Path template, such as `/repositories/:repository_id/contents/:path`. */
  route: string;
  /** Whether a rate limit rejected it. */
  limited: boolean;
  /** Status of the response. */
  status: number;
}

export interface UsageRecorderOptions {
  /** Writes a batch idempotently. Rejects unless the batch is known to be written. */
  write(batch: UsageBatch): Promise<void>;
  clock: Clock;
  /** Unique id of this recorder. */
  processId: string;
  log: { warn(facts: object, message: string): void };
}

/** Maximum milliseconds that a count waits in memory. */
const flushIntervalMs = 1_000;
/** Pending rows that trigger an early flush: about 2 MB. */
const flushThreshold = 5_000;
/** Maximum pending rows while the database is unavailable. Further rows are dropped, and their number is logged. */
const maxPendingRows = 50_000;

/**
 * Counts requests in memory and writes the counts once a second in one statement, so that a request costs a few map
 * look-ups. A batch that failed, or whose answer was lost, is retried with the same sequence number; new counts wait
 * for the next batch. A killed process loses the counts of the last second.
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

  record({ target, actor, method, route, limited, status }: RecordedRequest): void {
    const at = this.#options.clock().getTime();
    const second = at - (at % 1_000);
    const minute = at - (at % 60_000);
    const key = `${minute} ${actor.type} ${actor.id} ${actor.userId} ${target.kind}${target.value} ${method} ${route}`;
    const serverErrors = !limited && status >= 500 ? 1 : 0;
    const clientErrors = !limited && status >= 400 ? 1 - serverErrors : 0;
    const row = this.#pending.get(key);
    if (row) {
      row.total++;
      row.clientErrors += clientErrors;
      row.serverErrors += serverErrors;
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
      target,
      actor,
      method,
      route,
      minute,
      total: 1,
      limited: count,
      clientErrors,
      serverErrors,
      lastRequest: second,
      lastLimited,
    });
    if (this.#pending.size === flushThreshold && !this.#isFailing) this.#flushInBackground();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flushInBackground();
    }, flushIntervalMs).unref();
  }

  /** Writes the unconfirmed batch, or else the pending rows. On rejection they stay pending. */
  flush(): Promise<void> {
    this.#flushing ??= this.#writeNext().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Writes everything. Call it after the last request. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#flushing?.catch(() => {});
    while (this.#batch || this.#pending.size > 0) await this.flush();
  }

  async #writeNext(): Promise<void> {
    if (!this.#batch) {
      if (this.#pending.size === 0) return;
      const { clock, processId: process } = this.#options;
      this.#batch = { process, sequence: ++this.#sequence, writtenAt: clock(), rows: [...this.#pending.values()] };
      this.#pending = new Map();
    }
    await this.#options.write(this.#batch);
    this.#batch = undefined;
  }

  /** Runs unattended: logs the first failure, and the recovery. */
  #flushInBackground(): void {
    this.flush().then(
      () => {
        if (this.#isFailing) this.#options.log.warn({ lost: this.#dropped }, 'API usage is written again');
        this.#isFailing = false;
        this.#dropped = 0;
      },
      (error: unknown) => {
        if (!this.#isFailing)
          this.#options.log.warn({ err: error }, 'API usage cannot be written; counts stay pending');
        this.#isFailing = true;
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#flushInBackground();
        }, flushIntervalMs).unref();
      },
    );
  }
}
