import type {
  AdmissionRequest,
  AdmissionResult,
  ChargeResult,
  CounterCharge,
  RateLimitStore,
  Slot,
  SlotRelease,
} from './rate-limit-store.ts';

/** Told once when the shared store is lost and once when it is back. */
interface FailoverLog {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
}

/**
 * A shared store that may be away, and this process's own for the meantime: a request is never refused or lost because of the
 * store, and never unlimited. Each gateway then counts for itself, so that callers have at most as many times the limit as
 * there are gateways. RangeError is the caller's defect and goes through.
 */
export class FailoverStore implements RateLimitStore {
  readonly #shared: RateLimitStore;
  readonly #local: RateLimitStore;
  readonly #log: FailoverLog;
  #isSharedDown = false;

  constructor(shared: RateLimitStore, local: RateLimitStore, log: FailoverLog) {
    this.#shared = shared;
    this.#local = local;
    this.#log = log;
  }

  charge(counts: readonly CounterCharge[]): Promise<ChargeResult> {
    return this.#withFailover(store => store.charge(counts));
  }

  clear(key: string): Promise<void> {
    return this.#withFailover(store => store.clear(key));
  }

  admit(demand: AdmissionRequest): Promise<AdmissionResult> {
    return this.#withFailover(store => store.admit(demand));
  }

  /** A request that one store admitted may be settled in the other: its slot ends by itself, and a minute's count is small. */
  release(settlement: SlotRelease): Promise<void> {
    return this.#withFailover(store => store.release(settlement));
  }

  renew(owner: string, slot: Slot): Promise<void> {
    return this.#withFailover(store => store.renew(owner, slot));
  }

  async #withFailover<T>(work: (store: RateLimitStore) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.#shared);
      if (this.#isSharedDown) {
        this.#isSharedDown = false;
        this.#log.info({}, 'limits are shared again');
      }
      return result;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      if (!this.#isSharedDown) {
        this.#isSharedDown = true;
        this.#log.warn({ err: error }, 'the shared limits are away; this process counts for itself');
      }
      return work(this.#local);
    }
  }
}
