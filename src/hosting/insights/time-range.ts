import { validationFailed } from '../../errors/errors.ts';

/** The time that is asked about; `to` does not belong to it. */
export interface TimeRange {
  from: Date;
  to: Date;
}

/** Most spans that a series may have. */
export const maxBuckets = 10_000;

const minuteMs = 60_000;
const unitMs: Record<string, number> = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs };
/** Nobody has a clock that says anything else; 0 and 9999 are slips. */
const yearLimits = { min: 1970, max: 2099 };

const invalidField = (field: string, message: string): Error =>
  validationFailed([{ resource: 'ApiInsights', field, code: 'custom', message }]);

/** Throws 422 with the reason for a time that makes no sense. Without `to` it ends now. */
export function parseTimeRange(from: Date, to: Date | null | undefined, now: Date): TimeRange {
  const until = to ?? now;
  for (const [field, at] of [
    ['min_timestamp', from],
    ['max_timestamp', until],
  ] as const) {
    const year = at.getUTCFullYear();
    if (year < yearLimits.min || year > yearLimits.max) {
      throw invalidField(field, `${field} must lie between the years ${yearLimits.min} and ${yearLimits.max}.`);
    }
  }
  if (from > until) throw invalidField('min_timestamp', 'min_timestamp must not be later than max_timestamp.');
  return { from, to: until };
}

/** A span of time that buckets have: its milliseconds, and how many of them the window holds. */
export interface Buckets {
  size: number;
  first: number;
  count: number;
}

/**
 * `5m`, `1h`, `2d`: buckets begin at whole multiples of it since 1970 in UTC, the first one at or before the window. Throws
 * 422 with the reason for any other text, and for more than `most` buckets.
 */
export function parseIncrement(text: string, { from, to }: TimeRange, max: number): Buckets {
  const field = 'timestamp_increment';
  const [, number = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const size = Number(number) * (unitMs[unit] ?? 0);
  if (!(size > 0)) {
    throw invalidField(field, `${field} must be a whole number of at least 1 and m, h or d: 5m, 1h, 1d.`);
  }
  const first = Math.floor(from.getTime() / size) * size;
  const count = Math.ceil((to.getTime() - first) / size);
  if (count > max) {
    throw invalidField(field, `${field} ${text} makes ${count} steps of this time; ${max} are the most.`);
  }
  return { size, first, count: from < to ? count : 0 };
}
