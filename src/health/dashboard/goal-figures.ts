import { sql } from 'kysely';
import type { GoalSummary } from '../../../schema/health/dashboard.ts';
import type { Context } from '../../context/context.ts';
import { compiledStatement } from '../../db/compiled-statement.ts';
import { goalsWithMeasurements, progressSql } from '../goals/goal-progress.ts';
import { type GoalRow, goalSelectList } from '../goals/goals.queries.ts';

export interface GoalFigures {
  summary: GoalSummary;
  active: GoalRow[];
}

/** Maximum goals shown; the figures cover all. */
const maxGoals = 100;

const progressColumn = sql.raw(progressSql);

const statement = compiledStatement<{ userId: number; now: string }, GoalRow & GoalSummary>(
  ['userId', 'now'],
  ({ userId, now }) => sql`
    select ${goalSelectList('all')}, (count(*) filter (where g.is_active) over ())::int as "activeCount",
      (count(*) filter (where ${progressColumn} = 100) over ())::int as "completedCount",
      (round(avg(${progressColumn}) filter (where g.is_active) over (), 1))::float8 as "averageProgressPercent"
    from ${goalsWithMeasurements(userId, now)} where g.user_id = ${userId} and g.deleted_at is null
    order by g.is_active desc, g.created_at desc, g.id desc limit ${maxGoals}`,
);

/** The active goals of a user, the newest first, and the current figures of all goals. */
export async function loadGoalFigures(
  { read, now }: Pick<Context, 'read' | 'now'>,
  userId: number,
): Promise<GoalFigures> {
  const rows = await read(statement({ userId, now: now().toISOString() }));
  const [first] = rows;
  return {
    summary: {
      activeCount: first?.activeCount ?? 0,
      completedCount: first?.completedCount ?? 0,
      averageProgressPercent: first?.averageProgressPercent ?? null,
    },
    active: rows.filter(goal => goal.isActive),
  };
}
