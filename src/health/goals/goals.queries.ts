import { sql } from 'kysely';
import { HealthGoal } from '../../../schema/health/health-goal.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { OrderingOptions } from '../lists/ordering.ts';
import { OwnedRecords } from '../records/owned-records.ts';
import { currentValueSql, goalsWithMeasurements, progressSql } from './goal-progress.ts';

/** Selected columns of a goal; `id` is always present. */
export type GoalRow = Omit<HealthGoal, 'userId' | 'givenValue' | 'givenAt' | 'startDate' | 'targetDate'>;

/** Over `goalsWithMeasurements`, or over `health_goal` where neither computed field is wanted. */
export const goalSelectList = columnsOf(HealthGoal, 'g', {
  always: ['id'],
  computed: {
    currentValue: currentValueSql,
    progressPercent: progressSql,
    startOn: 'g.start_date',
    targetOn: 'g.target_date',
  },
});

const goalOrdering: OrderingOptions = {
  names: {
    created_at: 'g.created_at',
    target_value: 'g.target_value',
    goal_type: 'g.goal_type',
    target_date: 'g.target_date',
  },
  key: 'g.id',
  byDefault: '-created_at',
};

/** The goals of users. Measurements are joined only for the fields computed from them. */
export const goals = new OwnedRecords<GoalRow>({
  name: 'health_goal',
  alias: 'g',
  selectList: goalSelectList,
  searchText: 'g.description || chr(31) || g.goal_type',
  tallies: ['active_goal', 'inactive_goal'],
  ordering: goalOrdering,
  softDelete: true,
  source: (userId, now, wanted) =>
    wanted.has('currentValue') || wanted.has('progressPercent') ? goalsWithMeasurements(userId, now) : undefined,
});

/** Only active goals, or only inactive ones; all when absent. */
export const matchingActivity = (isActive: boolean | null | undefined) =>
  isActive === null || isActive === undefined
    ? undefined
    : ({
        conditions: [sql`g.is_active = ${isActive}`],
        tallies: [isActive ? 'active_goal' : 'inactive_goal'],
      } as const);
