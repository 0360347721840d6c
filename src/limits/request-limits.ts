import { randomUUID } from 'node:crypto';
import type { Actor } from '../auth/actor.ts';
import { type Allowance, type CallerAllowances, windowOf } from './caller-allowances.ts';
import { CpuShares } from './cpu-shares.ts';
import { type EntryPoint, entryPoints } from './entry-points.ts';
import {
  type Admission,
  AdmittedRequest,
  type MoreCost,
  type OpenRequest,
  type Refused,
  rateLimitStateOf,
  type Window,
  type WindowStanding,
} from './open-request.ts';
import { consumption, type Resource, secondary } from './primary-limits.ts';
import { RequestUsage } from './request-usage.ts';
import type { Counted, Slot, ThrottleStore } from './throttle-store.ts';

/** What one request is counted by. */
export interface RequestCost extends MoreCost {
  door: EntryPoint;
  /** The endpoint that the points count for; GraphQL is one. */
  endpoint: string;
}

export interface RequestLimitsOptions {
  store: ThrottleStore;
  allowances: CallerAllowances;
  /** What every limit is multiplied by. */
  factor: number;
  cpu?: CpuShares;
}

/** Milliseconds between looks for requests whose place is about to end; far less than a place lasts. */
const renewEvery = 20_000;
/** Milliseconds after which nobody tells the end of a request any more. */
const longest = 3_600_000;

/** The one admission of every entry point: windows, slot and resources of a caller, decided in one step of the store. */
export class RequestLimits {
  readonly #store: ThrottleStore;
  readonly #allowances: CallerAllowances;
  readonly #factor: number;
  readonly #cpu: CpuShares;
  readonly #open = new Map<Slot, { owner: string; since: number; settle(): void }>();
  readonly #timer: NodeJS.Timeout;

  constructor({ store, allowances, factor, cpu = new CpuShares() }: RequestLimitsOptions) {
    this.#store = store;
    this.#allowances = allowances;
    this.#factor = factor;
    this.#cpu = cpu;
    this.#timer = setInterval(() => this.#renew(), renewEvery).unref();
  }

  allowanceOf(actor: Actor): Promise<Allowance> {
    return this.#allowances.of(actor);
  }

  /** The window that a resource is counted in. */
  windowOf(allowance: Allowance, resource: Resource): Window {
    const { limit, seconds } = windowOf(allowance, resource);
    return { resource, key: `primary/${resource}${allowance.share}`, limit: this.times(limit), seconds };
  }

  /** A limit as this installation has it. */
  times(limit: number): number {
    return limit * this.#factor;
  }

  /**
   * Charges everything and gives the request a slot, or nothing and says why not. `usage` is what the request has used when it
   * ends; it is charged then.
   */
  async admit(allowance: Allowance, cost: RequestCost, usage = new RequestUsage()): Promise<OpenRequest | Refused> {
    const { owner } = allowance;
    const { slots, sharesCpu } = entryPoints[cost.door];
    const slot = { ...slots, id: randomUUID(), ...this.#scaled({ ...secondary.concurrent, limit: slots.limit }) };
    const entered = sharesCpu ? this.#cpu.enter() : undefined;
    const leave = (): number => (entered === undefined ? 0 : this.#cpu.leave(entered));
    const looked = this.#resources(allowance, cost.door);
    let admitted: Admission;
    try {
      admitted = await this.#charge(allowance, cost, looked, slot);
    } catch (error) {
      leave();
      throw error;
    }
    if ('refused' in admitted) {
      leave();
      return admitted;
    }
    const request = new AdmittedRequest(admitted, {
      charge: more => this.#charge(allowance, { ...cost, ...more }, []),
      settle: changes => {
        if (!this.#open.delete(slot)) return;
        const used = this.#used(leave(), usage, cost.door);
        // Nobody waits for it, and a slot that is not freed ends by itself.
        this.#store.settle({ owner, slot, changes: [...used, ...changes] }).catch(() => {});
      },
    });
    this.#open.set(slot, { owner, since: performance.now(), settle: () => request.settle() });
    return request;
  }

  /** How windows stand, none of them touched. */
  async look(allowance: Allowance, windows: readonly Window[]): Promise<WindowStanding[]> {
    const counts = windows.map(({ key, limit, seconds }) => ({ key, limit, seconds, look: true }));
    const { standings } = await this.#store.admit({ owner: allowance.owner, counts });
    return windows.flatMap((window, at) => {
      const found = standings[at];
      return found ? [rateLimitStateOf(window, found, 0)] : [];
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #charge(allowance: Allowance, cost: RequestCost, looked: Counted[], slot?: Slot): Promise<Admission> {
    const { window, cost: wanted = 0 } = cost.primary ?? {};
    // More than there ever is would never pass.
    const charged = window ? Math.min(wanted, window.limit) : 0;
    const primary = window ? [{ ...window, cost: charged, look: charged === 0 }] : [];
    const counts = [...primary, ...this.#secondary(cost), ...looked];
    const { owner } = allowance;
    const taken = await this.#store.admit(slot ? { owner, counts, slot } : { owner, counts });
    const [first] = taken.standings;
    if (taken.ok) return { primary: window && first && { window, charged, state: first } };
    const key = counts[taken.failed]?.key ?? '';
    const refused = key.startsWith('primary/') ? 'primary' : key.startsWith('content/') ? 'content' : 'secondary';
    const standing = window && first && rateLimitStateOf(window, first, 0);
    return { refused, retryAfter: taken.retryAfter, allowance, standing };
  }

  #secondary({ door, endpoint, points, content }: RequestCost): Counted[] {
    const counts: Counted[] = [];
    const { points: most } = entryPoints[door];
    if (most && points > 0) counts.push({ key: `points/${door} ${endpoint}`, cost: points, ...this.#scaled(most) });
    if (content === 0) return counts;
    const made = secondary.content.map(one => ({ key: `content/${one.seconds}`, cost: content, ...this.#scaled(one) }));
    return [...counts, ...made];
  }

  /** The resources of a minute, of which something must be left. */
  #resources({ class: who }: Allowance, door: EntryPoint): Counted[] {
    const { cpu, graphqlCpu, database, bytes, seconds } = consumption;
    const left = (key: string, limits: Record<Allowance['class'], number>): Counted => ({
      key,
      cost: 0,
      limit: this.times(limits[who]),
      seconds,
    });
    const counts = [left('cpu', cpu), left('database', database), left('bytes', bytes)];
    if (door === 'graphql') counts.push(left('cpu/graphql', graphqlCpu));
    return counts;
  }

  #used(cpu: number, { databaseMicroseconds, bytesSent }: RequestUsage, door: EntryPoint) {
    const used: [key: string, by: number][] = [
      ['cpu', cpu],
      ['database', Math.round(databaseMicroseconds)],
      ['bytes', bytesSent],
    ];
    if (door === 'graphql') used.push(['cpu/graphql', cpu]);
    return used.filter(([, by]) => by > 0).map(([key, by]) => ({ key, seconds: consumption.seconds, by }));
  }

  #scaled({ limit, seconds }: { limit: number; seconds: number }): { limit: number; seconds: number } {
    return { limit: this.times(limit), seconds };
  }

  #renew(): void {
    const now = performance.now();
    for (const [slot, { owner, since, settle }] of this.#open) {
      if (now - since > longest) settle();
      else if (now - since > renewEvery) this.#store.renew(owner, slot).catch(() => {});
    }
  }
}
