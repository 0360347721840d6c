import type { Actor } from '../auth/actor.ts';
import { type RateLimiter, tooManyRequests } from '../limits/rate-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { chargeRequest } from './charge-request.ts';
import { healthCharge } from './health-charges.ts';

/** Charges of WebSockets. @throws tooManyRequests, all of them */
export interface WebSocketCharges {
  /** An upgrade request, in a minute of its IP address. */
  chargeUpgrade(ip: string): Promise<void>;
  /** The start of a subscription, in the minute of the person's REST requests or the hour of the hosting caller, before its document is parsed. */
  chargeSubscription(actor: Actor): Promise<{ release(): void }>;
  /** Charges the usage of a connection since the last call, and resets `usage`. */
  chargeUsage(actor: Actor, usage: RequestUsage): Promise<void>;
}

export function webSocketCharges(limiter: RateLimiter): WebSocketCharges {
  const charge = async (actor: Actor, window: 'websocket' | 'user') =>
    (
      await chargeRequest(limiter, {
        entryPoint: 'websocket',
        actor,
        points: 1,
        ...healthCharge(limiter, window),
      })
    ).admitted;
  const chargeHosting = async (actor: Actor) =>
    (
      await chargeRequest(limiter, {
        entryPoint: 'websocket',
        actor,
        points: 1,
        primary: quota =>
          quota.perHour === undefined ? undefined : { window: limiter.windowOf(quota, 'graphql'), cost: 1 },
        toError: ({ retryAfter }) => tooManyRequests(retryAfter),
      })
    ).admitted;
  return {
    async chargeUpgrade(ip) {
      if (!limiter.isOff) (await charge({ kind: 'anonymous', ip }, 'websocket')).release();
    },
    async chargeSubscription(actor) {
      if (limiter.isOff) return { release: () => {} };
      const admitted = actor.kind === 'person' ? await charge(actor, 'user') : await chargeHosting(actor);
      return { release: () => admitted.release() };
    },
    async chargeUsage(actor, usage) {
      if (limiter.isOff || usage.databaseMicroseconds + usage.bytesSent === 0) return;
      const used = Object.assign(new RequestUsage(), usage);
      Object.assign(usage, new RequestUsage());
      const { admitted } = await chargeRequest(limiter, {
        entryPoint: 'websocket',
        actor,
        primary: () => undefined,
        toError: ({ retryAfter }) => tooManyRequests(retryAfter),
        usage: used,
      });
      admitted.release();
    },
  };
}
