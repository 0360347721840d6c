import type { MemoryRateLimitStore } from './memory-store.ts';
import type {
  AdmissionRequest,
  AdmissionResult,
  ChargeResult,
  CounterChange,
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
 * never unlimited: the local store counts along, so that in one window each gateway admits at most the limit, whether the shared
 * store is there, is away, or has come back without its counters. All gateways together admit at most the limit times their number.
 * RangeError is a defect of the caller and is rethrown.
 */
export class FailoverStore implements RateLimitStore {
  readonly #shared: RateLimitStore;
  readonly #local: MemoryRateLimitStore;
  readonly #log: FailoverLog;
  /** When the first of the failures happened that no success has followed, on the clock of `performance`. */
  #failingSinceMs: number | undefined;
  #isLogged = false;

  constructor(shared: RateLimitStore, local: MemoryRateLimitStore, log: FailoverLog) {
    this.#shared = shared;
    this.#local = local;
    this.#log = log;
  }

  /** Whether the last command reached the shared store. */
  get isShared(): boolean {
    return this.#failingSinceMs === undefined;
  }

  async charge(charges: readonly CounterCharge[]): Promise<ChargeResult> {
    const result = await this.#try(store => store.charge(charges));
    if (result === undefined) return this.#local.charge(charges);
    if (!result.ok) return result;
    const { states: _, ...decision } = this.#local.follow({ owner: '', charges });
    return decision;
  }

  async clear(key: string): Promise<void> {
    await this.#local.clear(key);
    await this.#try(store => store.clear(key));
  }

  async admit(request: AdmissionRequest): Promise<AdmissionResult> {
    const result = await this.#try(store => store.admit(request));
    if (result === undefined) return this.#local.admit(request);
    if (!result.ok) return result;
    const followed = this.#local.follow(request, result.states);
    if (followed.ok) return result;
    // A rejected request is not charged.
    const { owner, slot, charges } = request;
    const changes = charges.flatMap(({ key, seconds, cost = 1, peek, lockoutSeconds }, at) => {
      const { endsAt } = result.states[at] ?? {};
      return peek || lockoutSeconds || cost === 0 || endsAt === undefined
        ? []
        : [{ key, seconds, amount: -cost, endsAt }];
    });
    if (slot) await this.#try(store => store.release({ owner, slot, changes }));
    return followed;
  }

  /** A request admitted by one store may be released in the other: its slot expires, and the difference in counters is small. */
  async release(release: SlotRelease): Promise<void> {
    await this.#local.release(release);
    await this.#try(store => store.release(release));
  }

  async change(owner: string, changes: readonly CounterChange[]): Promise<void> {
    await this.#local.change(owner, changes);
    await this.#try(store => store.change(owner, changes));
  }

  async renew(owner: string, slot: Slot): Promise<void> {
    await this.#local.renew(owner, slot);
    await this.#try(store => store.renew(owner, slot));
  }

  /** Undefined when the shared store fails. */
  async #try<T>(work: (store: RateLimitStore) => Promise<T>): Promise<T | undefined> {
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
      this.#local.noteLoss();
      const now = performance.now();
      this.#failingSinceMs ??= now;
      if (!this.#isLogged && now - this.#failingSinceMs >= unreportedMs) {
        this.#isLogged = true;
        this.#log.warn({ err: error }, 'the shared limits are away; this process counts for itself');
      }
      return undefined;
    }
  }
}
