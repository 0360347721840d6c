import { badCredentialLimit } from './action-limits.ts';
import { ipKey } from './rate-limit-keys.ts';
import type { CounterCharge } from './rate-limit-store.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Whether credentials of this owner may be used. Only bad credentials that name the owner count, from every address. */
export async function isCredentialAllowed(limiter: RateLimiter, owner: string): Promise<boolean> {
  return (await limiter.tryCharge([charge(`credential ${owner}`, 0)])).ok;
}

/**
 * Counts a bad credential for the owner that it names; one that names none for its IP. The counters are independent: else
 * credentials without an owner could keep guesses at an owner from being counted.
 * @returns false if there were too many; then nothing is counted
 */
export async function tryChargeBadCredential(
  limiter: RateLimiter,
  owner: string | undefined,
  ip: string,
): Promise<boolean> {
  const key = owner === undefined ? `credential from ${ipKey(ip)}` : `credential ${owner}`;
  return (await limiter.tryCharge([charge(key, 1)])).ok;
}

function charge(key: string, cost: 0 | 1): CounterCharge {
  return { key, cost, ...badCredentialLimit };
}
