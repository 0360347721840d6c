import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { userTimeZone } from '../accounts/time-zone.ts';
import { InputChecks } from '../input/input-checks.ts';
import type { NewGoal } from './create-goal.ts';
import { setMissingStartValues } from './set-start-values.ts';
import { defaultGoal, type GoalChange, type GoalValues, validateGoal } from './validate-goal.ts';

type Dependencies = Pick<Context, 'actor' | 'now' | 'transaction'>;

/**
 * Updates the given fields of a goal.
 * @throws field errors; notFound for a goal that is not the caller's
 */
export function updateGoal(context: Dependencies, id: number, change: GoalChange): Promise<void> {
  return changeGoal(context, id, change, before => before);
}

/**
 * Replaces a goal: absent fields get the defaults of a new goal. The default start date is the day of creation, which
 * makes the call idempotent.
 */
export function replaceGoal(context: Dependencies, id: number, change: NewGoal): Promise<void> {
  return changeGoal(context, id, { currentValue: null, ...change }, ({ madeOn }) =>
    defaultGoal(change.goalType, change.targetValue, madeOn),
  );
}

type StoredGoal = GoalValues & { madeOn: string };

async function changeGoal(
  context: Dependencies,
  id: number,
  change: GoalChange,
  baseOf: (found: StoredGoal) => GoalValues,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const at = context.now().toISOString();
  await context.transaction(async db => {
    const stored = await lockGoal(db, userId, id);
    const checks = new InputChecks();
    const goal = validateGoal(change, baseOf(stored), checks);
    checks.assertPassed();
    const given = change.currentValue;
    const value = given === undefined ? sql`` : sql`given_value = ${given}, given_at = ${given === null ? null : at},`;
    // With another type or unit the old start value has no meaning.
    const measuresSomethingElse = goal.goalType !== stored.goalType || goal.unit !== stored.unit;
    const start = measuresSomethingElse ? sql`start_value = null,` : sql``;
    await sql`update health_goal set goal_type = ${goal.goalType}, target_value = ${goal.targetValue}, unit = ${goal.unit},
      description = ${goal.description}, is_active = ${goal.isActive}, start_date = ${goal.startOn},
      target_date = ${goal.targetOn}, ${value} ${start} updated_at = ${at} where id = ${id}`.execute(db);
    await setMissingStartValues(db, userId, context.now(), id);
  });
}

/** Locked, so that concurrent changes are validated against each other's result. */
async function lockGoal(db: Kysely<unknown>, userId: number, id: number): Promise<StoredGoal> {
  const found = await sql<StoredGoal>`
    select goal_type as "goalType", target_value as "targetValue", unit, description, is_active as "isActive",
      start_date as "startOn", target_date as "targetOn",
      (created_at at time zone ${userTimeZone(userId)})::date as "madeOn"
    from health_goal where id = ${id} and user_id = ${userId} and deleted_at is null for update`.execute(db);
  const [goal] = found.rows;
  if (!goal) throw notFound();
  return goal;
}
