import { type RawBuilder, sql } from 'kysely';
import type { GoalTypeCode } from '../../../schema/health/health-goal.ts';
import { userTimeZone } from '../accounts/time-zone.ts';
import { bareUnitSql, unitsOf } from './goal-units.ts';

/** Goal types whose current value is a reading. */
const measuredTypes = ['weight', 'blood_sugar', 'blood_pressure', 'steps'] as const satisfies GoalTypeCode[];

const unitRows = measuredTypes
  .flatMap(type => [...unitsOf(type)].map(([unit, factor]) => `('${type}', '${unit}', ${factor})`))
  .join(', ');

/** Goal types with progress relative to a start value, up or down; for others it is the share of the target. */
export const startBasedGoalTypes = ['weight', 'blood_sugar', 'blood_pressure'] as const satisfies GoalTypeCode[];

/**
 * FROM clause: `health_goal g` with the latest measurement of each goal type. `now` is ISO 8601. One statement for any
 * number of goals: a user has one latest weight, whatever the number of goals.
 */
export function goalsWithMeasurements(userId: number, now: string): RawBuilder<unknown> {
  const latest = (type: GoalTypeCode, column: string): RawBuilder<unknown> => sql`(
    select ${sql.lit(type)} as goal_type, ${sql.ref(column)}::numeric as value, measured_at as at from vital_reading
    where user_id = ${userId} and ${sql.ref(column)} is not null order by measured_at desc, id desc limit 1)`;
  return sql`health_goal g
    join users u on u.id = g.user_id
    left join (values ${sql.raw(unitRows)}) f(goal_type, unit, factor)
      on f.goal_type = g.goal_type and f.unit = ${bareUnitSql(sql`g.unit`)}
    left join (
      ${latest('weight', 'weight_kg')}
      union all ${latest('blood_sugar', 'blood_glucose')}
      union all ${latest('blood_pressure', 'systolic_bp')}
      union all
      select 'steps', avg(steps), max(at) from (
        select sum(steps) as steps, max(measured_at) as at from vital_reading
        where user_id = ${userId} and measured_at >= ${now}::timestamptz - interval '168 hours' and steps is not null
        group by (measured_at at time zone ${userTimeZone(userId)})::date) days
      having count(*) > 0
    ) m on m.goal_type = g.goal_type and f.factor is not null
    cross join lateral (select coalesce(
      case when g.given_at is null or m.at > g.given_at then m.value * f.factor end,
      g.given_value,
      case when g.goal_type = 'weight' then u.weight_kg * f.factor end) as value) known
    -- What the column of a given value could hold: sums of steps have no end.
    cross join lateral (select case when known.value is not null then least(known.value, 99999999.99) end::numeric(10,2)
      as value) c`;
}

export const currentValueSql = 'c.value';

/** Rounded down, so that 100 means reached. The null check is needed because `least` ignores nulls. */
export const progressSql = `case when c.value is null then null
  when g.goal_type not in (${startBasedGoalTypes.map(type => `'${type}'`).join(', ')})
    then least(100, floor(100 * c.value / g.target_value))
  when g.start_value is null then null
  when g.start_value = g.target_value then case when c.value = g.target_value then 100 else 0 end
  else greatest(0, least(100, floor(100 * (g.start_value - c.value) / (g.start_value - g.target_value)))) end::int`;
