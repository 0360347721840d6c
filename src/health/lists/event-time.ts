import type { InputChecks } from '../input/input-checks.ts';

/** Tolerated clock skew of clients. */
const maxClockSkewMs = 5 * 60_000;
const earliestMs = Date.UTC(1900, 0, 1);

/** Validates the time of an event and returns it in ISO 8601; `now` when absent. It must not be in the future. */
export function checkEventTime(checks: InputChecks, field: string, value: Date | null | undefined, now: Date): string {
  const at = value ?? now;
  if (at.getTime() > now.getTime() + maxClockSkewMs) checks.add(field, 'Ensure this time is not in the future.');
  if (at.getTime() < earliestMs) checks.add(field, 'Ensure this time is not before 1900.');
  return at.toISOString();
}
