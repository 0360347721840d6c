import type { Admitted, Counted, Demand, Settlement, Slot, Taken, ThrottleStore } from './throttle-store.ts';

/** Told once when the shared store is lost and once when it is back. */
interface InsuranceLog {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
}

/**
 * A shared store that may be away, and this process's own for the meantime: a request is never refused or lost because of the
 * store, and never unlimited. Each gateway then counts for itself, so that callers have at most as many times the limit as
 * there are gateways. RangeError is the caller's defect and goes through.
 */
export class InsuredThrottleStore implements ThrottleStore {
  readonly #shared: ThrottleStore;
  readonly #own: ThrottleStore;
  readonly #log: InsuranceLog;
  #lost = false;

  constructor(shared: ThrottleStore, own: ThrottleStore, log: InsuranceLog) {
    this.#shared = shared;
    this.#own = own;
    this.#log = log;
  }

  take(counts: readonly Counted[]): Promise<Taken> {
    return this.#insured(store => store.take(counts));
  }

  clear(key: string): Promise<void> {
    return this.#insured(store => store.clear(key));
  }

  admit(demand: Demand): Promise<Admitted> {
    return this.#insured(store => store.admit(demand));
  }

  /** A request that one store admitted may be settled in the other: its slot ends by itself, and a minute's count is small. */
  settle(settlement: Settlement): Promise<void> {
    return this.#insured(store => store.settle(settlement));
  }

  renew(owner: string, slot: Slot): Promise<void> {
    return this.#insured(store => store.renew(owner, slot));
  }

  async #insured<T>(work: (store: ThrottleStore) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.#shared);
      if (this.#lost) {
        this.#lost = false;
        this.#log.info({}, 'limits are shared again');
      }
      return result;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      if (!this.#lost) {
        this.#lost = true;
        this.#log.warn({ err: error }, 'the shared limits are away; this process counts for itself');
      }
      return work(this.#own);
    }
  }
}
