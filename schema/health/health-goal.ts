import { Int, registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Day, Exact, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { CalendarDate, Decimal } from '../vocabulary/scalars.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Type of a goal. */
export const GoalType = {
  SLEEP: 'sleep',
  STEPS: 'steps',
  WATER: 'water',
  WEIGHT: 'weight',
  CALORIES: 'calories',
  BLOOD_SUGAR: 'blood_sugar',
  BLOOD_PRESSURE: 'blood_pressure',
  CUSTOM: 'custom',
} as const;
export type GoalType = (typeof GoalType)[keyof typeof GoalType];
registerEnumType(GoalType, { name: 'GoalType', description: 'Type of a goal.' });

export type GoalTypeCode = (typeof GoalType)[keyof typeof GoalType];

/** Internal values are sort keys in the syntax of the REST contract. */
export const HealthGoalOrder = sortOrder('HealthGoalOrder', 'goals', {
  CREATED_AT: 'created_at',
  GOAL_TYPE: 'goal_type',
  TARGET_ON: 'target_date',
  TARGET_VALUE: 'target_value',
});

@Noun('health_goal', 'Health goal, such as a weight or a number of steps a day.')
@Index<HealthGoal>('health_goal_by_target', ['userId', 'targetValue', 'id'])
@Index<HealthGoal>('health_goal_by_target_date', ['userId', 'targetDate', 'id'])
@Index<HealthGoal>('health_goal_by_type', ['userId', 'goalType', 'id'])
@Index<HealthGoal>('health_goal_by_user', ['userId', 'createdAt', 'id'])
@Personal({
  what: 'Goals and their progress',
  purpose: 'show you your progress',
  kept: 'as long as the account; deleted goals too',
  seenBy: 'a language model: active ones, with your consent',
  inExport: ['goals'],
})
export class HealthGoal {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => GoalType, { about: 'Type of the goal.' })
  goalType!: GoalType;

  @Exact('numeric(10,2)', { about: 'Target value in the unit, greater than 0.' })
  targetValue!: string;

  @Text({
    about: 'Unit of the values, at most 20 characters. The type has a default, such as kg; that of `CUSTOM` is empty.',
  })
  unit!: string;

  @Text({ about: 'Description, at most 255 characters; may be empty.', default: '' })
  description!: string;

  @Bool({ about: 'Whether the goal is active.', default: true })
  isActive!: boolean;

  /** Value entered by the person, and its time; a later measurement takes precedence. */
  @Exact('numeric(10,2)', { hidden: true, null: true })
  givenValue!: string | null;

  @Moment({ hidden: true, null: true })
  givenAt!: string | null;

  @Computed(
    () => Decimal,
    "Current value in the unit of the goal; null if it is unknown. It is the value last given or, if measured later, the latest weight, blood sugar or systolic pressure; for steps the daily mean of the last 7 days that have any. Without a measured weight that of the profile counts. Measurements count if their unit can be converted to the goal's: kg, g, lb; mg/dL, mmol/L; mmHg, kPa; steps.",
    { null: true },
  )
  currentValue!: string | null;

  @Exact('numeric(10,2)', {
    about:
      'Start value of a goal for weight, blood sugar or blood pressure; null for other types. It is the value at creation, or the first one after it.',
    null: true,
  })
  startValue!: string | null;

  @Computed(
    () => Int,
    'Progress in percent, 0 to 100; null if a value is missing. For weight, blood sugar and blood pressure it is the share of the distance from the start value to the target; for other types the current value divided by the target.',
    { null: true },
  )
  progressPercent!: number | null;

  @Day({ hidden: true })
  startDate!: string;

  @Computed(() => CalendarDate, 'Start date; the day of creation by default.')
  startOn!: string;

  @Day({ hidden: true, null: true })
  targetDate!: string | null;

  @Computed(() => CalendarDate, 'Target date, not before the start date; null for none.', { null: true })
  targetOn!: string | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change.' })
  updatedAt!: string;

  @Moment({
    about: 'Time of deletion; null for a goal that is not deleted. Only the data export has deleted goals.',
    null: true,
  })
  deletedAt!: string | null;
}

export const HealthGoalConnection = connectionOf('HealthGoal', () => HealthGoal, 'goals');
