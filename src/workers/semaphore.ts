/** Lets `size` pieces of work run at a time; others wait in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Waits for a slot. The result releases it and is called exactly once. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}

/** Counts what is under way, in all and by caller; what would be too much is refused and does not wait. */
export class KeyedSlots {
  readonly #max: { all: number; perKey: number };
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(max: { all: number; perKey: number }) {
    this.#max = max;
  }

  /** Takes a slot and gives how to release it, to be called once; undefined where there is none. */
  take(key: string): (() => void) | undefined {
    const taken = this.#taken.get(key) ?? 0;
    if (this.#all >= this.#max.all || taken >= this.#max.perKey) return undefined;
    this.#all++;
    this.#taken.set(key, taken + 1);
    return () => {
      this.#all--;
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    };
  }
}
