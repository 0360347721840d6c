import type { InputChecks } from '../input/input-checks.ts';

/** How far ahead of ours the clock of a telephone may run. */
const maxClockSkewMs = 5 * 60_000;
const earliestMs = Date.UTC(1900, 0, 1);

/** When something happened, as ISO text for a statement; now where nothing was said. It cannot lie ahead. */
export function checkEventTime(checks: InputChecks, field: string, value: Date | null | undefined, now: Date): string {
  const at = value ?? now;
  if (at.getTime() > now.getTime() + maxClockSkewMs) checks.add(field, 'Ensure this time is not in the future.');
  if (at.getTime() < earliestMs) checks.add(field, 'Ensure this time is not before 1900.');
  return at.toISOString();
}
