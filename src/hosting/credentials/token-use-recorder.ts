import { LRUCache } from 'lru-cache';
import type { Clock } from '../../context/context.ts';
import { type TokenUse, tokenUseIntervalMs } from './write-token-uses.ts';

export interface TokenUseRecorderOptions {
  /** Writes uses idempotently. */
  write(uses: readonly TokenUse[]): Promise<void>;
  clock: Clock;
  log: { warn(facts: object, message: string): void };
}

/** Maximum milliseconds that a use waits in memory. */
const flushIntervalMs = 1_000;
/** Tokens whose last recorded use is remembered, about 100 bytes each. One that is forgotten is written again, which changes nothing. */
const maxRemembered = 50_000;
/** Maximum tokens that wait while the database is unavailable. Uses of others are dropped until their next use. */
const maxPending = 50_000;

/**
 * Records when tokens are used: at most once per token and hour, in memory, and in one statement per second. A request costs one
 * map look-up. A killed process loses the uses of the last second.
 */
export class TokenUseRecorder {
  readonly #options: TokenUseRecorderOptions;
  readonly #recorded = new LRUCache<number, number>({ max: maxRemembered });
  #pending = new Map<number, number>();
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(options: TokenUseRecorderOptions) {
    this.#options = options;
  }

  record(credentialId: number): void {
    const at = this.#options.clock().getTime();
    const last = this.#recorded.get(credentialId);
    // The absolute difference: a clock that was set back must not stop the recording.
    if (last !== undefined && Math.abs(at - last) < tokenUseIntervalMs) return;
    if (this.#pending.size >= maxPending) return;
    this.#recorded.set(credentialId, at);
    this.#pending.set(credentialId, at);
    this.#schedule();
  }

  /** Writes the pending uses. On rejection they stay pending. */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Writes everything. Call it after the last request. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#flushing?.catch(() => {});
    await this.flush();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flushInBackground();
    }, flushIntervalMs).unref();
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const uses = this.#pending;
    this.#pending = new Map();
    try {
      await this.#options.write([...uses].map(([credentialId, at]) => ({ credentialId, at })));
    } catch (error) {
      this.#pending = new Map([...uses, ...this.#pending]);
      throw error;
    }
  }

  /** Runs unattended: logs the first failure. */
  #flushInBackground(): void {
    this.flush().then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => {
        if (!this.#isFailing)
          this.#options.log.warn({ err: error }, 'uses of tokens cannot be written; they stay pending');
        this.#isFailing = true;
        this.#schedule();
      },
    );
  }
}
