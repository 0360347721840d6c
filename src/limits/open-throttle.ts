import type { Config } from '../config/config.ts';
import { Throttle } from './throttle.ts';
import { InsuredThrottleStore } from './throttle-insurance.ts';
import { MemoryThrottleStore } from './throttle-memory-store.ts';
import { RedisThrottleStore } from './throttle-redis-store.ts';
import type { ThrottleStore } from './throttle-store.ts';

const unlimited: Pick<ThrottleStore, 'take' | 'clear'> = {
  take: async () => ({ ok: true }),
  clear: async () => {},
};

export interface ThrottleOptions {
  config: Pick<Config, 'THROTTLE' | 'REDIS_URL'>;
  clock: () => Date;
  log: ConstructorParameters<typeof InsuredThrottleStore>[2];
}

export interface OpenedThrottle {
  throttle: Throttle;
  /** Where everything is counted; undefined where limits are switched off. */
  store: ThrottleStore | undefined;
  /** Lets go of the connection. */
  close(): void;
}

/**
 * The limits of an installation, multiplied as it wishes, or none where it has switched them off: counted in Redis for all
 * gateways, or in this process where there is none.
 */
export function openThrottle({ config, clock, log }: ThrottleOptions): OpenedThrottle {
  const { THROTTLE: factor, REDIS_URL: url } = config;
  if (factor === 0) return { throttle: new Throttle(unlimited), store: undefined, close: () => {} };
  const own = new MemoryThrottleStore(clock);
  if (url === undefined) return { throttle: new Throttle(own, factor), store: own, close: () => {} };
  const shared = new RedisThrottleStore(url);
  const store = new InsuredThrottleStore(shared, own, log);
  return { throttle: new Throttle(store, factor), store, close: () => shared.close() };
}
