const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Retry schedule of Standard Webhooks: upper bounds of the delay before attempts 2, 3 and so on. About three days in
 * total.
 */
const maxDelaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/**
 * Delay in milliseconds after failed attempt number `attempt`, counted from 1; undefined after the last attempt. Full
 * jitter: a random delay up to the scheduled one, so that retries do not arrive together, but at least the receiver's
 * Retry-After (at most 24 hours).
 */
export function retryDelayMs(
  attempt: number,
  retryAfterMs: number | undefined,
  random = Math.random,
): number | undefined {
  const longest = maxDelaysMs[attempt - 1];
  if (longest === undefined) return undefined;
  return Math.max(random() * longest, Math.min(retryAfterMs ?? 0, 24 * hour));
}
