import { type RawBuilder, sql } from 'kysely';
import { HealthGoal } from '../../../schema/health/health-goal.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { PageSource } from '../../db/page.ts';
import type { Selection } from '../../db/selection.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';
import { currentValue, goalsWithMeasurements, progress } from './goal-progress.ts';

/** A goal as a query brings it: its id, and of the rest what was selected. */
export type GoalRow = Omit<HealthGoal, 'userId' | 'givenValue' | 'givenAt'>;

export interface GoalFilter {
  isActive?: boolean | null | undefined;
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}

/** Of `goalsWithMeasurements`, or of `health_goal` where neither computed field is wanted. */
export const goalSelectList = columnsOf(HealthGoal, 'g', { always: ['id'], computed: { currentValue, progress } });

const ordering: OrderingOptions = {
  names: {
    created_at: 'g.created_at',
    target_value: 'g.target_value',
    goal_type: 'g.goal_type',
    target_date: 'g.target_date',
  },
  key: 'g.id',
  byDefault: '-created_at',
};

/** Measurements are read only for those who ask what comes of them. */
const goalSource = (context: Pick<Context, 'now'>, userId: number, wanted: Selection): RawBuilder<unknown> =>
  wanted.has('currentValue') || wanted.has('progress')
    ? goalsWithMeasurements(userId, context.now().toISOString())
    : sql`health_goal g`;

/** The goals of one person that are not deleted. `ordering` and `search` have the grammar of the published API. */
export function goalsMatching(context: Context, userId: number, filter: GoalFilter): PageSource<GoalRow> {
  const conditions = [sql`g.user_id = ${userId} and g.deleted_at is null`];
  if (filter.isActive !== null && filter.isActive !== undefined) conditions.push(sql`g.is_active = ${filter.isActive}`);
  conditions.push(...containsTerms(sql`g.description || chr(31) || g.goal_type`, filter.search));
  return tablePage(context.read, {
    select: goalSelectList,
    from: sql`health_goal g`,
    readFrom: wanted => goalSource(context, userId, wanted),
    where: conditions,
    order: orderBy(filter.ordering, ordering),
  });
}

/** What is wanted of one goal of a person, or null when there is none or it is deleted. */
export async function goalById(
  context: Context,
  userId: number,
  id: number,
  wanted: Selection,
): Promise<GoalRow | null> {
  const [found] = await context.read(sql<GoalRow>`select ${goalSelectList(wanted)}
    from ${goalSource(context, userId, wanted)} where g.id = ${id} and g.user_id = ${userId} and g.deleted_at is null`);
  return found ?? null;
}

/** Every goal of a person, deleted ones too, the newest first. */
export function allGoals(context: Pick<Context, 'read' | 'now'>, userId: number): Promise<GoalRow[]> {
  return context.read(sql<GoalRow>`select ${goalSelectList('all')}
    from ${goalsWithMeasurements(userId, context.now().toISOString())} where g.user_id = ${userId} order by g.created_at desc, g.id desc`);
}
