import type { Checks } from '../../errors/checks.ts';

/** How far ahead of ours the clock of a telephone may run. */
const skew = 5 * 60_000;
const earliest = Date.UTC(1900, 0, 1);

/** When something happened, as ISO text for a statement; now where nothing was said. It cannot lie ahead. */
export function happenedAt(checks: Checks, field: string, value: Date | null | undefined, now: Date): string {
  const at = value ?? now;
  if (at.getTime() > now.getTime() + skew) checks.add(field, 'Ensure this time is not in the future.');
  if (at.getTime() < earliest) checks.add(field, 'Ensure this time is not before 1900.');
  return at.toISOString();
}
