import { randomUUID } from 'node:crypto';
import type { Actor } from '../auth/actor.ts';
import { type Allowance, type CallerAllowances, windowOf } from './caller-allowances.ts';
import { CpuShares } from './cpu-shares.ts';
import { type Resource, secondary } from './primary-limits.ts';
import type { Change, Counted, Slot, Standing, ThrottleStore } from './throttle-store.ts';

/** A window that a request is counted in, so far as it is told to callers. */
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

/** What one request is counted by. */
export interface RequestCost {
  door: 'rest' | 'graphql';
  /** The endpoint that the points count for; GraphQL is one. */
  endpoint: string;
  points: number;
  /** Things it makes that others see. */
  content: number;
  /** Undefined: not counted in an hour's window. `cost` 0 looks at it alone. */
  primary: { window: Window; cost: number } | undefined;
}

/** Why a request may not be answered now. `standing` is that of its primary window. */
export interface Refused {
  refused: 'primary' | 'secondary' | 'content';
  /** Whole seconds. */
  retryAfter: number;
  allowance: Allowance;
  standing: WindowStanding | undefined;
}

/** A request that is being answered. */
export interface OpenRequest {
  /** How its primary window stands once `given` points have been given back. */
  standing(given?: number): WindowStanding | undefined;
  /** To be told once, when the answer has ended: frees its place, gives points back and counts what it took of the CPU. */
  settle(given?: number): void;
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

/** What one caller may do at the doors of the code hosting product and of GraphQL, all of a request decided in one step. */
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

  /** Charges everything and gives the request a place, or nothing and says why not. */
  async admit(allowance: Allowance, cost: RequestCost): Promise<OpenRequest | Refused> {
    const { owner } = allowance;
    const { window, cost: points = 0 } = cost.primary ?? {};
    // More than there ever is would never pass.
    const charged = window ? Math.min(points, window.limit) : 0;
    const primary = window ? [{ ...window, cost: charged, look: charged === 0 }] : [];
    const counts = [...primary, ...this.#secondary(cost)];
    const slot = { key: 'slots', id: randomUUID(), ...this.#scaled(secondary.concurrent) };
    const entered = this.#cpu.enter();
    let admitted: Awaited<ReturnType<ThrottleStore['admit']>>;
    try {
      admitted = await this.#store.admit({ owner, counts, slot });
    } catch (error) {
      this.#cpu.leave(entered);
      throw error;
    }
    const [first] = admitted.standings;
    const standing = (given = 0): WindowStanding | undefined => window && first && standingOf(window, first, given);
    if (!admitted.ok) {
      this.#cpu.leave(entered);
      const { retryAfter, failed } = admitted;
      const key = counts[failed]?.key ?? '';
      const refused = key.startsWith('primary/') ? 'primary' : key.startsWith('content/') ? 'content' : 'secondary';
      return { refused, retryAfter, allowance, standing: standing() };
    }
    const settle = (given = 0): void => {
      if (!this.#open.delete(slot)) return;
      const changes = this.#spent(this.#cpu.leave(entered), cost.door);
      if (window && first && given > 0) {
        changes.push({ key: window.key, seconds: window.seconds, by: -Math.min(given, charged), ends: first.ends });
      }
      // Nobody waits for it, and a place that is not freed ends by itself.
      this.#store.settle({ owner, slot, changes }).catch(() => {});
    };
    this.#open.set(slot, { owner, since: performance.now(), settle });
    return { standing, settle };
  }

  /** A request that is limited elsewhere, and takes its share of the CPU all the same: nobody else shall be told it was theirs. */
  bystander(): { headers(): Record<string, string>; settle(): void } {
    const entered = this.#cpu.enter();
    return { headers: () => ({}), settle: () => void this.#cpu.leave(entered) };
  }

  /** How windows stand, none of them touched. */
  async look(allowance: Allowance, windows: readonly Window[]): Promise<WindowStanding[]> {
    const counts = windows.map(({ key, limit, seconds }) => ({ key, limit, seconds, look: true }));
    const { standings } = await this.#store.admit({ owner: allowance.owner, counts });
    return windows.flatMap((window, at) => {
      const found = standings[at];
      return found ? [standingOf(window, found, 0)] : [];
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #secondary({ door, endpoint, points, content }: RequestCost): Counted[] {
    const { endpointPoints, graphqlPoints, cpu, graphqlCpu } = secondary;
    const most = this.#scaled(door === 'rest' ? endpointPoints : graphqlPoints);
    const counts: Counted[] = [
      { key: `points/${door} ${endpoint}`, cost: points, ...most },
      { key: 'cpu', cost: 0, ...this.#scaled(cpu) },
    ];
    if (door === 'graphql') counts.push({ key: 'cpu/graphql', cost: 0, ...this.#scaled(graphqlCpu) });
    if (content === 0) return counts;
    const made = secondary.content.map(one => ({ key: `content/${one.seconds}`, cost: content, ...this.#scaled(one) }));
    return [...counts, ...made];
  }

  #spent(microseconds: number, door: RequestCost['door']): Change[] {
    if (microseconds <= 0) return [];
    const spent = [{ key: 'cpu', seconds: secondary.cpu.seconds, by: microseconds }];
    if (door === 'rest') return spent;
    return [...spent, { key: 'cpu/graphql', seconds: secondary.graphqlCpu.seconds, by: microseconds }];
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

function standingOf({ resource, limit }: Window, standing: Standing, given: number): WindowStanding {
  const used = Math.min(limit, Math.max(0, standing.used - given));
  return { resource, limit, used, remaining: limit - used, reset: Math.ceil(standing.ends / 1000) };
}
