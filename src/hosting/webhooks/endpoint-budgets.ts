import { LRUCache } from 'lru-cache';

/** What one receiver is given at a time and in a second, by one process. */
const concurrency = 4;
const bucket = { size: 500, perSecond: 250 };
/** Milliseconds that a delivery waits in memory for others to end before it is put back. */
const patience = 1_000;
/** A receiver that takes longer than this has its deliveries put back at once: waiting for it would keep others waiting. */
const slow = 300;
/** Longest time that a delivery is put back for. */
const longestHold = 10 * 60_000;
/** Receivers that are remembered. */
const mostEndpoints = 10_000;

/** Leave to send, to be given back with how long it took; or the time, in milliseconds, to come back after. */
export type Leave = { leave(tookMs: number): void } | { holdMs: number };

interface Endpoint {
  running: number;
  waiting: (() => void)[];
  tokens: number;
  refilledAt: number;
  /** Of the answers, the latest counting most. */
  averageMs: number;
  /** When the last delivery that was put back will come. */
  lastHold: number;
  pausedUntil: number;
}

/**
 * Sees to it that a receiver is not flooded, and that one that hangs does not keep others waiting. In memory, by process:
 * counted in the database each delivery would cost two more statements, and what is wanted is a bound, no exact number.
 */
export class EndpointBudgets {
  readonly #endpoints = new LRUCache<number, Endpoint>({ max: mostEndpoints });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Asks for leave to send to the receiver of an app. */
  async enter(appId: number): Promise<Leave> {
    const endpoint = this.#endpointOf(appId);
    const now = this.#now();
    endpoint.tokens = Math.min(bucket.size, endpoint.tokens + ((now - endpoint.refilledAt) / 1000) * bucket.perSecond);
    endpoint.refilledAt = now;
    if (endpoint.pausedUntil > now) return { holdMs: this.#hold(endpoint, endpoint.pausedUntil) };
    if (endpoint.tokens < 1) return { holdMs: this.#hold(endpoint, now) };
    const isFree = endpoint.running < concurrency || (endpoint.averageMs < slow && (await this.#turn(endpoint)));
    if (!isFree) return { holdMs: this.#hold(endpoint, now) };
    endpoint.tokens--;
    endpoint.running++;
    return { leave: tookMs => this.#leave(endpoint, tookMs) };
  }

  /** Nothing is sent to the receiver of an app for a time: it said that it has too much. */
  pause(appId: number, ms: number): void {
    const endpoint = this.#endpointOf(appId);
    endpoint.pausedUntil = Math.max(endpoint.pausedUntil, this.#now() + Math.min(ms, longestHold));
  }

  #endpointOf(appId: number): Endpoint {
    const known = this.#endpoints.get(appId);
    if (known) return known;
    const now = this.#now();
    const made: Endpoint = {
      running: 0,
      waiting: [],
      tokens: bucket.size,
      refilledAt: now,
      averageMs: 0,
      lastHold: 0,
      pausedUntil: 0,
    };
    this.#endpoints.set(appId, made);
    return made;
  }

  /** Waits until another delivery has ended; false when that takes too long. */
  #turn(endpoint: Endpoint): Promise<boolean> {
    return new Promise(settle => {
      const wake = (): void => {
        clearTimeout(timer);
        settle(true);
      };
      const timer = setTimeout(() => {
        endpoint.waiting.splice(endpoint.waiting.indexOf(wake), 1);
        settle(false);
      }, patience);
      endpoint.waiting.push(wake);
    });
  }

  #leave(endpoint: Endpoint, tookMs: number): void {
    endpoint.running--;
    endpoint.averageMs += (tookMs - endpoint.averageMs) * 0.3;
    if (endpoint.running < concurrency) endpoint.waiting.shift()?.();
  }

  /** Each that is put back comes when the ones before it should be done, so that none comes in vain many times. */
  #hold(endpoint: Endpoint, from: number): number {
    const now = this.#now();
    const pace = Math.max(endpoint.averageMs / concurrency, 1000 / bucket.perSecond);
    const at = Math.min(Math.max(endpoint.lastHold, from + 1_000) + pace, now + longestHold);
    endpoint.lastHold = at;
    return at - now;
  }
}
