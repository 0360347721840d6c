import { LRUCache } from 'lru-cache';

/** Limits per receiver and process: concurrent deliveries, and a token bucket for the rate. */
const maxConcurrency = 4;
const tokenBucket = { size: 500, perSecond: 250 };
/** How long a delivery waits in memory for a free slot before it is postponed. */
const slotTimeoutMs = 1_000;
/**
 * Average response time in milliseconds from which deliveries are postponed at once. Waiting for a slow receiver would
 * occupy workers that others need.
 */
const slowThresholdMs = 300;
/** Longest postponement, in milliseconds. */
const maxDelayMs = 10 * 60_000;
/** Receivers kept in memory; the least recently used is evicted. */
const maxEndpoints = 10_000;

/**
 * Either permission to send, to be released with the elapsed milliseconds, or the delay in milliseconds before the next
 * try.
 */
export type Admission = { release(elapsedMs: number): void } | { delayMs: number };

interface Endpoint {
  running: number;
  waiters: (() => void)[];
  tokens: number;
  refilledAt: number;
  /** Exponential moving average of response times. */
  averageMs: number;
  /** Time until which the most recently postponed delivery is delayed. */
  lastDeferredUntil: number;
  pausedUntil: number;
}

/**
 * Limits concurrency and rate per receiver, so that a slow receiver does not block others. State is in memory per
 * process: counters in the database would cost two more statements per delivery, and an approximate limit is enough.
 */
export class EndpointLimiter {
  readonly #endpoints = new LRUCache<string, Endpoint>({ max: maxEndpoints });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Requests permission to send to a receiver: an app or a hook. */
  async acquire(receiver: string): Promise<Admission> {
    const endpoint = this.#endpointOf(receiver);
    const now = this.#now();
    endpoint.tokens = Math.min(
      tokenBucket.size,
      endpoint.tokens + ((now - endpoint.refilledAt) / 1000) * tokenBucket.perSecond,
    );
    endpoint.refilledAt = now;
    if (endpoint.pausedUntil > now) return { delayMs: this.#delayFrom(endpoint, endpoint.pausedUntil) };
    if (endpoint.tokens < 1) return { delayMs: this.#delayFrom(endpoint, now) };
    const isFree =
      endpoint.running < maxConcurrency ||
      (endpoint.averageMs < slowThresholdMs && (await this.#waitForSlot(endpoint)));
    if (!isFree) return { delayMs: this.#delayFrom(endpoint, now) };
    endpoint.tokens--;
    endpoint.running++;
    return { release: elapsedMs => this.#release(endpoint, elapsedMs) };
  }

  /** Blocks deliveries to a receiver for `ms`, at most ten minutes. Used after 429, 502 and 504. */
  pause(receiver: string, ms: number): void {
    const endpoint = this.#endpointOf(receiver);
    endpoint.pausedUntil = Math.max(endpoint.pausedUntil, this.#now() + Math.min(ms, maxDelayMs));
  }

  #endpointOf(receiver: string): Endpoint {
    const known = this.#endpoints.get(receiver);
    if (known) return known;
    const now = this.#now();
    const created: Endpoint = {
      running: 0,
      waiters: [],
      tokens: tokenBucket.size,
      refilledAt: now,
      averageMs: 0,
      lastDeferredUntil: 0,
      pausedUntil: 0,
    };
    this.#endpoints.set(receiver, created);
    return created;
  }

  /** Waits for a free slot. Resolves to false on timeout. */
  #waitForSlot(endpoint: Endpoint): Promise<boolean> {
    return new Promise(resolve => {
      const wake = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        endpoint.waiters.splice(endpoint.waiters.indexOf(wake), 1);
        resolve(false);
      }, slotTimeoutMs);
      endpoint.waiters.push(wake);
    });
  }

  #release(endpoint: Endpoint, elapsedMs: number): void {
    endpoint.running--;
    endpoint.averageMs += (elapsedMs - endpoint.averageMs) * 0.3;
    if (endpoint.running < maxConcurrency) endpoint.waiters.shift()?.();
  }

  /** Spaces postponed deliveries at the receiver's observed pace, so that few of them are postponed twice. */
  #delayFrom(endpoint: Endpoint, from: number): number {
    const now = this.#now();
    const pace = Math.max(endpoint.averageMs / maxConcurrency, 1000 / tokenBucket.perSecond);
    const at = Math.min(Math.max(endpoint.lastDeferredUntil, from + 1_000) + pace, now + maxDelayMs);
    endpoint.lastDeferredUntil = at;
    return at - now;
  }
}
