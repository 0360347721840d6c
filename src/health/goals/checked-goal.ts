import type { GoalTypeCode } from '../../../schema/health/health-goal.ts';
import type { Checks } from '../../errors/checks.ts';
import { checkExactNumber } from '../../errors/exact-number.ts';

/** What a person may say of a goal. An absent key leaves what was there, null takes a value away where there may be none. */
export interface GoalChange {
  goalType?: string | null;
  targetValue?: string | null;
  unit?: string | null;
  description?: string | null;
  isActive?: boolean | null;
  currentValue?: string | null;
  startDate?: string | null;
  targetDate?: string | null;
}

/** The columns of a goal that hang on its owner's word. */
export interface GoalValues {
  goalType: string;
  targetValue: string;
  unit: string;
  description: string;
  isActive: boolean;
  startDate: string;
  targetDate: string | null;
}

const defaultUnits: Record<GoalTypeCode, string> = {
  sleep: 'hours',
  steps: 'steps',
  water: 'ml',
  weight: 'kg',
  calories: 'kcal',
  blood_sugar: 'mg/dL',
  blood_pressure: 'mmHg',
  custom: '',
};

const defaultUnit = (type: string): string => defaultUnits[type as GoalTypeCode] ?? '';

/** Days of goals: nobody has goals of other centuries, and a year of 9999 is a slip of a client. */
const days = { first: '1900-01-01', last: '2199-12-31' };

const exact = { digits: 10, places: 2 };

/** A goal that says nothing but what it must, `today` being the day it begins. */
export function bareGoal(goalType: string, targetValue: string, today: string): GoalValues {
  return {
    goalType,
    targetValue,
    unit: defaultUnit(goalType),
    description: '',
    isActive: true,
    startDate: today,
    targetDate: null,
  };
}

/** The goal that `change` makes of `before`. What is wrong goes into `checks`; the result is good when they hold. */
export function checkedGoal(change: GoalChange, before: GoalValues, checks: Checks): GoalValues {
  const goalType = given('goal_type', change.goalType, before.goalType, checks);
  checkExactNumber(checks, 'current_value', change.currentValue, { ...exact, least: 0 });
  const goal: GoalValues = {
    goalType,
    targetValue: checkExactNumber(
      checks,
      'target_value',
      given('target_value', change.targetValue, before.targetValue, checks),
      { ...exact, least: 0.01 },
    ),
    unit: unitOf(change, goalType, before, checks),
    description: checks.text('description', given('description', change.description, before.description, checks), {
      most: 255,
      blank: true,
    }),
    isActive: given('is_active', change.isActive, before.isActive, checks),
    startDate: given('start_date', change.startDate, before.startDate, checks),
    targetDate: change.targetDate === undefined ? before.targetDate : change.targetDate,
  };
  checkDays(goal, change, checks);
  return goal;
}

function given<T>(field: string, value: T | null | undefined, before: T, checks: Checks): T {
  if (value === null) checks.add(field, 'This field may not be null.');
  return value ?? before;
}

/** A unit that was only the usual one of the type goes with the type. An empty one is the usual one. */
function unitOf({ unit }: GoalChange, goalType: string, before: GoalValues, checks: Checks): string {
  const usual = before.unit === defaultUnit(before.goalType) ? defaultUnit(goalType) : before.unit;
  const text = checks.text('unit', given('unit', unit, usual, checks), { most: 20, blank: true });
  return text === '' ? defaultUnit(goalType) : text;
}

function checkDays({ startDate, targetDate }: GoalValues, change: GoalChange, checks: Checks): void {
  const sound = [
    ['start_date', startDate],
    ['target_date', targetDate],
  ].filter(([field, value]) => {
    const problem =
      value && value < days.first
        ? `Ensure this date is not before ${days.first}.`
        : value && value > days.last
          ? `Ensure this date is not after ${days.last}.`
          : undefined;
    if (field && problem) checks.add(field, problem);
    return problem === undefined;
  });
  if (sound.length < 2 || targetDate === null || targetDate >= startDate) return;
  // Told of the day that was sent: the other may be one that the caller does not see.
  if (change.targetDate === undefined && change.startDate !== undefined)
    checks.add('start_date', 'Ensure the start date is not after the target date.');
  else checks.add('target_date', 'Ensure the target date is not before the start date.');
}
