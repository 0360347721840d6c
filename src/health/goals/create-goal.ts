import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { userTimeZone } from '../accounts/time-zone.ts';
import { InputChecks } from '../input/input-checks.ts';
import { goals } from './goals.queries.ts';
import { setMissingStartValues } from './set-start-values.ts';
import { defaultGoal, type GoalChange, validateGoal } from './validate-goal.ts';

/** A new goal: type and target are required. */
export type NewGoal = GoalChange & { goalType: string; targetValue: string };

/**
 * Creates a goal of the caller and returns its id.
 * @throws field errors
 */
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
    const id = await goals.insert(db, {
      user_id: userId,
      goal_type: goal.goalType,
      target_value: goal.targetValue,
      unit: goal.unit,
      description: goal.description,
      is_active: goal.isActive,
      given_value: value,
      given_at: value === null ? null : now,
      start_date: goal.startOn,
      target_date: goal.targetOn,
      created_at: now,
      updated_at: now,
    });
    await setMissingStartValues(db, userId, context.now(), id);
    return id;
  });
}
