import type { Config } from '../config/config.ts';
import { FailoverStore } from './failover-store.ts';
import { MemoryRateLimitStore } from './memory-store.ts';
import type { RateLimitStore } from './rate-limit-store.ts';
import { RateLimiter } from './rate-limiter.ts';
import { RedisRateLimitStore } from './redis-store.ts';

const unlimited: Pick<RateLimitStore, 'charge' | 'clear'> = {
  charge: async () => ({ ok: true }),
  clear: async () => {},
};

export interface RateLimiterOptions {
  config: Pick<Config, 'RATE_LIMIT_FACTOR' | 'REDIS_URL'>;
  clock: () => Date;
  log: ConstructorParameters<typeof FailoverStore>[2];
}

export interface OpenedRateLimiter {
  rateLimiter: RateLimiter;
  /** Where everything is counted; undefined where limits are switched off. */
  store: RateLimitStore | undefined;
  /** Lets go of the connection. */
  close(): void;
}

/**
 * The limits of an installation, multiplied as it wishes, or none where it has switched them off: counted in Redis for all
 * gateways, or in this process where there is none.
 */
export function openRateLimiter({ config, clock, log }: RateLimiterOptions): OpenedRateLimiter {
  const { RATE_LIMIT_FACTOR: factor, REDIS_URL: url } = config;
  if (factor === 0) return { rateLimiter: new RateLimiter(unlimited), store: undefined, close: () => {} };
  const own = new MemoryRateLimitStore(clock);
  if (url === undefined) return { rateLimiter: new RateLimiter(own, factor), store: own, close: () => {} };
  const shared = new RedisRateLimitStore(url);
  const store = new FailoverStore(shared, own, log);
  return { rateLimiter: new RateLimiter(store, factor), store, close: () => shared.close() };
}
