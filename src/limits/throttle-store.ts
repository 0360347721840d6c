/** One count that a request goes into. */
export interface Counted {
  /** Not twice in one call, and always with the same limit, seconds and pauses. */
  key: string;
  limit: number;
  /**
   * How long the count lasts: from the first that was counted. With `pauses`: from the last one.
   */
  seconds: number;
  /** A whole number; 1 when left out. 0 counts nothing and is refused when nothing is left. With `pauses` 0 or 1. */
  cost?: number;
  /**
   * When the limit is reached, everything is refused for the first of these, in seconds; then the count starts anew, and ends
   * in the next one; the last one repeats. None may be longer than `seconds`.
   */
  pauses?: readonly number[];
}

export type Taken =
  | { ok: true }
  /** `retryAfter`: whole seconds, at least 1, after which the same call would pass. `failed`: which one that is due to. */
  | { ok: false; retryAfter: number; failed: number };

/**
 * Where counts are kept. One call decides over all counts of a request in one step: all are charged or none. Another store
 * (Redis) must pass `test/limits/throttle-conformance.ts`.
 */
export interface ThrottleStore {
  /** Throws RangeError for what could never pass or is contradictory: a cost above the limit, a key twice. */
  take(counts: readonly Counted[]): Promise<Taken>;
  /** Forgets a count, pauses included. */
  clear(key: string): Promise<void>;
}

/** What every store asks of its caller; to be called first in `take`. */
export function demandSense(counts: readonly Counted[]): void {
  for (const [at, { key, limit, seconds, cost = 1, pauses }] of counts.entries()) {
    const most = pauses ? 1 : limit;
    if (!Number.isInteger(cost) || cost < 0 || cost > most)
      throw new RangeError(`${cost} can never be taken of ${key}.`);
    if (pauses?.length === 0 || pauses?.some(pause => pause > seconds)) {
      throw new RangeError(`The pauses of ${key} must be within its ${seconds} seconds.`);
    }
    for (let before = 0; before < at; before++) {
      if (counts[before]?.key === key) throw new RangeError(`${key} is counted twice in one call.`);
    }
  }
}
