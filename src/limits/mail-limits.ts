import { mailLimits, type RateLimit, type RequestedMail } from './action-limits.ts';
import { emailKey, ipKey } from './rate-limit-keys.ts';
import type { CounterCharge } from './rate-limit-store.ts';
import type { RateLimiter } from './rate-limiter.ts';

/**
 * Whether a mail of this kind, requested from `ip`, may be sent to the address: see `mailLimits`. If false, nothing is charged
 * and the mail must be dropped silently.
 */
export async function tryChargeMail(
  limiter: RateLimiter,
  mail: RequestedMail,
  email: string,
  ip: string,
): Promise<boolean> {
  const charge = (key: string, { limit, seconds }: RateLimit): CounterCharge => ({
    key,
    limit: limiter.scaled(limit),
    seconds,
  });
  const address = `mail ${mail} ${emailKey(email)}`;
  const caller = mail === 'registration' ? [] : [charge(`${address} ${ipKey(ip)}`, mailLimits.caller)];
  const total = await limiter.tryCharge([...caller, charge(address, mailLimits.total)]);
  if (total.ok) return true;
  return (await limiter.tryCharge([...caller, charge(`${address} reserve`, mailLimits.reserve)])).ok;
}
