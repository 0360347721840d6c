/** A part of the slots, such as those of one address: `max` of them are taken under this key at a time. */
export interface SlotShare {
  key: string;
  max: number;
}

/** Limits concurrent work in several shares at once. Rejects instead of queueing. */
export class SharedSlots {
  readonly #taken = new Map<string, number>();

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
    };
  }

  /** Slots that are taken under a key. */
  taken(key: string): number {
    return this.#taken.get(key) ?? 0;
  }
}
