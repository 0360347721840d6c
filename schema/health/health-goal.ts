import { Int, registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Day, Exact, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Decimal } from '../vocabulary/scalars.ts';
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

@Noun('health_goal', 'Health goal, such as a weight or a number of steps a day.')
@Index<HealthGoal>('health_goal_by_user', ['userId', 'createdAt', 'id'])
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
    about:
      'Unit of the values, at most 20 characters. Defaults by type: hours, steps, ml, kg, kcal, mg/dL or mmHg; empty for the type `CUSTOM`.',
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
    "Current value in the unit of the goal: the value last given or, if measured later, the latest weight, blood sugar or systolic pressure; for steps the daily mean over those of the last 7 days that have any. Without a measured weight the profile's applies. Measurements count where their unit converts to the goal's: kg, g, lb; mg/dL, mmol/L; mmHg, kPa; steps. Null where nothing is known.",
    { null: true },
  )
  currentValue!: string | null;

  @Exact('numeric(10,2)', {
    about:
      'Start value for weight, blood sugar and blood pressure: the value at creation or else the first one after it; null otherwise.',
    null: true,
  })
  startValue!: string | null;

  @Computed(
    () => Int,
    'Progress in percent, 0 to 100. For weight, blood sugar and blood pressure the share of the distance from the start value to the target; for other types the current value divided by the target. Null where a value is missing.',
    { null: true },
  )
  progress!: number | null;

  @Day({ about: 'Start date; the day of creation by default.' })
  startDate!: string;

  @Day({ about: 'Target date, not before the start date; null for none.', null: true })
  targetDate!: string | null;

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
