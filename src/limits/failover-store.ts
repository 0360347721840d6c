import type {
  AdmissionRequest,
  AdmissionResult,
  ChargeResult,
  CounterCharge,
  RateLimitStore,
  Slot,
  SlotRelease,
} from './rate-limit-store.ts';

/** Called once when the shared store has failed for a second, and once when it works again. */
interface FailoverLog {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
}

/**
 * Failures of a shorter time are not logged: the 250 ms that a command may take also pass while this process compiles its first
 * operations and reads no answer.
 */
const unreportedMs = 1_000;

/**
 * Uses a shared store and fails over to the local store of this process. A request is never rejected because of the store, and
 * never unlimited: while the shared store fails, each gateway counts separately, so that a caller has at most the limit times
 * the number of gateways. RangeError is a defect of the caller and is rethrown.
 */
export class FailoverStore implements RateLimitStore {
  readonly #shared: RateLimitStore;
  readonly #local: RateLimitStore;
  readonly #log: FailoverLog;
  /** When the first of the failures happened that no success has followed, on the clock of `performance`. */
  #failingSinceMs: number | undefined;
  #isLogged = false;

  constructor(shared: RateLimitStore, local: RateLimitStore, log: FailoverLog) {
    this.#shared = shared;
    this.#local = local;
    this.#log = log;
  }

  /** Whether the last command reached the shared store. */
  get isShared(): boolean {
    return this.#failingSinceMs === undefined;
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

  /** A request admitted by one store may be released in the other: its slot expires, and the difference in counters is small. */
  release(release: SlotRelease): Promise<void> {
    return this.#withFailover(store => store.release(release));
  }

  renew(owner: string, slot: Slot): Promise<void> {
    return this.#withFailover(store => store.renew(owner, slot));
  }

  async #withFailover<T>(work: (store: RateLimitStore) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.#shared);
      this.#failingSinceMs = undefined;
      if (this.#isLogged) {
        this.#isLogged = false;
        this.#log.info({}, 'limits are shared again');
      }
      return result;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      const now = performance.now();
      this.#failingSinceMs ??= now;
      if (!this.#isLogged && now - this.#failingSinceMs >= unreportedMs) {
        this.#isLogged = true;
        this.#log.warn({ err: error }, 'the shared limits are away; this process counts for itself');
      }
      return work(this.#local);
    }
  }
}
