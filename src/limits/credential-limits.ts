import { badCredentialLimit } from './action-limits.ts';
import { ipKey } from './rate-limit-keys.ts';
import type { CounterCharge } from './rate-limit-store.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** A lockout that lasts; `retryAfter` in whole seconds. */
export interface Lockout {
  retryAfter: number;
}

/** The lockout of an owner's credentials. Only bad credentials that name the owner count, from every address. */
export async function lockoutOf(limiter: RateLimiter, owner: string): Promise<Lockout | undefined> {
  const result = await limiter.chargeLockout(charge(`credential ${owner}`, 0));
  return result.ok ? undefined : result;
}

/**
 * Counts a bad credential for the owner that it names; one that names none for its IP. The counters are independent: else
 * credentials without an owner could keep guesses at an owner from being counted. Those of addresses are off with the rate limits.
 * @returns the lockout because of which nothing is counted, and the one that begins with this attempt
 */
export async function chargeBadCredential(
  limiter: RateLimiter,
  owner: string | undefined,
  ip: string,
): Promise<{ lockout?: Lockout; begins?: Lockout }> {
  if (owner === undefined) {
    const result = await limiter.tryCharge([charge(`credential from ${ipKey(ip)}`, 1)]);
    return result.ok ? {} : { lockout: result };
  }
  const result = await limiter.chargeLockout(charge(`credential ${owner}`, 1));
  if (!result.ok) return { lockout: result };
  const begins = await lockoutOf(limiter, owner);
  return begins ? { begins } : {};
}

function charge(key: string, cost: 0 | 1): CounterCharge {
  return { key, cost, ...badCredentialLimit };
}
