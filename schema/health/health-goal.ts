import { Int, registerEnumType } from 'type-graphql';
import { Bool, Choice, Computed, Day, Exact, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Decimal } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { User } from './user.ts';

/** What a goal is about. */
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
registerEnumType(GoalType, { name: 'GoalType', description: 'What a goal is about.' });

export type GoalTypeCode = (typeof GoalType)[keyof typeof GoalType];

@Noun('health_goal', 'Something a person wants to reach, such as a weight or a number of steps a day.')
@Index<HealthGoal>('health_goal_by_user', ['userId', 'createdAt', 'id'])
export class HealthGoal {
  @Key('Number of the goal.')
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => GoalType, { about: 'What it is about.' })
  goalType!: GoalType;

  @Exact('numeric(10,2)', { about: 'What is to be reached, in the unit; more than zero.' })
  targetValue!: string;

  @Text({
    about:
      'Unit of the values, at most 20 characters. Unless given: hours, steps, ml, kg, kcal, mg/dL or mmHg by the type; empty for a goal of one’s own kind.',
  })
  unit!: string;

  @Text({ about: 'What it means to the person, at most 255 characters; may be empty.', default: '' })
  description!: string;

  @Bool({ about: 'Whether it is being pursued.', default: true })
  isActive!: boolean;

  /** What the person said the value is, and when: a later measurement counts more. */
  @Exact('numeric(10,2)', { hidden: true, null: true })
  givenValue!: string | null;

  @Moment({ hidden: true, null: true })
  givenAt!: string | null;

  @Computed(
    () => Decimal,
    'Where the person stands, in the unit of the goal: what was last given or, where measured after that, the latest weight, blood sugar or systolic pressure, or for steps the mean a day over the days of the last seven that have any. A weight that was never measured is taken from the profile. Measurements count where the unit is one they can be converted to: kg, g, lb; mg/dL, mmol/L; mmHg, kPa; steps. Null where nothing is known.',
    { null: true },
  )
  currentValue!: string | null;

  @Exact('numeric(10,2)', {
    about:
      'Where the way to the target begins, for weight, blood sugar and blood pressure: the value when the goal was made or, if there was none, the first after that.',
    null: true,
  })
  startValue!: string | null;

  @Computed(
    () => Int,
    'Per cent, 0 to 100. For weight, blood sugar and blood pressure the part of the way from the start value to the target, up or down; for all others the current value as part of the target. Null where a value is missing.',
    { null: true },
  )
  progress!: number | null;

  @Day({ about: 'When it begins: unless given, the day on which it was made.' })
  startDate!: string;

  @Day({ about: 'When it is to be reached, not before it begins.', null: true })
  targetDate!: string | null;

  @Moment({ about: 'When it was made.' })
  createdAt!: string;

  @Moment({ about: 'When it was last changed.' })
  updatedAt!: string;

  @Moment({ about: 'When it was deleted. Deleted goals are in the export of all data and nowhere else.', null: true })
  deletedAt!: string | null;
}

export const HealthGoalPage = pageOf('HealthGoalPage', () => HealthGoal, 'A page of goals.');
