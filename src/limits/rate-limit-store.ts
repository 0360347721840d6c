/** One counter that a call charges. */
export interface CounterCharge {
  /** Unique within one call, and always used with the same `seconds` and `lockoutSeconds`. */
  key: string;
  limit: number;
  /** Lifetime of the counter, from the first charge. With `lockoutSeconds`: from the last charge. */
  seconds: number;
  /** A whole number, 1 by default. 0 charges nothing and is rejected if nothing remains. With `lockoutSeconds` 0 or 1. */
  cost?: number;
  /** Reads the counter without charging it and without rejecting the call. */
  peek?: boolean;
  /**
   * Lockout periods in seconds. When the limit is reached, every charge is rejected for the first period; then the counter
   * restarts, and the next time the next period applies; the last one repeats. None may exceed `seconds`.
   */
  lockoutSeconds?: readonly number[];
}

/** Lease of one of `limit` concurrent requests. It expires after `seconds` unless it is renewed. */
export interface Slot {
  key: string;
  /** Identifies the request that holds it. */
  id: string;
  limit: number;
  seconds: number;
}

export type ChargeResult =
  | { ok: true }
  /** `retryAfter`: whole seconds, at least 1, until the same call would pass. `failedIndex`: index of the charge that was rejected. */
  | { ok: false; retryAfter: number; failedIndex: number };

/** Everything that decides whether one request of one caller is admitted. */
export interface AdmissionRequest {
  /** Namespace of the keys. A clustered store keeps all keys of one owner on one node. */
  owner: string;
  charges: readonly CounterCharge[];
  slot?: Slot;
}

/** State of a counter after a decision. A counter that does not exist yet: nothing used, and ending as if it began now. */
export interface CounterState {
  used: number;
  /** Milliseconds since 1970. */
  endsAt: number;
}

/** `failedIndex` is the number of charges if no slot is free. `states`: one per charge. */
export type AdmissionResult = ChargeResult & { states: readonly CounterState[] };

/** Change of a counter after the request, regardless of its limit. */
export interface CounterChange {
  key: string;
  seconds: number;
  /** Negative: a refund. */
  amount: number;
  /** A refund applies only to the counter that ends at this time, not to a later one. A counter refunded to 0 is deleted. */
  endsAt?: number;
}

/** End of an admitted request. */
export interface SlotRelease {
  owner: string;
  slot: Slot;
  changes: readonly CounterChange[];
}

/** `retryAfter` if no slot is free. The actual time is unknown; a shorter one causes many useless retries. */
export const slotRetryAfterSeconds = 5;

/**
 * Storage of counters and slots. One call decides about all counters of a request atomically: all are charged or none. Every
 * implementation must pass `test/limits/rate-limit-store-conformance.ts`.
 */
export interface RateLimitStore {
  /** @throws RangeError for a call that can never pass: a cost above the limit, a duplicate key */
  charge(charges: readonly CounterCharge[]): Promise<ChargeResult>;
  /** Deletes a counter and its lockout. */
  clear(key: string): Promise<void>;
  /** Charges counters and takes a slot, or does neither. @throws RangeError as `charge` does */
  admit(request: AdmissionRequest): Promise<AdmissionResult>;
  /** Releases the slot, if it is still held, and applies the changes. */
  release(release: SlotRelease): Promise<void>;
  /** Applies changes of counters while a request runs. */
  change(owner: string, changes: readonly CounterChange[]): Promise<void>;
  /** Extends a slot that is still held by its `seconds` from now. */
  renew(owner: string, slot: Slot): Promise<void>;
}

/** Every store calls this first in `charge` and `admit`. @throws RangeError */
export function assertValidCharges(charges: readonly CounterCharge[]): void {
  for (const [at, { key, limit, seconds, cost = 1, lockoutSeconds }] of charges.entries()) {
    const maxCost = lockoutSeconds ? 1 : limit;
    if (!Number.isInteger(cost) || cost < 0 || cost > maxCost)
      throw new RangeError(`${cost} can never be taken of ${key}.`);
    if (lockoutSeconds?.length === 0 || lockoutSeconds?.some(one => one > seconds)) {
      throw new RangeError(`The lockouts of ${key} must be within its ${seconds} seconds.`);
    }
    for (let before = 0; before < at; before++) {
      if (charges[before]?.key === key) throw new RangeError(`${key} is counted twice in one call.`);
    }
  }
}
