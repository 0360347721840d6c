import { LRUCache } from 'lru-cache';

/** What one receiver is given at a time and in a second, by one process. */
const maxConcurrency = 4;
const tokenBucket = { size: 500, perSecond: 250 };
/** Milliseconds that a delivery waits in memory for others to end before it is put back. */
const slotTimeoutMs = 1_000;
/** A receiver that takes longer than this has its deliveries put back at once: waiting for it would keep others waiting. */
const slowThresholdMs = 300;
/** Longest time that a delivery is put back for. */
const maxDelayMs = 10 * 60_000;
/** Receivers that are remembered. */
const maxEndpoints = 10_000;

/** Leave to send, to be given back with how long it took; or the time, in milliseconds, to come back after. */
export type Admission = { leave(tookMs: number): void } | { holdMs: number };

interface Endpoint {
  running: number;
  waiters: (() => void)[];
  tokens: number;
  refilledAt: number;
  /** Of the answers, the latest counting most. */
  averageMs: number;
  /** When the last delivery that was put back will come. */
  lastDeferredUntil: number;
  pausedUntil: number;
}

/**
 * Sees to it that a receiver is not flooded, and that one that hangs does not keep others waiting. In memory, by process:
 * counted in the database each delivery would cost two more statements, and what is wanted is a bound, no exact number.
 */
export class EndpointLimiter {
  readonly #endpoints = new LRUCache<number, Endpoint>({ max: maxEndpoints });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Asks for leave to send to the receiver of an app. */
  async acquire(appId: number): Promise<Admission> {
    const endpoint = this.#endpointOf(appId);
    const now = this.#now();
    endpoint.tokens = Math.min(
      tokenBucket.size,
      endpoint.tokens + ((now - endpoint.refilledAt) / 1000) * tokenBucket.perSecond,
    );
    endpoint.refilledAt = now;
    if (endpoint.pausedUntil > now) return { holdMs: this.#delayFrom(endpoint, endpoint.pausedUntil) };
    if (endpoint.tokens < 1) return { holdMs: this.#delayFrom(endpoint, now) };
    const isFree =
      endpoint.running < maxConcurrency ||
      (endpoint.averageMs < slowThresholdMs && (await this.#waitForSlot(endpoint)));
    if (!isFree) return { holdMs: this.#delayFrom(endpoint, now) };
    endpoint.tokens--;
    endpoint.running++;
    return { leave: tookMs => this.#release(endpoint, tookMs) };
  }

  /** Nothing is sent to the receiver of an app for a time: it said that it has too much. */
  pause(appId: number, ms: number): void {
    const endpoint = this.#endpointOf(appId);
    endpoint.pausedUntil = Math.max(endpoint.pausedUntil, this.#now() + Math.min(ms, maxDelayMs));
  }

  #endpointOf(appId: number): Endpoint {
    const known = this.#endpoints.get(appId);
    if (known) return known;
    const now = this.#now();
    const made: Endpoint = {
      running: 0,
      waiters: [],
      tokens: tokenBucket.size,
      refilledAt: now,
      averageMs: 0,
      lastDeferredUntil: 0,
      pausedUntil: 0,
    };
    this.#endpoints.set(appId, made);
    return made;
  }

  /** Waits until another delivery has ended; false when that takes too long. */
  #waitForSlot(endpoint: Endpoint): Promise<boolean> {
    return new Promise(settle => {
      const wake = (): void => {
        clearTimeout(timer);
        settle(true);
      };
      const timer = setTimeout(() => {
        endpoint.waiters.splice(endpoint.waiters.indexOf(wake), 1);
        settle(false);
      }, slotTimeoutMs);
      endpoint.waiters.push(wake);
    });
  }

  #release(endpoint: Endpoint, tookMs: number): void {
    endpoint.running--;
    endpoint.averageMs += (tookMs - endpoint.averageMs) * 0.3;
    if (endpoint.running < maxConcurrency) endpoint.waiters.shift()?.();
  }

  /** Each that is put back comes when the ones before it should be done, so that none comes in vain many times. */
  #delayFrom(endpoint: Endpoint, from: number): number {
    const now = this.#now();
    const pace = Math.max(endpoint.averageMs / maxConcurrency, 1000 / tokenBucket.perSecond);
    const at = Math.min(Math.max(endpoint.lastDeferredUntil, from + 1_000) + pace, now + maxDelayMs);
    endpoint.lastDeferredUntil = at;
    return at - now;
  }
}
