import { type InputProblem, invalidInputs } from '../../errors/errors.ts';

/** A half-open time range: `to` is excluded. */
export interface TimeRange {
  from: Date;
  to: Date;
}

/** Maximum buckets of a time series. */
export const maxBuckets = 10_000;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const unitMs: ReadonlyMap<string, number> = new Map([
  ['m', minuteMs],
  ['h', 60 * minuteMs],
  ['d', dayMs],
]);
/** Accepted years. Values such as 0 and 9999 are mistakes. */
const yearLimits = { min: 1970, max: 2099 };

/** The error about an argument. @param named further arguments that the message names */
function invalidArgument(name: string, message: string, ...named: string[]): Error {
  const problem: InputProblem = {
    ...{ path: [name], code: 'INVALID', message },
    ...{ named: [name, ...named], resource: 'ApiInsights' },
  };
  return invalidInputs([problem]);
}

/**
 * Validates a time range; `to` defaults to `now`.
 *
 * @throws BAD_USER_INPUT when the range is invalid.
 */
export function parseTimeRange(from: Date, to: Date | null | undefined, now: Date): TimeRange {
  const until = to ?? now;
  for (const [name, at] of [
    ['from', from],
    ['to', until],
  ] as const) {
    const year = at.getUTCFullYear();
    if (year < yearLimits.min || year > yearLimits.max) {
      throw invalidArgument(name, `${name} must lie between the years ${yearLimits.min} and ${yearLimits.max}.`);
    }
  }
  if (from > until) throw invalidArgument('from', 'from must not be later than to.', 'to');
  return { from, to: until };
}

/**
 * End of a time range without one: so many days before now where that is later than `from`, else now (undefined). The published contract
 * ends ranges 30 days ago, which is before the start of most.
 */
export function endOfRange(from: Date, daysAgo: number | null | undefined, now: Date): Date | undefined {
  if (daysAgo == null) return undefined;
  if (daysAgo < 0 || daysAgo > maxDays)
    throw invalidArgument('endsDaysAgo', `endsDaysAgo must lie between 0 and ${maxDays}.`);
  const end = new Date(now.getTime() - daysAgo * dayMs);
  return end > from ? end : undefined;
}

/** Days that counts are kept. */
const maxDays = 90;

const defaultDays = 30;

/**
 * Start of a time range that has a start or a length in days, else of the last 30 days.
 *
 * @throws BAD_USER_INPUT if it has both, and for a length outside of 1 to 90 days.
 */
export function startOfRange(
  { from, days, to }: { from?: Date | null; days?: number | null; to?: Date | null },
  now: Date,
): Date {
  if (days == null && from != null) return from;
  if (days != null && from != null) throw invalidArgument('days', 'Send either from or days, not both.', 'from');
  const length = days ?? defaultDays;
  if (length < 1 || length > maxDays) throw invalidArgument('days', `days must lie between 1 and ${maxDays}.`);
  return new Date((to ?? now).getTime() - length * dayMs);
}

/** Bucket size and start of the first bucket in milliseconds, and the number of buckets in the range. */
export interface Buckets {
  sizeMs: number;
  firstMs: number;
  count: number;
}

/**
 * Parses an increment such as `5m`, `1h` or `2d`. Buckets are aligned to multiples of the increment since 1970 in UTC;
 * the first one contains `from`.
 *
 * @throws BAD_USER_INPUT for an invalid increment, and for more than `max` buckets.
 */
export function parseIncrement(text: string, { from, to }: TimeRange, max: number): Buckets {
  const [, number = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const sizeMs = Number(number) * (unitMs.get(unit) ?? 0);
  if (!(sizeMs > 0)) {
    throw invalidArgument('step', 'step must be a whole number of at least 1 and m, h or d: 5m, 1h, 1d.');
  }
  const firstMs = Math.floor(from.getTime() / sizeMs) * sizeMs;
  const count = Math.ceil((to.getTime() - firstMs) / sizeMs);
  if (count > max) {
    throw invalidArgument('step', `step ${text} makes ${count} steps of this time; ${max} are the most.`);
  }
  return { sizeMs, firstMs, count: from < to ? count : 0 };
}
