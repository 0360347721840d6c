import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { notFound } from '../../errors/errors.ts';
import { personOf } from '../accounts/person.ts';
import { zoneOf } from '../accounts/time-zone.ts';
import { bareGoal, checkedGoal, type GoalChange, type GoalValues } from './checked-goal.ts';
import type { NewGoal } from './create-goal.ts';
import { fillStartValues } from './start-values.ts';

type Surroundings = Pick<Context, 'actor' | 'now' | 'transaction'>;

/** Changes of a goal what is named. Throws field errors; not found for a goal that is not the caller's. */
export function updateGoal(context: Surroundings, id: number, change: GoalChange): Promise<void> {
  return changeGoal(context, id, change, before => before);
}

/**
 * Puts another goal in the place of one: what is absent becomes what a new goal would have. It begins on the day on which it
 * was made, so that sending the same twice makes no difference.
 */
export function replaceGoal(context: Surroundings, id: number, change: NewGoal): Promise<void> {
  return changeGoal(context, id, { currentValue: null, ...change }, ({ madeOn }) =>
    bareGoal(change.goalType, change.targetValue, madeOn),
  );
}

type Found = GoalValues & { madeOn: string };

async function changeGoal(
  context: Surroundings,
  id: number,
  change: GoalChange,
  startingFrom: (found: Found) => GoalValues,
): Promise<void> {
  const { userId } = personOf(context.actor);
  const at = context.now().toISOString();
  await context.transaction(async db => {
    const before = await lockGoal(db, userId, id);
    const checks = new Checks();
    const goal = checkedGoal(change, startingFrom(before), checks);
    checks.done();
    const given = change.currentValue;
    const value = given === undefined ? sql`` : sql`given_value = ${given}, given_at = ${given === null ? null : at},`;
    // Of another kind, or told in another unit: the old way has no meaning any more.
    const another = goal.goalType !== before.goalType || goal.unit !== before.unit;
    const start = another ? sql`start_value = null,` : sql``;
    await sql`update health_goal set goal_type = ${goal.goalType}, target_value = ${goal.targetValue}, unit = ${goal.unit},
      description = ${goal.description}, is_active = ${goal.isActive}, start_date = ${goal.startDate},
      target_date = ${goal.targetDate}, ${value} ${start} updated_at = ${at} where id = ${id}`.execute(db);
    await fillStartValues(db, userId, context.now(), id);
  });
}

/** Locked: of two changes at once the second sees what the first has made, and dates are checked as they will be. */
async function lockGoal(db: Kysely<unknown>, userId: number, id: number): Promise<Found> {
  const found = await sql<Found>`
    select goal_type as "goalType", target_value as "targetValue", unit, description, is_active as "isActive",
      start_date as "startDate", target_date as "targetDate",
      (created_at at time zone ${zoneOf(userId)})::date as "madeOn"
    from health_goal where id = ${id} and user_id = ${userId} and deleted_at is null for update`.execute(db);
  const [goal] = found.rows;
  if (!goal) throw notFound();
  return goal;
}
