import type { CallerQuota } from './caller-quotas.ts';
import type { CounterChange, CounterState } from './rate-limit-store.ts';

/** A rate-limit window that a request is counted in, as far as callers see it. */
export interface RateLimitWindow {
  resource: string;
  key: string;
  limit: number;
  seconds: number;
}

/** How a window stands. `used` and `remaining` are `limit` together. */
export interface RateLimitState {
  resource: string;
  limit: number;
  used: number;
  remaining: number;
  /** Seconds since 1970. */
  reset: number;
}

/** Why a request may not be answered now. `standing` is that of its primary window. */
export interface RefusedRequest {
  refused: 'primary' | 'secondary' | 'content';
  /** Whole seconds. */
  retryAfter: number;
  quota: CallerQuota;
  standing: RateLimitState | undefined;
}

/** What a request costs beside its slot and the resources it uses. */
export interface ChargeableCost {
  points: number;
  /** Things it makes that others see. */
  content: number;
  /** Undefined: not counted in an hour's window. `cost` 0 looks at it alone. */
  primary: { window: RateLimitWindow; cost: number } | undefined;
}

/** A request that is being answered. */
export interface OpenRequest {
  /** How its primary window stands once `refund` points have been given back; a negative refund is charged on top. */
  state(refund?: number): RateLimitState | undefined;
  /**
   * Charges more, once more is known: all of it, or nothing and says why not. With another primary window than before the
   * request counts in that one, and what it was charged in the first one is given back at its end.
   */
  charge(more: ChargeableCost): Promise<RefusedRequest | undefined>;
  /** To be called once, when the answer has ended: frees the slot, gives points back (or charges them) and charges what was used. */
  release(refund?: number): void;
}

/** What a request was charged in its primary window; undefined where it counts in none. */
export interface ChargedRequest {
  primary: { window: RateLimitWindow; charged: number; state: CounterState } | undefined;
}

export type AdmissionOutcome = ChargedRequest | RefusedRequest;

interface Store {
  charge(more: ChargeableCost): Promise<AdmissionOutcome>;
  release(changes: CounterChange[]): void;
}

export class AdmittedRequest implements OpenRequest {
  readonly #store: Store;
  #current: ChargedRequest['primary'];
  /** Windows that it was charged in before it was known where it belongs. */
  readonly #replaced: NonNullable<ChargedRequest['primary']>[] = [];

  constructor({ primary }: ChargedRequest, store: Store) {
    this.#store = store;
    this.#current = primary;
  }

  state(refund = 0): RateLimitState | undefined {
    return this.#current && rateLimitStateOf(this.#current.window, this.#current.state, refund);
  }

  async charge(more: ChargeableCost): Promise<RefusedRequest | undefined> {
    const charged = await this.#store.charge(more);
    if ('refused' in charged) return charged;
    const { primary } = charged;
    const before = this.#current;
    if (before && primary && before.window.key === primary.window.key) {
      this.#current = { ...primary, charged: before.charged + primary.charged };
    } else if (primary) {
      if (before) this.#replaced.push(before);
      this.#current = primary;
    }
    return undefined;
  }

  release(refund = 0): void {
    const changes: CounterChange[] = this.#replaced.map(one => refundOf(one, one.charged));
    if (this.#current && refund !== 0) {
      changes.push(refundOf(this.#current, Math.min(refund, this.#current.charged)));
    }
    this.#store.release(changes.filter(({ by }) => by !== 0));
  }
}

/** Only the window that was charged gets points back; what is charged on top may begin a new one. */
function refundOf({ window, state }: NonNullable<ChargedRequest['primary']>, points: number): CounterChange {
  const { key, seconds } = window;
  return points > 0 ? { key, seconds, by: -points, endsAt: state.ends } : { key, seconds, by: -points };
}

/** How a window stands once `refund` points have been given back. */
export function rateLimitStateOf(
  { resource, limit }: RateLimitWindow,
  state: CounterState,
  refund: number,
): RateLimitState {
  const used = Math.min(limit, Math.max(0, state.used - refund));
  return { resource, limit, used, remaining: limit - used, reset: Math.ceil(state.ends / 1000) };
}
