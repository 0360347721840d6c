import type { Config } from '../config/config.ts';
import { Throttle } from './throttle.ts';
import { MemoryThrottleStore } from './throttle-memory-store.ts';
import type { ThrottleStore } from './throttle-store.ts';

const unlimited: ThrottleStore = {
  take: async () => ({ ok: true }),
  clear: async () => {},
};

/** The limits of this process, multiplied as the installation wishes, or none where it has switched them off. */
export function openThrottle({ THROTTLE }: Pick<Config, 'THROTTLE'>, clock: () => Date): Throttle {
  return new Throttle(THROTTLE === 0 ? unlimited : new MemoryThrottleStore(clock), THROTTLE);
}
