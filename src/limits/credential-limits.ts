import { badCredentialLimit } from './action-limits.ts';
import { ipKey } from './rate-limit-keys.ts';
import type { CounterCharge } from './rate-limit-store.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Whether credentials of this owner may be used from this IP. Bad credentials without an owner do not count for it. */
export async function isCredentialAllowed(limiter: RateLimiter, owner: string, ip: string): Promise<boolean> {
  return (await limiter.tryCharge([charge(owner, ip, 0)])).ok;
}

/**
 * Counts a bad credential for its owner, or in the counter of those without an owner. The two counters are independent: else
 * credentials without an owner could keep guesses at an owner from being counted.
 * @returns false if there were too many from this IP; then nothing is counted
 */
export async function tryChargeBadCredential(
  limiter: RateLimiter,
  owner: string | undefined,
  ip: string,
): Promise<boolean> {
  return (await limiter.tryCharge([charge(owner, ip, 1)])).ok;
}

function charge(owner: string | undefined, ip: string, cost: 0 | 1): CounterCharge {
  return { key: `credential ${owner ?? ''} ${ipKey(ip)}`, cost, ...badCredentialLimit };
}
