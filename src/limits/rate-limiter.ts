import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { Actor } from '../auth/actor.ts';
import { type ActionName, actionLimits } from './action-limits.ts';
import {
  type AdmissionOutcome,
  AdmittedRequest,
  type RateLimitState,
  type RateLimitWindow,
  type RefusedRequest,
  rateLimitStateOf,
} from './admitted-request.ts';
import { type CallerQuota, type CallerQuotas, windowLimitOf } from './caller-quotas.ts';
import { ChargedUsage } from './charged-usage.ts';
import { CpuShares } from './cpu-shares.ts';
import { entryPoints } from './entry-points.ts';
import { ipKey } from './rate-limit-keys.ts';
import type { ChargeResult, CounterCharge, RateLimitStore, Slot } from './rate-limit-store.ts';
import { type RequestCost, scaledBy, secondaryCharges, usageCharges } from './request-charges.ts';
import { type Resource, secondaryLimits } from './request-limit-tables.ts';
import { RequestUsage } from './request-usage.ts';

/** One use of a limited action by one caller. `key`: IP address, user id or session id, as `actionLimits` says. */
export interface Action {
  action: ActionName;
  key: string;
}

export interface RateLimiterOptions {
  /** Undefined: rate limits are off. */
  store: RateLimitStore | undefined;
  /** Counts failed attempts, with rate limits off too; by default in `store`. */
  lockouts?: RateLimitStore;
  quotas: CallerQuotas;
  /** Multiplies every limit except those of failed logins and bad credentials. */
  factor: number;
  cpu?: CpuShares;
  /** Whether the counters are shared with other gateways now; absent when there is no shared store. */
  isShared?(): boolean;
  /** Called by `close`. */
  onClose?(): void;
}

/** Interval of slot renewal, far shorter than a slot lasts. */
const renewIntervalMs = 20_000;
/** Interval in which running requests are charged for what they have used. Most requests end earlier. */
const chargeIntervalMs = 1_000;
/** A request that has not been released after this time is released. */
const maxRequestMs = 3_600_000;

/** The error of an exceeded limit of the health API: 429, code THROTTLED. `retryAfter`: whole seconds. */
export function tooManyRequests(retryAfter: number): GraphQLError {
  const time = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  return new GraphQLError(`Request was throttled. Expected available in ${time}.`, {
    extensions: { retryAfter, code: 'THROTTLED', http: { status: 429 } },
  });
}

/**
 * All rate limits of a process, over one store: requests at every entry point (`admit`), actions of the health API (`charge`),
 * and the counters of `login-limits.ts`, `mail-limits.ts` and `credential-limits.ts` (`tryCharge`). If rate limits are off, the
 * actions always pass and the methods for requests must not be called: see `isOff`.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #cpu: CpuShares;
  readonly #open = new Map<Slot, { owner: string; since: number; usage: ChargedUsage; release(): void }>();
  readonly #timers: NodeJS.Timeout[] = [];
  /** Slot ids are unique over all processes that share a store. */
  readonly #processId = randomUUID();
  /** Refused calls by the first word of the key of the exceeded limit. */
  readonly #refusals = new Map<string, number>();
  #slotCount = 0;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#cpu = options.cpu ?? new CpuShares();
    if (!options.store) return;
    this.#timers.push(setInterval(() => this.#renew(), renewIntervalMs).unref());
    this.#timers.push(setInterval(() => this.chargeOpen(), chargeIntervalMs).unref());
  }

  /** Whether rate limits are switched off. */
  get isOff(): boolean {
    return this.#options.store === undefined;
  }

  /** Whether the counters are shared with other gateways now; undefined when there is no shared store. */
  get isShared(): boolean | undefined {
    return this.#options.isShared?.();
  }

  /** Calls that a limit has refused since the start of the process, by the kind of the limit, such as `primary` or `login`. */
  get refusals(): ReadonlyMap<string, number> {
    return this.#refusals;
  }

  /** A limit multiplied by the factor of this installation. */
  scaled(limit: number): number {
    return limit * this.#options.factor;
  }

  /** Charges all actions or none. @throws tooManyRequests */
  async charge(actions: readonly Action[]): Promise<void> {
    await this.assertCharge(actions.flatMap(one => this.#actionCharges(one)));
  }

  /** Charges all counters or none, without scaling. */
  async tryCharge(charges: readonly CounterCharge[]): Promise<ChargeResult> {
    const result = (await this.#options.store?.charge(charges)) ?? { ok: true };
    if (!result.ok) this.#countRefusal(charges[result.failedIndex]?.key ?? '');
    return result;
  }

  /** As `tryCharge` for one counter, also if rate limits are off. */
  async chargeLockout(charge: CounterCharge): Promise<ChargeResult> {
    const result = (await (this.#options.store ?? this.#options.lockouts)?.charge([charge])) ?? { ok: true };
    if (!result.ok) this.#countRefusal(charge.key);
    return result;
  }

  /** As `tryCharge`. @throws tooManyRequests */
  async assertCharge(charges: readonly CounterCharge[]): Promise<void> {
    const result = await this.tryCharge(charges);
    if (!result.ok) throw tooManyRequests(result.retryAfter);
  }

  /** Deletes a counter and its lockout. */
  async clear(key: string): Promise<void> {
    await this.#options.store?.clear(key);
  }

  quotaOf(actor: Actor): Promise<CallerQuota> {
    return this.#options.quotas.of(actor);
  }

  /** The primary window of a resource for this caller. */
  windowOf(quota: CallerQuota, resource: Resource): RateLimitWindow {
    const { limit, seconds } = windowLimitOf(quota, resource);
    return { resource, key: `primary/${resource}${quota.keySuffix}`, limit: this.scaled(limit), seconds };
  }

  /**
   * Admits one request: charges its window, points and content, checks its usage limits and takes a slot, in one call of the
   * store; or does nothing and returns the exceeded limit. `usage` is charged every second and when the request is released.
   */
  async admit(
    quota: CallerQuota,
    cost: RequestCost,
    usage = new RequestUsage(),
  ): Promise<AdmittedRequest | RefusedRequest> {
    const { owner } = quota;
    const { entryPoint } = cost;
    const { factor } = this.#options;
    const { slots } = entryPoints[entryPoint];
    const slot = {
      ...slots,
      id: `${this.#processId}/${this.#slotCount++}`,
      ...scaledBy(factor, { ...secondaryLimits.concurrent, limit: slots.limit }),
    };
    const charged = new ChargedUsage(this.#cpu, usage, entryPoint);
    let outcome: AdmissionOutcome;
    try {
      outcome = await this.#admit(quota, cost, usageCharges(factor, quota.class, entryPoint), slot);
    } catch (error) {
      charged.wait();
      throw error;
    }
    if ('refused' in outcome) {
      charged.wait();
      return outcome;
    }
    const request = new AdmittedRequest(outcome, {
      charge: more => this.#admit(quota, { ...cost, ...more }, []),
      work: () => {
        if (this.#open.has(slot)) charged.work();
      },
      wait: () => charged.wait(),
      release: refunds => {
        if (!this.#open.delete(slot)) return;
        charged.wait();
        const changes = [...charged.take(), ...refunds];
        // The release is not awaited, and a slot that is not released expires.
        this.#store.release({ owner, slot, changes }).catch(() => {});
      },
    });
    this.#open.set(slot, { owner, since: performance.now(), usage: charged, release: () => request.release() });
    return request;
  }

  /** States of windows, without charging them. */
  async statesOf(quota: CallerQuota, windows: readonly RateLimitWindow[]): Promise<RateLimitState[]> {
    const charges: CounterCharge[] = windows.map(({ key, limit, seconds }) => ({ key, limit, seconds, peek: true }));
    const { states } = await this.#store.admit({ owner: quota.owner, charges });
    return windows.flatMap((window, at) => {
      const state = states[at];
      return state ? [rateLimitStateOf(window, state, 0)] : [];
    });
  }

  /** Charges running requests for what they have used until now. Called every second. */
  chargeOpen(): void {
    const now = performance.now();
    for (const { owner, since, usage } of this.#open.values()) {
      if (now - since < chargeIntervalMs) continue;
      const changes = usage.take();
      // The next second brings the rest.
      if (changes.length > 0) this.#store.change(owner, changes).catch(() => {});
    }
  }

  /** Stops the timers and closes the connection of the store. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#options.onClose?.();
  }

  get #store(): RateLimitStore {
    const { store } = this.#options;
    if (!store) throw new TypeError('Rate limits are off: check isOff before a request is admitted.');
    return store;
  }

  async #admit(
    quota: CallerQuota,
    cost: RequestCost,
    usage: readonly CounterCharge[],
    slot?: Slot,
  ): Promise<AdmissionOutcome> {
    const { owner } = quota;
    const { window, cost: points = 0 } = cost.primary ?? {};
    // A cost above the limit could never pass.
    const charged = window ? Math.min(points, window.limit) : 0;
    const primary = window ? [{ ...window, cost: charged, peek: charged === 0 }] : [];
    const charges = [...primary, ...secondaryCharges(this.#options.factor, cost), ...usage];
    const result = await this.#store.admit(slot ? { owner, charges, slot } : { owner, charges });
    const [first] = result.states;
    if (result.ok) return { primary: window && first && { window, charged, state: first } };
    const key = charges[result.failedIndex]?.key ?? 'concurrent';
    this.#countRefusal(key);
    const refused = key.startsWith('primary/') ? 'primary' : key.startsWith('content/') ? 'content' : 'secondary';
    const state = window && first && rateLimitStateOf(window, first, 0);
    return { refused, lacksSlot: key === 'concurrent', retryAfter: result.retryAfter, quota, state };
  }

  #countRefusal(key: string): void {
    const kind = /^[a-zA-Z-]+/.exec(key)?.[0] ?? '';
    this.#refusals.set(kind, (this.#refusals.get(kind) ?? 0) + 1);
  }

  #actionCharges({ action, key }: Action): CounterCharge[] {
    const { per, limits } = actionLimits[action];
    const caller = per === 'ip' ? ipKey(key) : key;
    return limits.map(one => ({
      key: `${action}/${one.seconds} ${caller}`,
      ...scaledBy(this.#options.factor, one),
    }));
  }

  #renew(): void {
    const now = performance.now();
    for (const [slot, { owner, since, release }] of this.#open) {
      if (now - since > maxRequestMs) release();
      else if (now - since > renewIntervalMs) this.#store.renew(owner, slot).catch(() => {});
    }
  }
}
