import { FairQueue } from './fair-queue.ts';

export interface FairSlotsOptions {
  /** Slots of all keys. */
  size: number;
  /** Slots of one key. */
  maxPerKey: number;
  /** Waiting calls of all keys and of one. */
  maxQueued: number;
  maxQueuedPerKey: number;
  /** The error for a caller that finds the queue full. */
  fullError(): Error;
}

interface Waiter {
  task: FairSlotsOptions;
  key: string;
  start(): void;
}

/**
 * Semaphore whose keys, the callers, share the slots fairly: a free slot goes to the key that has held slots for the least time
 * lately, and one key never holds all of them. For slow work on the main thread's behalf, such as decoding pictures.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #queue = new FairQueue<Waiter>();
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
    this.#free = options.size;
  }

  /** @throws the `fullError`, at once, when too many wait already */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(key);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Waits for a slot. The result releases it and is called exactly once.
   * @throws the `fullError`, at once, when too many wait already
   */
  async acquire(key: string): Promise<() => void> {
    if (this.#mayTake(key)) this.#take(key);
    else {
      const waiter = { task: this.#options, key };
      if (!this.#queue.hasRoom(waiter)) throw this.#options.fullError();
      await new Promise<void>(start => this.#queue.add({ ...waiter, start }));
    }
    const since = performance.now();
    return () => {
      this.#queue.charge(key, performance.now() - since, performance.now());
      this.#giveBack(key);
    };
  }

  #mayTake(key: string): boolean {
    return this.#free > 0 && (this.#held.get(key) ?? 0) < this.#options.maxPerKey;
  }

  #take(key: string): void {
    this.#free--;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  #giveBack(key: string): void {
    this.#free++;
    const held = (this.#held.get(key) ?? 1) - 1;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
    const next = this.#queue.take(waiter => this.#mayTake(waiter.key), performance.now());
    if (!next) return;
    this.#take(next.key);
    next.start();
  }
}
