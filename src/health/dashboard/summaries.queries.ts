import { type RawBuilder, sql } from 'kysely';
import type { AssessmentCounts, DailySummary, WeeklySummary } from '../../../schema/health/dashboard.ts';
import type { Context } from '../../context/context.ts';
import { compiledStatement } from '../../db/compiled-statement.ts';
import type { ListSource } from '../../db/connection.ts';
import { userTimeZone } from '../accounts/time-zone.ts';
import { assessmentFigures, lastAssessedBefore } from './assessment-figures.ts';
import { buildSymptomSummary, lastLoggedBefore, type SymptomFigures, symptomFigures } from './symptom-figures.ts';
import { buildVitalSummary, lastMeasuredBefore, type VitalFigures, vitalFigures } from './vital-figures.ts';

/** Monday of the newest week with data before `bound`, or null. */
const newestMonday = (userId: number, bound: RawBuilder<unknown>): RawBuilder<unknown> => sql`date_trunc('week',
  greatest(${lastMeasuredBefore(userId, bound)}, ${lastLoggedBefore(userId, bound)}, ${lastAssessedBefore(userId, bound)})
    at time zone ${userTimeZone(userId)})::date`;

const newest = (userId: number): RawBuilder<unknown> => newestMonday(userId, sql`'infinity'::timestamptz`);

/** Recursive index scan: three lookups per week, where `distinct` would read all rows. */
const weeks = (userId: number): RawBuilder<unknown> => sql`with recursive week(monday) as (
  select ${newest(userId)}
  union all
  select ${newestMonday(userId, sql`week.monday::timestamp at time zone ${userTimeZone(userId)}`)} from week
  where week.monday is not null)`;

/** Figures of one period. */
interface PeriodFigures {
  counts: AssessmentCounts;
  symptoms: SymptomFigures;
  vitals: VitalFigures;
}

interface Figures extends PeriodFigures {
  week: string;
  from: string;
  to: string;
  isComplete: boolean;
  days: string[];
}

/** `mondays`: a query with the column `monday`. */
const figures = (userId: number, now: string, mondays: RawBuilder<unknown>): RawBuilder<Figures> => sql`
  select to_char(w.monday, 'IYYY-"W"IW') as week, w.monday as "from", w.monday + 6 as "to",
    w.until <= ${now} as "isComplete", a.counts, s.figures as symptoms, v.figures as vitals,
    a.days || s.days || v.days as days
  from (
    select monday, monday::timestamp at time zone ${userTimeZone(userId)} as since,
      (monday::timestamp + interval '84 hours') at time zone ${userTimeZone(userId)} as middle,
      (monday + 7)::timestamp at time zone ${userTimeZone(userId)} as until
    from (${mondays}) found where monday is not null) w
  cross join lateral (${assessmentFigures(userId)}) a
  cross join lateral (${symptomFigures(userId)}) s
  cross join lateral (${vitalFigures(userId)}) v
  order by w.monday desc`;

const summariesOf = ({ counts, symptoms, vitals }: PeriodFigures): Omit<DailySummary, 'date'> => ({
  assessments: counts,
  symptoms: buildSymptomSummary(symptoms),
  vitals: buildVitalSummary(vitals),
});

function summaryOf({ days, week, from, to, isComplete, ...figures }: Figures): WeeklySummary {
  return { week, from, to, isComplete, ...summariesOf(figures), loggedDayCount: new Set(days).size };
}

/** Most days that `dailySummaries` lists. */
export const maxDays = 90;

/** The days with data among the last `days` ones, today included, the oldest first. */
export async function dailySummaries(
  { read, now }: Pick<Context, 'read' | 'now'>,
  userId: number,
  days: number,
): Promise<DailySummary[]> {
  const rows = await read(daily({ userId, now: now().toISOString(), days }));
  return rows.map(({ date, ...figures }) => ({ date, ...summariesOf(figures) }));
}

const daily = compiledStatement<{ userId: number; now: string; days: number }, PeriodFigures & { date: string }>(
  ['userId', 'now', 'days'],
  ({ userId, now, days }) => sql`
  select w.day as date, a.counts, s.figures as symptoms, v.figures as vitals
  from (
    select day, day::timestamp at time zone ${userTimeZone(userId)} as since,
      (day::timestamp + interval '12 hours') at time zone ${userTimeZone(userId)} as middle,
      (day + 1)::timestamp at time zone ${userTimeZone(userId)} as until
    from (select (${now}::timestamptz at time zone ${userTimeZone(userId)})::date - n as day
      from generate_series(0, ${days}::int - 1) n) one) w
  cross join lateral (${assessmentFigures(userId)}) a
  cross join lateral (${symptomFigures(userId)}) s
  cross join lateral (${vitalFigures(userId)}) v
  where cardinality(a.days || s.days || v.days) > 0
  order by w.day`,
);

/** Weeks with data, the newest first. Computed on read: late entries and deletions would invalidate a stored copy. */
export function weeklySummaries(
  { read, now }: Pick<Context, 'read' | 'now'>,
  userId: number,
): ListSource<WeeklySummary> {
  return {
    async rows({ limit, offset }) {
      const mondays = sql`${weeks(userId)} select monday from week where monday is not null
        order by monday desc limit ${limit} offset ${offset}`;
      return (await read(figures(userId, now().toISOString(), mondays))).map(summaryOf);
    },
    async total() {
      const [found] = await read(sql<{ total: number }>`${weeks(userId)} select count(monday)::int as total from week`);
      return found?.total ?? 0;
    },
  };
}

const latest = compiledStatement<{ userId: number; now: string }, Figures>(['userId', 'now'], ({ userId, now }) =>
  figures(userId, now, sql`select ${newest(userId)} as monday`),
);

/** The newest summary, or null without data. */
export async function latestSummary(
  { read, now }: Pick<Context, 'read' | 'now'>,
  userId: number,
): Promise<WeeklySummary | null> {
  const [found] = await read(latest({ userId, now: now().toISOString() }));
  return found ? summaryOf(found) : null;
}
