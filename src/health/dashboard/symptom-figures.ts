import { type RawBuilder, sql } from 'kysely';
import type { SymptomSummary, SymptomTrendCode } from '../../../schema/health/dashboard.ts';
import { userTimeZone } from '../accounts/time-zone.ts';
import { assessedSymptoms } from './assessment-figures.ts';

/** Half of a period: number and mean of severities. */
interface Half {
  severities: number;
  mean: number | null;
}

export type SymptomFigures = Omit<SymptomSummary, 'trend'> & { earlier: Half; later: Half };

/** Figures of a user's symptoms within the period `w`, from logs and assessments. */
export const symptomFigures = (userId: number): RawBuilder<unknown> => sql`
  with mention as materialized (
    select symptom_name as name, severity, logged_at as at, true as logged, is_symptom as listed from symptom_log
    where user_id = ${userId} and logged_at >= w.since and logged_at < w.until
    union all ${assessedSymptoms(userId)}
  ), most as (
    select mode() within group (order by name) as name, count(*) as count from mention where listed
    group by lower(name) order by count(*) desc, lower(name) limit 5
  )
  select json_build_object('reportCount', count(*), 'distinctCount', count(distinct lower(name)), 'averageSeverity', round(avg(severity), 1),
      'mostFrequent', (select coalesce(json_agg(json_build_object('name', name, 'reportCount', count) order by count desc, lower(name)), '[]')
        from most),
      'earlier', json_build_object('severities', count(severity) filter (where at < w.middle),
        'mean', avg(severity) filter (where at < w.middle)),
      'later', json_build_object('severities', count(severity) filter (where at >= w.middle),
        'mean', avg(severity) filter (where at >= w.middle))) as figures,
    coalesce(array_agg(distinct (at at time zone ${userTimeZone(userId)})::date::text) filter (where logged), '{}') as days
  from mention`;

/** Time of the last symptom log before `bound`. */
export const lastLoggedBefore = (userId: number, bound: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select max(logged_at) from symptom_log where user_id = ${userId} and logged_at < ${bound})`;

export function buildSymptomSummary({ earlier, later, ...figures }: SymptomFigures): SymptomSummary {
  return { ...figures, trend: trendOf(earlier, later) };
}

/** Minimum severities in each half for a trend. */
const minSeverities = 2;
/** Minimum change of the mean, on the scale of ten, for a trend. */
const minChange = 1;

function trendOf(earlier: Half, later: Half): SymptomTrendCode {
  if (earlier.severities < minSeverities || later.severities < minSeverities) return 'insufficient_data';
  const change = Number(later.mean) - Number(earlier.mean);
  if (change <= -minChange) return 'improving';
  return change >= minChange ? 'worsening' : 'stable';
}
