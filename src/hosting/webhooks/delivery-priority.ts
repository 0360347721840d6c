import { LRUCache } from 'lru-cache';

/** Deliveries per second that a receiver gets without falling behind others. */
const perSecond = 10;
/** Lowest priority: of the 64th delivery that is recorded in one moment, and of later ones. */
const lowest = -6;
/** Receivers kept in memory; the least recently used is forgotten. */
const maxReceivers = 10_000;

/** Of deliveries that were postponed: behind the first ones of other receivers, before the rest of a burst. */
export const postponedPriority = -1;

/**
 * Priorities of new deliveries by how many their receiver has been given lately: a push of 60 refs with 20 hooks makes 1,200, and the one
 * delivery of somebody else goes before all but 20 of them. A leaky bucket for each receiver, in memory of the process that records the
 * events: a count of waiting deliveries would be one more statement for each event.
 */
export class DeliveryPriorities {
  readonly #levels = new LRUCache<string, { level: number; at: number }>({ max: maxReceivers });
  readonly #now: () => number;

  /** `now`: milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The priority of the next delivery to this receiver: 0 and below. */
  next(receiver: string): number {
    const now = this.#now();
    const before = this.#levels.get(receiver);
    const left = before ? Math.max(0, before.level - ((now - before.at) / 1000) * perSecond) : 0;
    const level = left + 1;
    this.#levels.set(receiver, { level, at: now });
    return Math.max(lowest, 0 - Math.floor(Math.log2(level)));
  }
}
