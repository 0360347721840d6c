import type { Config } from '../config/config.ts';
import type { Read } from '../db/read.ts';
import { CallerQuotas } from './caller-quotas.ts';
import { FailoverStore } from './failover-store.ts';
import { MemoryRateLimitStore } from './memory-store.ts';
import type { RateLimitStore } from './rate-limit-store.ts';
import { RateLimiter } from './rate-limiter.ts';

export interface OpenRateLimiterOptions {
  config: Pick<Config, 'RATE_LIMIT_FACTOR' | 'REDIS_URL'>;
  clock: () => Date;
  log: ConstructorParameters<typeof FailoverStore>[2];
  /** Reads the plans, repositories and members that hourly limits depend on. */
  read: Read;
}

/**
 * The rate limiter of this installation: counters in Redis, shared by all gateways, or in this process without `REDIS_URL`.
 * Call `close` at the end.
 */
export async function openRateLimiter({ config, clock, log, read }: OpenRateLimiterOptions): Promise<RateLimiter> {
  const { RATE_LIMIT_FACTOR: factor, REDIS_URL: url } = config;
  const quotas = new CallerQuotas(read, clock);
  const local = new MemoryRateLimitStore(clock);
  if (url === undefined) return new RateLimiter({ ...storesOf(local, factor), quotas, factor });
  const { RedisRateLimitStore } = await import('./redis-store.ts');
  const shared = new RedisRateLimitStore(url, { onDisconnect: () => local.noteLoss() });
  // The first request would otherwise find no connection. Without one in time the gateway starts, and the first failure is logged.
  await shared.ready().catch(() => {});
  const store = new FailoverStore(shared, local, log);
  const stores = storesOf(store, factor);
  return new RateLimiter({ ...stores, quotas, factor, isShared: () => store.isShared, onClose: () => shared.close() });
}

/** With rate limits off, only failed attempts are counted. */
const storesOf = (store: RateLimitStore, factor: number) => ({
  store: factor === 0 ? undefined : store,
  lockouts: store,
});
