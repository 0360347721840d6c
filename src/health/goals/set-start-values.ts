import { type Kysely, sql } from 'kysely';
import { currentValue, goalsWithMeasurements, startBasedGoalTypes } from './goal-progress.ts';

/**
 * Gives the goals of a person that have no start value yet the current one. Called wherever a value may have become known:
 * with the goal itself, a reading, a weight in the profile; `goalId`: only that one. `db` is the transaction of that change.
 */
export async function setMissingStartValues(
  db: Kysely<unknown>,
  userId: number,
  now: Date,
  goalId?: number,
): Promise<void> {
  const onlyGoal = goalId === undefined ? sql`` : sql` and g.id = ${goalId}`;
  await sql`update health_goal set start_value = found.value
    from (select g.id, ${sql.raw(currentValue)} as value from ${goalsWithMeasurements(userId, now.toISOString())}
      where g.user_id = ${userId} and g.start_value is null and g.goal_type = any(${[...startBasedGoalTypes]})${onlyGoal}) found
    where health_goal.id = found.id and found.value is not null
      and health_goal.start_value is null`.execute(db);
}
