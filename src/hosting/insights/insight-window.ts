import { ruleBroken } from '../../errors/errors.ts';

/** The time that is asked about; `to` does not belong to it. */
export interface Window {
  from: Date;
  to: Date;
}

/** Most spans that a series may have. */
export const mostBuckets = 10_000;

const minute = 60_000;
const units: Record<string, number> = { m: minute, h: 60 * minute, d: 24 * 60 * minute };
/** Nobody has a clock that says anything else; 0 and 9999 are slips. */
const years = { least: 1970, most: 2099 };

const refused = (field: string, message: string): Error =>
  ruleBroken([{ resource: 'ApiInsights', field, code: 'custom', message }]);

/** Throws 422 with the reason for a time that makes no sense. Without `to` it ends now. */
export function windowOf(from: Date, to: Date | null | undefined, now: Date): Window {
  const until = to ?? now;
  for (const [field, at] of [
    ['min_timestamp', from],
    ['max_timestamp', until],
  ] as const) {
    const year = at.getUTCFullYear();
    if (year < years.least || year > years.most) {
      throw refused(field, `${field} must lie between the years ${years.least} and ${years.most}.`);
    }
  }
  if (from > until) throw refused('min_timestamp', 'min_timestamp must not be later than max_timestamp.');
  return { from, to: until };
}

/** A span of time that buckets have: its milliseconds, and how many of them the window holds. */
export interface Increment {
  size: number;
  first: number;
  count: number;
}

/**
 * `5m`, `1h`, `2d`: buckets begin at whole multiples of it since 1970 in UTC, the first one at or before the window. Throws
 * 422 with the reason for any other text, and for more than `most` buckets.
 */
export function incrementOf(text: string, { from, to }: Window, most: number): Increment {
  const field = 'timestamp_increment';
  const [, number = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const size = Number(number) * (units[unit] ?? 0);
  if (!(size > 0)) {
    throw refused(field, `${field} must be a whole number of at least 1 and m, h or d: 5m, 1h, 1d.`);
  }
  const first = Math.floor(from.getTime() / size) * size;
  const count = Math.ceil((to.getTime() - first) / size);
  if (count > most) {
    throw refused(field, `${field} ${text} makes ${count} steps of this time; ${most} are the most.`);
  }
  return { size, first, count: from < to ? count : 0 };
}
