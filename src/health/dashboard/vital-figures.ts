import { type RawBuilder, sql } from 'kysely';
import type { VitalSummary } from '../../../schema/health/dashboard.ts';
import { userTimeZone } from '../accounts/time-zone.ts';
import { bloodPressureCategory, bloodPressureScheme, type MeanBloodPressure } from './blood-pressure.ts';

export type VitalFigures = Omit<VitalSummary, 'bloodPressureCategory' | 'bloodPressureScheme'> & {
  pressures: MeanBloodPressure;
};

/** First or last weight of a group. */
const edgeWeight = (order: 'asc' | 'desc'): RawBuilder<unknown> =>
  sql.raw(`(array_agg(weight_kg order by measured_at ${order}, id ${order}) filter (where weight_kg is not null))[1]`);

/** Figures of a user's readings within the period `w`. */
export const vitalFigures = (userId: number): RawBuilder<unknown> => sql`
  select json_build_object('readingCount', count(*), 'averageHeartRate', round(avg(heart_rate), 1),
      'averageSystolic', round(avg(systolic_bp), 1), 'averageDiastolic', round(avg(diastolic_bp), 1),
      'averageOxygenSaturation', round(avg(oxygen_saturation), 1), 'averageBloodGlucose', round(avg(blood_glucose), 1),
      'averageTemperatureC', round(avg(temperature_c), 1),
      'latestWeightKg', ${edgeWeight('desc')}, 'weightChangeKg', case when count(weight_kg) > 1
        then ${edgeWeight('desc')} - ${edgeWeight('asc')} end,
      'stepCount', coalesce(sum(steps), 0),
      'pressures', json_build_object('systolic', avg(systolic_bp) filter (where paired),
        'diastolic', avg(diastolic_bp) filter (where paired), 'readings', count(*) filter (where paired),
        'occasions', count(distinct day) filter (where paired))) as figures,
    coalesce(array_agg(distinct day::text), '{}') as days
  from (
    select *, systolic_bp is not null and diastolic_bp is not null as paired,
      (measured_at at time zone ${userTimeZone(userId)})::date as day
    from vital_reading where user_id = ${userId} and measured_at >= w.since and measured_at < w.until) r`;

/** Time of the last reading before `bound`. */
export const lastMeasuredBefore = (userId: number, bound: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select max(measured_at) from vital_reading where user_id = ${userId} and measured_at < ${bound})`;

export function buildVitalSummary({ pressures, ...figures }: VitalFigures): VitalSummary {
  return { ...figures, bloodPressureCategory: bloodPressureCategory(pressures), bloodPressureScheme };
}
