import { ExpiringMaps } from './expiring-map.ts';
import type { Slot } from './rate-limit-store.ts';

/** Who holds a slot of one key, and until when, in milliseconds. */
type Holders = Map<string, number>;

/** Slots of one process. */
export class MemorySlots {
  private readonly holdersByDuration: ExpiringMaps<Holders>;

  /** `most` as of `MemoryThrottleStore`. */
  constructor(maxKeys: number) {
    this.holdersByDuration = new ExpiringMaps(maxKeys);
  }

  /** How many keys are kept. */
  get size(): number {
    return this.holdersByDuration.size;
  }

  isFree({ key, limit, seconds }: Slot, now: number): boolean {
    const holders = this.holdersByDuration.of(seconds).get(key);
    if (!holders || holders.size < limit) return true;
    for (const [id, until] of holders) {
      // Held until long after any slot is: the clock was put back.
      if (until <= now || until - now > 2 * seconds * 1000) holders.delete(id);
    }
    return holders.size < limit;
  }

  /** Takes a slot that is free, or has one that is held last anew. */
  hold({ key, id, seconds }: Slot, now: number): void {
    const generations = this.holdersByDuration.of(seconds);
    const holders: Holders = generations.get(key) ?? new Map();
    holders.set(id, now + seconds * 1000);
    generations.set(key, holders, now);
  }

  isHeld({ key, id, seconds }: Slot): boolean {
    return this.holdersByDuration.of(seconds).get(key)?.has(id) === true;
  }

  free({ key, id, seconds }: Slot): void {
    const generations = this.holdersByDuration.of(seconds);
    const holders = generations.get(key);
    if (holders?.delete(id) && holders.size === 0) generations.delete(key);
  }
}
