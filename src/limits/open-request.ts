import type { Allowance } from './caller-allowances.ts';
import type { Change, Standing } from './throttle-store.ts';

/** A rate-limit window that a request is counted in, as far as callers see it. */
export interface Window {
  resource: string;
  key: string;
  limit: number;
  seconds: number;
}

/** How a window stands. `used` and `remaining` are `limit` together. */
export interface WindowStanding {
  resource: string;
  limit: number;
  used: number;
  remaining: number;
  /** Seconds since 1970. */
  reset: number;
}

/** Why a request may not be answered now. `standing` is that of its primary window. */
export interface Refused {
  refused: 'primary' | 'secondary' | 'content';
  /** Whole seconds. */
  retryAfter: number;
  allowance: Allowance;
  standing: WindowStanding | undefined;
}

/** What a request costs beside its slot and the resources it uses. */
export interface MoreCost {
  points: number;
  /** Things it makes that others see. */
  content: number;
  /** Undefined: not counted in an hour's window. `cost` 0 looks at it alone. */
  primary: { window: Window; cost: number } | undefined;
}

/** A request that is being answered. */
export interface OpenRequest {
  /** How its primary window stands once `refund` points have been given back; a negative refund is charged on top. */
  standing(refund?: number): WindowStanding | undefined;
  /**
   * Charges more, once more is known: all of it, or nothing and says why not. With another primary window than before the
   * request counts in that one, and what it was charged in the first one is given back at its end.
   */
  charge(more: MoreCost): Promise<Refused | undefined>;
  /** To be called once, when the answer has ended: frees the slot, gives points back (or charges them) and charges what was used. */
  settle(refund?: number): void;
}

/** What a request was charged in its primary window; undefined where it counts in none. */
export interface Charged {
  primary: { window: Window; charged: number; state: Standing } | undefined;
}

export type Admission = Charged | Refused;

interface Store {
  charge(more: MoreCost): Promise<Admission>;
  settle(changes: Change[]): void;
}

export class AdmittedRequest implements OpenRequest {
  readonly #store: Store;
  #current: Charged['primary'];
  /** Windows that it was charged in before it was known where it belongs. */
  readonly #left: NonNullable<Charged['primary']>[] = [];

  constructor({ primary }: Charged, store: Store) {
    this.#store = store;
    this.#current = primary;
  }

  standing(refund = 0): WindowStanding | undefined {
    return this.#current && rateLimitStateOf(this.#current.window, this.#current.state, refund);
  }

  async charge(more: MoreCost): Promise<Refused | undefined> {
    const charged = await this.#store.charge(more);
    if ('refused' in charged) return charged;
    const { primary } = charged;
    const before = this.#current;
    if (before && primary && before.window.key === primary.window.key) {
      this.#current = { ...primary, charged: before.charged + primary.charged };
    } else if (primary) {
      if (before) this.#left.push(before);
      this.#current = primary;
    }
    return undefined;
  }

  settle(refund = 0): void {
    const changes: Change[] = this.#left.map(one => refundOf(one, one.charged));
    if (this.#current && refund !== 0) {
      changes.push(refundOf(this.#current, Math.min(refund, this.#current.charged)));
    }
    this.#store.settle(changes.filter(({ by }) => by !== 0));
  }
}

/** Only the window that was charged gets points back; what is charged on top may begin a new one. */
function refundOf({ window, state }: NonNullable<Charged['primary']>, points: number): Change {
  const { key, seconds } = window;
  return points > 0 ? { key, seconds, by: -points, ends: state.ends } : { key, seconds, by: -points };
}

/** How a window stands once `refund` points have been given back. */
export function rateLimitStateOf({ resource, limit }: Window, state: Standing, refund: number): WindowStanding {
  const used = Math.min(limit, Math.max(0, state.used - refund));
  return { resource, limit, used, remaining: limit - used, reset: Math.ceil(state.ends / 1000) };
}
