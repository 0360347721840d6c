import { type Kysely, sql } from 'kysely';
import { currentValue, measuredGoals, wayTypes } from './goal-progress.ts';

/**
 * Gives the goals of a person that have no start value yet the current one. Called wherever a value may have become known:
 * with the goal itself, a reading, a weight in the profile. `db` is the transaction of that change.
 */
export async function fillStartValues(db: Kysely<unknown>, userId: number, now: Date): Promise<void> {
  await sql`update health_goal set start_value = found.value
    from (select g.id, ${sql.raw(currentValue)} as value from ${measuredGoals(userId, now)}
      where g.user_id = ${userId} and g.start_value is null and g.goal_type = any(${[...wayTypes]})) found
    where health_goal.id = found.id and found.value is not null`.execute(db);
}
