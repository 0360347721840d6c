/** One count that a request goes into. */
export interface CounterCharge {
  /** Not twice in one call, and always with the same seconds and pauses. */
  key: string;
  limit: number;
  /**
   * How long the count lasts: from the first that was counted. With `pauses`: from the last one.
   */
  seconds: number;
  /** A whole number; 1 when left out. 0 counts nothing and is refused when nothing is left. With `pauses` 0 or 1. */
  cost?: number;
  /** Tells how the count stands, and neither charges nor refuses. */
  peek?: boolean;
  /**
   * When the limit is reached, everything is refused for the first of these, in seconds; then the count starts anew, and ends
   * in the next one; the last one repeats. None may be longer than `seconds`.
   */
  pauses?: readonly number[];
}

/** One of so many places that may be taken at once. It frees itself after `seconds`, unless it is renewed. */
export interface Slot {
  key: string;
  /** Of the request that takes it. */
  id: string;
  limit: number;
  seconds: number;
}

export type ChargeResult =
  | { ok: true }
  /** `retryAfter`: whole seconds, at least 1, after which the same call would pass. `failed`: which one that is due to. */
  | { ok: false; retryAfter: number; failed: number };

/** All that one request of one caller is decided by. */
export interface AdmissionRequest {
  /** Keys of different owners never meet. A store of several machines keeps what one owner has on one of them. */
  owner: string;
  counts: readonly CounterCharge[];
  slot?: Slot;
}

/** How a count stands after a decision; of one that has not begun: none used, and ending as if it began now. */
export interface CounterState {
  used: number;
  /** Milliseconds since 1970. */
  ends: number;
}

/** `failed` is `counts.length` where no slot is free. `standings`: one for each of `counts`. */
export type AdmissionResult = ChargeResult & { standings: readonly CounterState[] };

/** What is added to a count after the fact, whatever its limit, or given back. */
export interface CounterChange {
  key: string;
  seconds: number;
  /** Negative gives back. */
  by: number;
  /** What is given back goes to the count that ends then, and to no later one. With all of it back, it never was. */
  endsAt?: number;
}

/** The end of a request that was admitted. */
export interface SlotRelease {
  owner: string;
  slot: Slot;
  changes: readonly CounterChange[];
}

/** Seconds to wait for a slot. Answers end all the time and nobody knows when; less would have hundreds ask in circles. */
export const slotRetryAfterSeconds = 5;

/**
 * Where counts are kept. One call decides over all counts of a request in one step: all are charged or none. Another store
 * (Redis) must pass `test/limits/rate-limit-store-conformance.ts`.
 */
export interface RateLimitStore {
  /** Throws RangeError for what could never pass or is contradictory: a cost above the limit, a key twice. */
  charge(charges: readonly CounterCharge[]): Promise<ChargeResult>;
  /** Forgets a count, pauses included. */
  clear(key: string): Promise<void>;
  /** The same with a slot, which is taken together with the counts or not at all. Throws as `take` does. */
  admit(request: AdmissionRequest): Promise<AdmissionResult>;
  /** Frees the slot, if it is still held, and makes the changes. */
  release(release: SlotRelease): Promise<void>;
  /** Has a slot that is still held last for its seconds from now. */
  renew(owner: string, slot: Slot): Promise<void>;
}

/** What every store asks of its caller; to be called first in `take` and `admit`. */
export function assertValidCharges(charges: readonly CounterCharge[]): void {
  for (const [at, { key, limit, seconds, cost = 1, pauses }] of charges.entries()) {
    const maxCost = pauses ? 1 : limit;
    if (!Number.isInteger(cost) || cost < 0 || cost > maxCost)
      throw new RangeError(`${cost} can never be taken of ${key}.`);
    if (pauses?.length === 0 || pauses?.some(pause => pause > seconds)) {
      throw new RangeError(`The pauses of ${key} must be within its ${seconds} seconds.`);
    }
    for (let before = 0; before < at; before++) {
      if (charges[before]?.key === key) throw new RangeError(`${key} is counted twice in one call.`);
    }
  }
}
