const day = 86_400;
/** A publisher may ask for a longer pause than the interval, but not for years. */
const maxRetryAfter = 7 * day;
/** Runs spread out by up to a tenth of the interval: publishers see no burst at the full hour. */
const jitter = 0.1;

/**
 * Seconds until the next run. After each further failure the interval doubles, up to two days, or the interval where that is longer.
 * @param failures consecutive ones; 0 after a success
 * @param retryAfter seconds that the publisher asked for; null for none
 */
export function nextRunAfter(
  interval: number,
  failures: number,
  retryAfter: number | null,
  random: () => number = Math.random,
): number {
  const longest = Math.max(interval, 2 * day);
  const backoff = Math.min(interval * 2 ** Math.min(Math.max(failures - 1, 0), 20), longest);
  return Math.max(Math.round(backoff * (1 + jitter * random())), Math.min(retryAfter ?? 0, maxRetryAfter));
}
