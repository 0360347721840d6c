const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The schedule of Standard Webhooks: before the second attempt, the third and so on. Three days in all. */
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
 * Milliseconds until a delivery is tried again after attempt number `attempt`, from 1; undefined when that was the last.
 * Anything up to the time of the schedule, so that not all of them come back at once, and no less than the receiver asked.
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
