import { loginLimits } from './action-limits.ts';
import { emailKey, ipKey } from './rate-limit-keys.ts';
import type { CounterCharge } from './rate-limit-store.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Call before the password is checked. @throws tooManyRequests if this address must not be tried from this IP now */
export async function assertLoginAllowed(limiter: RateLimiter, email: string, ip: string): Promise<void> {
  await limiter.assertCharge(loginCharges(email, ip, 0));
}

/**
 * Call if the password is wrong or the address is unknown.
 * @throws tooManyRequests instead of counting if concurrent attempts have used up the limit: then the caller must not learn
 * whether the password was right
 */
export async function chargeFailedLogin(limiter: RateLimiter, email: string, ip: string): Promise<void> {
  await limiter.assertCharge(loginCharges(email, ip, 1));
}

/**
 * Call if the password is right, before anything is issued. Resets the counter of consecutive failures.
 * @throws tooManyRequests as above: of a thousand concurrent attempts all pass `assertLoginAllowed`, and at most ten may learn
 * the result
 */
export async function clearFailedLogins(limiter: RateLimiter, email: string, ip: string): Promise<void> {
  await limiter.assertCharge(loginCharges(email, ip, 0));
  await limiter.clear(runKey(email, ip));
}

const runKey = (email: string, ip: string): string => `login ${emailKey(email)} ${ipKey(ip)}`;

function loginCharges(email: string, ip: string, cost: 0 | 1): CounterCharge[] {
  return [
    { key: runKey(email, ip), cost, ...loginLimits.run },
    { key: `login ${ipKey(ip)}`, cost, ...loginLimits.ip },
  ];
}
