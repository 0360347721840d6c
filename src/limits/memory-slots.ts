import { ExpiringMaps } from './expiring-map.ts';
import type { Slot } from './rate-limit-store.ts';

/** Slot id → expiry in milliseconds since 1970. */
type Holders = Map<string, number>;

/** Concurrency slots of one process. */
export class MemorySlots {
  private readonly holdersByDuration: ExpiringMaps<Holders>;

  /** @param maxKeys as in `MemoryRateLimitStore` */
  constructor(maxKeys: number) {
    this.holdersByDuration = new ExpiringMaps(maxKeys);
  }

  /** Number of stored keys. */
  get size(): number {
    return this.holdersByDuration.size;
  }

  isFree({ key, limit, seconds }: Slot, now: number): boolean {
    const holders = this.holdersByDuration.of(seconds).get(key);
    if (!holders || holders.size < limit) return true;
    for (const [id, until] of holders) {
      // An expiry later than any slot can have: the clock was set back.
      if (until <= now || until - now > 2 * seconds * 1000) holders.delete(id);
    }
    return holders.size < limit;
  }

  /** Takes a free slot or renews one that is held. */
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
