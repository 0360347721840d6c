import type { Actor } from '../auth/actor.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { RequestUsage } from '../limits/request-usage.ts';
import { throttled } from '../limits/throttle.ts';
import { type BudgetName, budgets } from '../limits/throttle-budgets.ts';

/** Counts what comes by WebSocket. Both throw `throttled` where it is one too many; `release` ends what was begun. */
export interface WebSocketCharges {
  /** A request for a connection, in a minute of its address. */
  upgrade(ip: string): Promise<void>;
  /** The start of a subscription, in the minute of the person's REST requests, before its document is read. */
  subscription(actor: Actor, usage: RequestUsage): Promise<{ release(): void }>;
}

export function webSocketCharges(limits: RequestLimits | undefined): WebSocketCharges {
  async function admit(actor: Actor, key: string, budget: BudgetName, usage?: RequestUsage) {
    if (!limits) return undefined;
    const [{ limit, seconds } = { limit: 0, seconds: 60 }] = budgets[budget].allowances;
    const window = { resource: key, key: `primary/health ${key}`, limit: limits.times(limit), seconds };
    const cost = { door: 'websocket', endpoint: '', points: 1, content: 0, primary: { window, cost: 1 } } as const;
    const open = await limits.admit(await limits.allowanceOf(actor), cost, usage);
    if ('refused' in open) throw throttled(open.retryAfter);
    return open;
  }
  return {
    async upgrade(ip) {
      (await admit({ kind: 'anonymous', ip }, 'websocket', 'anonymous'))?.settle();
    },
    async subscription(actor, usage) {
      const open = await admit(actor, 'user', 'user', usage);
      return { release: () => open?.settle() };
    },
  };
}
