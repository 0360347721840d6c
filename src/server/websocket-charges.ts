import type { Actor } from '../auth/actor.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { throttled } from '../limits/throttle.ts';
import { type BudgetName, budgets } from '../limits/throttle-budgets.ts';

/** Counts what comes by WebSocket. All throw `throttled` where it is one too many; `release` ends what was begun. */
export interface WebSocketCharges {
  /** A request for a connection, in a minute of its address. */
  upgrade(ip: string): Promise<void>;
  /** The start of a subscription, in the minute of the person's REST requests, before its document is read. */
  subscription(actor: Actor): Promise<{ release(): void }>;
  /** What a connection has used since it was last asked, as resources of the minute. Sets `usage` to nothing. */
  used(actor: Actor, usage: RequestUsage): Promise<void>;
}

export function webSocketCharges(limits: RequestLimits | undefined): WebSocketCharges {
  async function admit(actor: Actor, key: string, budget: BudgetName) {
    if (!limits) return undefined;
    const [{ limit, seconds } = { limit: 0, seconds: 60 }] = budgets[budget].allowances;
    const window = { resource: key, key: `primary/health ${key}`, limit: limits.times(limit), seconds };
    const cost = { door: 'websocket', endpoint: '', points: 1, content: 0, primary: { window, cost: 1 } } as const;
    const open = await limits.admit(await limits.allowanceOf(actor), cost);
    if ('refused' in open) throw throttled(open.retryAfter);
    return open;
  }
  return {
    async upgrade(ip) {
      (await admit({ kind: 'anonymous', ip }, 'websocket', 'anonymous'))?.settle();
    },
    async subscription(actor) {
      const open = await admit(actor, 'user', 'user');
      return { release: () => open?.settle() };
    },
    async used(actor, usage) {
      if (!limits || usage.databaseMicroseconds + usage.bytesSent === 0) return;
      const taken = Object.assign(new RequestUsage(), usage);
      Object.assign(usage, new RequestUsage());
      const cost = { door: 'websocket', endpoint: '', points: 0, content: 0, primary: undefined } as const;
      const open = await limits.admit(await limits.allowanceOf(actor), cost, taken);
      if ('refused' in open) throw throttled(open.retryAfter);
      open.settle();
    },
  };
}
