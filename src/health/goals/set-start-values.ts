import { type Kysely, sql } from 'kysely';
import { currentValueSql, goalsWithMeasurements, startBasedGoalTypes } from './goal-progress.ts';

/**
 * Sets the start value of a user's goals that have none to the current value, when it is known. Call it in the
 * transaction of every change that can provide one: goals, readings, the profile's weight. `goalId` restricts it to one
 * goal.
 */
export async function setMissingStartValues(
  db: Kysely<unknown>,
  userId: number,
  now: Date,
  goalId?: number,
): Promise<void> {
  const onlyGoal = goalId === undefined ? sql`` : sql` and g.id = ${goalId}`;
  await sql`update health_goal set start_value = found.value
    from (select g.id, ${sql.raw(currentValueSql)} as value from ${goalsWithMeasurements(userId, now.toISOString())}
      where g.user_id = ${userId} and g.start_value is null and g.goal_type = any(${[...startBasedGoalTypes]})${onlyGoal}) found
    where health_goal.id = found.id and found.value is not null
      and health_goal.start_value is null`.execute(db);
}
