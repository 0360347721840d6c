/** Bounds the queue of a Semaphore. */
interface QueueLimit {
  maxWaiting: number;
  /** The error for a caller that finds the queue full. */
  fullError(): Error;
}

/** Counting semaphore with a FIFO queue: at most `size` calls of `run` execute at a time. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #limit: QueueLimit | undefined;

  constructor(size: number, limit?: QueueLimit) {
    this.#free = size;
    this.#limit = limit;
  }

  /** @throws the `fullError` of the limit, at once, when as many are waiting already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Waits for a slot. The result releases it and is called exactly once.
   * @throws the `fullError` of the limit, at once, when as many are waiting already
   */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else if (this.#limit && this.#waiting.length >= this.#limit.maxWaiting) throw this.#limit.fullError();
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    return () => {
      // The slot passes directly to the next waiter, so a new caller cannot overtake it.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}

/** Limits concurrent work in total and per key. Rejects instead of queueing. */
export class KeyedSlots {
  readonly #max: { all: number; perKey: number };
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(max: { all: number; perKey: number }) {
    this.#max = max;
  }

  /** Takes a slot. Returns the function that releases it, to be called once; undefined if none is free. */
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
