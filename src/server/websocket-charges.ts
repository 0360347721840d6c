import type { Actor } from '../auth/actor.ts';
import { type ActionName, actionLimits } from '../limits/action-limits.ts';
import { tooManyRequests } from '../limits/rate-limiter.ts';
import type { RequestLimiter } from '../limits/request-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';

/** Counts what comes by WebSocket. All throw `throttled` where it is one too many; `release` ends what was begun. */
export interface WebSocketCharges {
  /** A request for a connection, in a minute of its address. */
  chargeUpgrade(ip: string): Promise<void>;
  /** The start of a subscription, in the minute of the person's REST requests, before its document is read. */
  chargeSubscription(actor: Actor): Promise<{ release(): void }>;
  /** What a connection has used since it was last asked, as resources of the minute. Sets `usage` to nothing. */
  chargeUsage(actor: Actor, usage: RequestUsage): Promise<void>;
}

export function webSocketCharges(limits: RequestLimiter | undefined): WebSocketCharges {
  async function admit(actor: Actor, key: string, budget: ActionName) {
    if (!limits) return undefined;
    const [{ limit, seconds } = { limit: 0, seconds: 60 }] = actionLimits[budget].limits;
    const window = { resource: key, key: `primary/health ${key}`, limit: limits.scaled(limit), seconds };
    const cost = { door: 'websocket', endpoint: '', points: 1, content: 0, primary: { window, cost: 1 } } as const;
    const open = await limits.admit(await limits.quotaOf(actor), cost);
    if ('refused' in open) throw tooManyRequests(open.retryAfter);
    return open;
  }
  return {
    async chargeUpgrade(ip) {
      (await admit({ kind: 'anonymous', ip }, 'websocket', 'anonymous'))?.release();
    },
    async chargeSubscription(actor) {
      const open = await admit(actor, 'user', 'user');
      return { release: () => open?.release() };
    },
    async chargeUsage(actor, usage) {
      if (!limits || usage.databaseMicroseconds + usage.bytesSent === 0) return;
      const taken = Object.assign(new RequestUsage(), usage);
      Object.assign(usage, new RequestUsage());
      const cost = { door: 'websocket', endpoint: '', points: 0, content: 0, primary: undefined } as const;
      const open = await limits.admit(await limits.quotaOf(actor), cost, taken);
      if ('refused' in open) throw tooManyRequests(open.retryAfter);
      open.release();
    },
  };
}
