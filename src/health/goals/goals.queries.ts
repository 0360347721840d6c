import { type RawBuilder, sql } from 'kysely';
import { cachedSelectList } from '../lists/cached-select-list.ts';
import type { OrderingOptions } from '../lists/ordering.ts';
import { OwnedRecords } from '../records/owned-records.ts';
import { currentValueSql, goalsWithMeasurements, progressSql } from './goal-progress.ts';

/** Selected columns of a goal; `id` is always present. */
export interface GoalRow {
  id: number;
  goalType: string;
  targetValue: string;
  unit: string;
  description: string;
  isActive: boolean;
  currentValue: string | null;
  startValue: string | null;
  progress: number | null;
  startDate: string;
  targetDate: string | null;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
}

/** GraphQL field → SQL expression over `goalsWithMeasurements`. */
export const goalColumns = {
  goalType: 'g.goal_type',
  targetValue: 'g.target_value',
  unit: 'g.unit',
  description: 'g.description',
  isActive: 'g.is_active',
  currentValue: currentValueSql,
  startValue: 'g.start_value',
  progress: progressSql,
  startDate: 'g.start_date',
  targetDate: 'g.target_date',
  createdAt: 'g.created_at',
  updatedAt: 'g.updated_at',
  deletedAt: 'g.deleted_at',
} as const satisfies Record<Exclude<keyof GoalRow, 'id'>, string>;

const goalSelectList = cachedSelectList('g.id', goalColumns);

export const goalOrdering: OrderingOptions = {
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
  columns: goalColumns,
  selectList: goalSelectList,
  searchText: 'g.description || chr(31) || g.goal_type',
  ordering: goalOrdering,
  softDelete: true,
  source: (userId, now, wanted) =>
    wanted.has('currentValue') || wanted.has('progress') ? goalsWithMeasurements(userId, now) : undefined,
});

/** Condition: the goal is, or is not, active; none when absent. */
export function matchingActivity(isActive: boolean | null | undefined): RawBuilder<unknown>[] {
  return isActive === null || isActive === undefined ? [] : [sql`g.is_active = ${isActive}`];
}
