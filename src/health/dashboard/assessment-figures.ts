import { type RawBuilder, sql } from 'kysely';
import { userTimeZone } from '../accounts/time-zone.ts';

/** Figures of a user's own assessments within the period `w`. */
export const assessmentFigures = (userId: number): RawBuilder<unknown> => sql`
  select json_build_object('totalCount', count(*), 'emergencyCount', count(*) filter (where triage_level = 'emergency'),
      'byUrgency', json_build_object('lowCount', count(*) filter (where urgency = 'low'),
        'mediumCount', count(*) filter (where urgency = 'medium'), 'highCount', count(*) filter (where urgency = 'high'))) as counts,
    coalesce(array_agg(distinct (created_at at time zone ${userTimeZone(userId)})::date::text), '{}') as days
  from assessment where user_id = ${userId} and subject = 'myself' and created_at >= w.since and created_at < w.until`;

/** Symptoms of these assessments with severity and time. */
export const assessedSymptoms = (userId: number): RawBuilder<unknown> => sql`
  select trim(told.name) as name, a.severity, a.created_at as at, false as logged, true as listed
  from assessment a cross join unnest(a.reported) told(name)
  where a.user_id = ${userId} and a.subject = 'myself' and a.created_at >= w.since and a.created_at < w.until`;

/** Time of the last assessment before `bound`. */
export const lastAssessedBefore = (userId: number, bound: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select max(created_at) from assessment where user_id = ${userId} and subject = 'myself' and created_at < ${bound})`;
