/** A part of the slots, such as those of one address: `max` of them are taken under this key at a time. */
export interface SlotShare {
  key: string;
  max: number;
}

/** A call that waits for a slot of each of its shares. */
interface Waiter {
  shares: readonly SlotShare[];
  start(release: () => void): void;
}

/** Limits concurrent work in several shares at once. `take` rejects instead of queueing, and `acquire` waits. */
export class SharedSlots {
  readonly #taken = new Map<string, number>();
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiter>();

  /**
   * Takes a slot of each share, or none. Returns the function that releases them, to be called once; undefined if a share has none left.
   */
  take(shares: readonly SlotShare[]): (() => void) | undefined {
    if (shares.some(({ key, max }) => (this.#taken.get(key) ?? 0) >= max)) return undefined;
    for (const { key } of shares) this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
    return () => {
      for (const { key } of shares) {
        const left = (this.#taken.get(key) ?? 1) - 1;
        if (left > 0) this.#taken.set(key, left);
        else this.#taken.delete(key);
      }
      this.#startWaiters();
    };
  }

  /**
   * Takes a slot of each share as soon as all of them have one; undefined when `signal` is aborted before, or at once when `maxWaiting`
   * calls wait already.
   */
  acquire(
    shares: readonly SlotShare[],
    { signal, maxWaiting }: { signal: AbortSignal; maxWaiting: number },
  ): Promise<(() => void) | undefined> {
    const release = signal.aborted ? undefined : this.take(shares);
    if (release || signal.aborted || this.#waiting.size >= maxWaiting) return Promise.resolve(release);
    return new Promise(resolve => {
      const waiter = { shares, start: resolve };
      this.#waiting.add(waiter);
      const leave = (): void => {
        if (this.#waiting.delete(waiter)) resolve(undefined);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Slots that are taken under a key. */
  taken(key: string): number {
    return this.#taken.get(key) ?? 0;
  }

  /** Those whose shares have a slot now, the earliest first. */
  #startWaiters(): void {
    for (const waiter of this.#waiting) {
      const release = this.take(waiter.shares);
      if (!release) continue;
      this.#waiting.delete(waiter);
      waiter.start(release);
    }
  }
}
