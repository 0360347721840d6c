import type { Config } from '../config/config.ts';
import { Throttle } from './throttle.ts';
import { InsuredThrottleStore } from './throttle-insurance.ts';
import { MemoryThrottleStore } from './throttle-memory-store.ts';
import { RedisThrottleStore } from './throttle-redis-store.ts';
import type { ThrottleStore } from './throttle-store.ts';

const unlimited: ThrottleStore = {
  take: async () => ({ ok: true }),
  clear: async () => {},
};

export interface ThrottleOptions {
  config: Pick<Config, 'THROTTLE' | 'REDIS_URL'>;
  clock: () => Date;
  log: ConstructorParameters<typeof InsuredThrottleStore>[2];
}

/**
 * The limits of the health API, multiplied as the installation wishes, or none where it has switched them off: counted in Redis
 * for all gateways, or in this process where there is none. `close` lets go of the connection.
 */
export function openThrottle({ config, clock, log }: ThrottleOptions): { throttle: Throttle; close(): void } {
  const { THROTTLE: factor, REDIS_URL: url } = config;
  if (factor === 0) return { throttle: new Throttle(unlimited), close: () => {} };
  const own = new MemoryThrottleStore(clock);
  if (url === undefined) return { throttle: new Throttle(own, factor), close: () => {} };
  const shared = new RedisThrottleStore(url);
  return { throttle: new Throttle(new InsuredThrottleStore(shared, own, log), factor), close: () => shared.close() };
}
