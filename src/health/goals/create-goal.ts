import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { userTimeZone } from '../accounts/time-zone.ts';
import { InputChecks } from '../input/input-checks.ts';
import { setMissingStartValues } from './set-start-values.ts';
import { defaultGoal, type GoalChange, validateGoal } from './validate-goal.ts';

/** A goal as it is made: type and target are there. */
export type NewGoal = GoalChange & { goalType: string; targetValue: string };

/** Makes a goal of the caller and returns its number. Throws field errors. */
export async function createGoal(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  change: NewGoal,
): Promise<number> {
  const { userId } = requirePerson(context.actor);
  const now = context.now().toISOString();
  return context.transaction(async db => {
    const found = await sql<{
      today: string;
    }>`select (${now}::timestamptz at time zone ${userTimeZone(userId)})::date::text
      as today`.execute(db);
    const checks = new InputChecks();
    const goal = validateGoal(
      change,
      defaultGoal(change.goalType, change.targetValue, found.rows[0]?.today ?? now.slice(0, 10)),
      checks,
    );
    checks.assertPassed();
    const value = change.currentValue ?? null;
    const made = await sql<{ id: number }>`
      insert into health_goal (user_id, goal_type, target_value, unit, description, is_active, given_value, given_at,
        start_date, target_date, created_at, updated_at)
      values (${userId}, ${goal.goalType}, ${goal.targetValue}, ${goal.unit}, ${goal.description}, ${goal.isActive},
        ${value}, ${value === null ? null : now}, ${goal.startDate}, ${goal.targetDate}, ${now}, ${now})
      returning id`.execute(db);
    const id = Number(made.rows[0]?.id);
    await setMissingStartValues(db, userId, context.now(), id);
    return id;
  });
}
