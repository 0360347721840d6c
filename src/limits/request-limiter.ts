import { randomUUID } from 'node:crypto';
import type { Actor } from '../auth/actor.ts';
import {
  type AdmissionOutcome,
  AdmittedRequest,
  type ChargeableCost,
  type OpenRequest,
  type RateLimitState,
  type RateLimitWindow,
  type RefusedRequest,
  rateLimitStateOf,
} from './admitted-request.ts';
import { type CallerQuota, type CallerQuotas, windowLimitOf } from './caller-quotas.ts';
import { CpuShares } from './cpu-shares.ts';
import { type EntryPoint, entryPoints } from './entry-points.ts';
import type { CounterCharge, RateLimitStore, Slot } from './rate-limit-store.ts';
import { type Resource, secondaryLimits, usageLimits } from './request-limit-tables.ts';
import { RequestUsage } from './request-usage.ts';

/** What one request is counted by. */
export interface RequestCost extends ChargeableCost {
  door: EntryPoint;
  /** The endpoint that the points count for; GraphQL is one. */
  endpoint: string;
}

export interface RequestLimiterOptions {
  store: RateLimitStore;
  allowances: CallerQuotas;
  /** What every limit is multiplied by. */
  factor: number;
  cpu?: CpuShares;
}

/** Milliseconds between looks for requests whose place is about to end; far less than a place lasts. */
const renewIntervalMs = 20_000;
/** Milliseconds after which nobody tells the end of a request any more. */
const maxRequestMs = 3_600_000;

/** The one admission of every entry point: windows, slot and resources of a caller, decided in one step of the store. */
export class RequestLimiter {
  readonly #store: RateLimitStore;
  readonly #quotas: CallerQuotas;
  readonly #factor: number;
  readonly #cpu: CpuShares;
  readonly #open = new Map<Slot, { owner: string; since: number; settle(): void }>();
  readonly #timer: NodeJS.Timeout;

  constructor({ store, allowances, factor, cpu = new CpuShares() }: RequestLimiterOptions) {
    this.#store = store;
    this.#quotas = allowances;
    this.#factor = factor;
    this.#cpu = cpu;
    this.#timer = setInterval(() => this.#renew(), renewIntervalMs).unref();
  }

  quotaOf(actor: Actor): Promise<CallerQuota> {
    return this.#quotas.of(actor);
  }

  /** The window that a resource is counted in. */
  windowOf(quota: CallerQuota, resource: Resource): RateLimitWindow {
    const { limit, seconds } = windowLimitOf(quota, resource);
    return { resource, key: `primary/${resource}${quota.share}`, limit: this.scaled(limit), seconds };
  }

  /** A limit as this installation has it. */
  scaled(limit: number): number {
    return limit * this.#factor;
  }

  /**
   * Charges everything and gives the request a slot, or nothing and says why not. `usage` is what the request has used when it
   * ends; it is charged then.
   */
  async admit(
    quota: CallerQuota,
    cost: RequestCost,
    usage = new RequestUsage(),
  ): Promise<OpenRequest | RefusedRequest> {
    const { owner } = quota;
    const { slots, sharesCpu } = entryPoints[cost.door];
    const slot = {
      ...slots,
      id: randomUUID(),
      ...this.#scaledLimit({ ...secondaryLimits.concurrent, limit: slots.limit }),
    };
    const entered = sharesCpu ? this.#cpu.enter() : undefined;
    const leave = (): number => (entered === undefined ? 0 : this.#cpu.leave(entered));
    const usageCharges = this.#usageCharges(quota, cost.door);
    let admitted: AdmissionOutcome;
    try {
      admitted = await this.#charge(quota, cost, usageCharges, slot);
    } catch (error) {
      leave();
      throw error;
    }
    if ('refused' in admitted) {
      leave();
      return admitted;
    }
    const request = new AdmittedRequest(admitted, {
      charge: more => this.#charge(quota, { ...cost, ...more }, []),
      release: changes => {
        if (!this.#open.delete(slot)) return;
        const used = this.#usageChanges(leave(), usage, cost.door);
        // Nobody waits for it, and a slot that is not freed ends by itself.
        this.#store.release({ owner, slot, changes: [...used, ...changes] }).catch(() => {});
      },
    });
    this.#open.set(slot, { owner, since: performance.now(), settle: () => request.release() });
    return request;
  }

  /** How windows stand, none of them touched. */
  async statesOf(quota: CallerQuota, windows: readonly RateLimitWindow[]): Promise<RateLimitState[]> {
    const counts = windows.map(({ key, limit, seconds }) => ({ key, limit, seconds, peek: true }));
    const { standings } = await this.#store.admit({ owner: quota.owner, counts });
    return windows.flatMap((window, at) => {
      const found = standings[at];
      return found ? [rateLimitStateOf(window, found, 0)] : [];
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #charge(
    quota: CallerQuota,
    cost: RequestCost,
    usageCharges: CounterCharge[],
    slot?: Slot,
  ): Promise<AdmissionOutcome> {
    const { window, cost: wanted = 0 } = cost.primary ?? {};
    // More than there ever is would never pass.
    const charged = window ? Math.min(wanted, window.limit) : 0;
    const primary = window ? [{ ...window, cost: charged, peek: charged === 0 }] : [];
    const counts = [...primary, ...this.#secondaryCharges(cost), ...usageCharges];
    const { owner } = quota;
    const taken = await this.#store.admit(slot ? { owner, counts, slot } : { owner, counts });
    const [first] = taken.standings;
    if (taken.ok) return { primary: window && first && { window, charged, state: first } };
    const key = counts[taken.failed]?.key ?? '';
    const refused = key.startsWith('primary/') ? 'primary' : key.startsWith('content/') ? 'content' : 'secondary';
    const standing = window && first && rateLimitStateOf(window, first, 0);
    return { refused, retryAfter: taken.retryAfter, quota, standing };
  }

  #secondaryCharges({ door, endpoint, points, content }: RequestCost): CounterCharge[] {
    const counts: CounterCharge[] = [];
    const { points: most } = entryPoints[door];
    if (most && points > 0)
      counts.push({ key: `points/${door} ${endpoint}`, cost: points, ...this.#scaledLimit(most) });
    if (content === 0) return counts;
    const made = secondaryLimits.content.map(one => ({
      key: `content/${one.seconds}`,
      cost: content,
      ...this.#scaledLimit(one),
    }));
    return [...counts, ...made];
  }

  /** The resources of a minute, of which something must be left. */
  #usageCharges({ class: who }: CallerQuota, door: EntryPoint): CounterCharge[] {
    const { cpu, graphqlCpu, database, bytes, seconds } = usageLimits;
    const left = (key: string, limits: Record<CallerQuota['class'], number>): CounterCharge => ({
      key,
      cost: 0,
      limit: this.scaled(limits[who]),
      seconds,
    });
    const counts = [left('cpu', cpu), left('database', database), left('bytes', bytes)];
    if (door === 'graphql') counts.push(left('cpu/graphql', graphqlCpu));
    return counts;
  }

  #usageChanges(cpu: number, { databaseMicroseconds, bytesSent }: RequestUsage, door: EntryPoint) {
    const used: [key: string, by: number][] = [
      ['cpu', cpu],
      ['database', Math.round(databaseMicroseconds)],
      ['bytes', bytesSent],
    ];
    if (door === 'graphql') used.push(['cpu/graphql', cpu]);
    return used.filter(([, by]) => by > 0).map(([key, by]) => ({ key, seconds: usageLimits.seconds, by }));
  }

  #scaledLimit({ limit, seconds }: { limit: number; seconds: number }): { limit: number; seconds: number } {
    return { limit: this.scaled(limit), seconds };
  }

  #renew(): void {
    const now = performance.now();
    for (const [slot, { owner, since, settle }] of this.#open) {
      if (now - since > maxRequestMs) settle();
      else if (now - since > renewIntervalMs) this.#store.renew(owner, slot).catch(() => {});
    }
  }
}
