import { type RawBuilder, sql } from 'kysely';
import { userTimeZone } from '../accounts/time-zone.ts';

/** Inclusive range of days in the user's time zone; an absent bound is open. */
export interface DateRange {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** Conditions: the timestamp `column` is within the range. */
export function withinDateRange(column: string, userId: number, { from, to }: DateRange): RawBuilder<unknown>[] {
  const at = sql.raw(column);
  const conditions: RawBuilder<unknown>[] = [];
  if (from) conditions.push(sql`${at} >= ${from}::date::timestamp at time zone ${userTimeZone(userId)}`);
  if (to) conditions.push(sql`${at} < (${to}::date + 1)::timestamp at time zone ${userTimeZone(userId)}`);
  return conditions;
}
