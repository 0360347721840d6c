import { LRUCache } from 'lru-cache';
import { SharedSlots, type SlotShare } from '../../workers/shared-slots.ts';

/** Limits per receiver and process: concurrent deliveries, and a token bucket for the rate. */
const maxConcurrency = 4;
/**
 * Concurrent deliveries of the 48 of a process: to all receivers of one owner; to those of them that are not known to be fast, to all such at
 * one host, and to all such. A receiver that does not answer takes slots of its own owner, and half of all remain for fast ones.
 */
const maxShared = { owner: 24, slowOfOwner: 8, slowAtHost: 16, slow: 24 };
/** Deliveries of a receiver that is not known to be fast which wait in memory. */
const maxUnknownWaiters = 4;
/** Slots beyond those of an owner and a host, for deliveries that the owner waits for. */
const urgentSlots = 2;
/** Least delay of a delivery whose owner or host has no slot left, in milliseconds. */
const busyDelayMs = 2_000;
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
 * Either permission to send, to be released with the elapsed milliseconds (undefined when nothing was sent), or the delay in
 * milliseconds before the next try.
 */
export type Admission = { release(elapsedMs: number | undefined): void } | { delayMs: number };

/** Where a delivery goes. */
export interface DeliveryEndpoint {
  /** The app or the hook. */
  receiver: string;
  owner: string;
  host: string;
  /** Milliseconds for which the receiver is paused; 0 for not. */
  pausedMs: number;
  /** Whether it is one that did not answer: then one delivery at a time finds out whether it does. */
  isSilent: boolean;
  /** Whether the owner waits for this delivery: a ping, or one that is sent again. It goes before those that were postponed. */
  isUrgent: boolean;
}

interface Endpoint {
  /** Start times of running deliveries. */
  running: Set<{ since: number }>;
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
 * Limits concurrency and rate per receiver, and concurrency per owner and host, so that slow receivers do not block others. State is in memory per
 * process: counters in the database would cost two more statements per delivery, and an approximate limit is enough.
 */
export class EndpointLimiter {
  readonly #endpoints = new LRUCache<string, Endpoint>({ max: maxEndpoints });
  readonly #shared = new SharedSlots();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Requests permission to send. */
  async acquire(to: DeliveryEndpoint): Promise<Admission> {
    const endpoint = this.#endpointOf(to.receiver);
    const now = this.#now();
    endpoint.tokens = Math.min(
      tokenBucket.size,
      endpoint.tokens + ((now - endpoint.refilledAt) / 1000) * tokenBucket.perSecond,
    );
    endpoint.refilledAt = now;
    const pausedUntil = Math.max(endpoint.pausedUntil, now + to.pausedMs);
    if (pausedUntil > now && !to.isUrgent) return { delayMs: this.#delayFrom(endpoint, pausedUntil) };
    if (endpoint.tokens < 1) return { delayMs: this.#delayFrom(endpoint, now) };
    const most = to.isSilent ? 1 : maxConcurrency;
    const isFree = endpoint.running.size < most || (this.#mayWait(endpoint, to) && (await this.#waitForSlot(endpoint)));
    const release = isFree ? this.#shared.take(this.#sharesOf(endpoint, to)) : undefined;
    if (!release) {
      // The slot of the receiver is for the next that waits.
      if (isFree) endpoint.waiters.shift()?.();
      if (to.isUrgent) return { delayMs: busyDelayMs };
      return { delayMs: this.#delayFrom(endpoint, isFree ? this.#now() + busyDelayMs : now) };
    }
    endpoint.tokens--;
    const run = { since: this.#now() };
    endpoint.running.add(run);
    return {
      release: elapsedMs => {
        release();
        this.#release(endpoint, run, elapsedMs);
      },
    };
  }

  #sharesOf(endpoint: Endpoint, to: DeliveryEndpoint): SlotShare[] {
    const more = to.isUrgent ? urgentSlots : 0;
    const ofOwner = { key: `owner ${to.owner}`, max: maxShared.owner + more };
    if (this.#isFast(endpoint, to)) return [ofOwner];
    return [
      ofOwner,
      { key: `slow owner ${to.owner}`, max: maxShared.slowOfOwner + more },
      { key: `slow host ${to.host}`, max: maxShared.slowAtHost + more },
      { key: 'slow', max: maxShared.slow + more },
    ];
  }

  /** Whether the receiver has answered quickly, and does so now. */
  #isFast(endpoint: Endpoint, { isSilent }: DeliveryEndpoint): boolean {
    if (isSilent || endpoint.averageMs === 0 || endpoint.averageMs >= slowThresholdMs) return false;
    return !this.#hasLongRun(endpoint);
  }

  #hasLongRun({ running }: Endpoint): boolean {
    const now = this.#now();
    for (const { since } of running) if (now - since >= slowThresholdMs) return true;
    return false;
  }

  /** Waiting occupies a worker: not for a receiver that is slow, and for few deliveries to one that is not known. */
  #mayWait(endpoint: Endpoint, to: DeliveryEndpoint): boolean {
    if (this.#isFast(endpoint, to)) return true;
    if (to.isSilent || endpoint.averageMs > 0 || this.#hasLongRun(endpoint)) return false;
    return (
      endpoint.waiters.length < maxUnknownWaiters &&
      this.#shared.taken(`slow owner ${to.owner}`) < maxShared.slowOfOwner
    );
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
      running: new Set(),
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

  #release(endpoint: Endpoint, run: { since: number }, elapsedMs: number | undefined): void {
    endpoint.running.delete(run);
    if (elapsedMs !== undefined) endpoint.averageMs += (elapsedMs - endpoint.averageMs) * 0.3;
    if (endpoint.running.size < maxConcurrency) endpoint.waiters.shift()?.();
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
