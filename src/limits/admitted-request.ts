import type { CallerQuota } from './caller-quotas.ts';
import type { CounterChange, CounterState } from './rate-limit-store.ts';

/** A fixed window that a request is charged in and whose state the response shows. */
export interface RateLimitWindow {
  resource: string;
  key: string;
  limit: number;
  seconds: number;
}

/** State of a window as published. `used` + `remaining` = `limit`. */
export interface RateLimitState {
  resource: string;
  limit: number;
  used: number;
  remaining: number;
  /** End of the window, in seconds since 1970. */
  reset: number;
}

/** A request over a limit. `state`: of its primary window. */
export interface RefusedRequest {
  refused: 'primary' | 'secondary' | 'content';
  /** Whether no slot was free: then it may be admitted as soon as another request ends. */
  lacksSlot: boolean;
  /** Whole seconds. */
  retryAfter: number;
  quota: CallerQuota;
  state: RateLimitState | undefined;
}

/** Cost of a request that is charged before it runs. */
export interface ChargeableCost {
  points: number;
  /** Number of created objects that other users see. */
  content: number;
  /** Undefined: no primary window. `cost` 0 reads the window without charging it. */
  primary: { window: RateLimitWindow; cost: number } | undefined;
}

/** Charge of a request in its primary window; undefined if it has none. */
export interface ChargedRequest {
  primary: { window: RateLimitWindow; charged: number; state: CounterState } | undefined;
}

export type AdmissionOutcome = ChargedRequest | RefusedRequest;

interface Store {
  charge(more: ChargeableCost): Promise<AdmissionOutcome>;
  work(): void;
  wait(): void;
  release(changes: CounterChange[]): void;
}

/** An admitted request that has not ended. */
export class AdmittedRequest {
  readonly #store: Store;
  #current: ChargedRequest['primary'];
  /** Windows charged before the request moved to another one. */
  readonly #replaced: NonNullable<ChargedRequest['primary']>[] = [];

  constructor({ primary }: ChargedRequest, store: Store) {
    this.#store = store;
    this.#current = primary;
  }

  /** State of its primary window after a refund of `refund` points; a negative refund is an additional charge. */
  state(refund = 0): RateLimitState | undefined {
    return this.#current && rateLimitStateOf(this.#current.window, this.#current.state, refund);
  }

  /**
   * Charges more while the request runs, all of it or nothing. With a different primary window, the request moves to that window
   * and its charge in the first one is refunded at the end.
   * @returns undefined if charged, else the limit that was exceeded
   */
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

  /** The request waits for its client from now on: it is charged no share of the CPU time of the process. */
  wait(): void {
    this.#store.wait();
  }

  /** The request works again. */
  work(): void {
    this.#store.work();
  }

  /**
   * Ends the request; call once. Releases the slot, refunds points (a negative refund is a charge) and charges the CPU time,
   * database time and bytes that it has used since the last second.
   */
  release(refund = 0): void {
    const changes: CounterChange[] = this.#replaced.map(one => refundOf(one, one.charged));
    if (this.#current && refund !== 0) {
      changes.push(refundOf(this.#current, Math.min(refund, this.#current.charged)));
    }
    this.#store.release(changes.filter(({ amount }) => amount !== 0));
  }
}

/** A refund applies only to the window that was charged; an additional charge may start a new one. */
function refundOf({ window, state }: NonNullable<ChargedRequest['primary']>, points: number): CounterChange {
  const { key, seconds } = window;
  return points > 0 ? { key, seconds, amount: -points, endsAt: state.endsAt } : { key, seconds, amount: -points };
}

/** State of a window after a refund of `refund` points. */
export function rateLimitStateOf(
  { resource, limit }: RateLimitWindow,
  state: CounterState,
  refund: number,
): RateLimitState {
  const used = Math.min(limit, Math.max(0, state.used - refund));
  return { resource, limit, used, remaining: limit - used, reset: Math.ceil(state.endsAt / 1000) };
}
