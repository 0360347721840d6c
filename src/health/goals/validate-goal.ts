import type { GoalTypeCode } from '../../../schema/health/health-goal.ts';
import { checkDecimal, decimalLimits } from '../input/decimal-checks.ts';
import type { InputChecks } from '../input/input-checks.ts';
import { checkMeasure } from './goal-units.ts';

/** Input fields of a goal. An absent key keeps the current value; null clears a nullable one. */
export interface GoalChange {
  goalType?: string | null;
  targetValue?: string | null;
  unit?: string | null;
  description?: string | null;
  isActive?: boolean | null;
  currentValue?: string | null;
  startOn?: string | null;
  targetOn?: string | null;
}

/** User-provided columns of a goal. */
export interface GoalValues {
  goalType: string;
  targetValue: string;
  unit: string;
  description: string;
  isActive: boolean;
  startOn: string;
  targetOn: string | null;
}

const unitByType: Record<GoalTypeCode, string> = {
  sleep: 'hours',
  steps: 'steps',
  water: 'ml',
  weight: 'kg',
  calories: 'kcal',
  blood_sugar: 'mg/dL',
  blood_pressure: 'mmHg',
  custom: '',
};

const defaultUnit = (type: string): string => unitByType[type as GoalTypeCode] ?? '';

/** Valid dates of goals; others are typing errors. */
const dateLimits = { first: '1900-01-01', last: '2199-12-31' };

const decimalFormat = { maxDigits: 10, maxDecimalPlaces: 2 };
const targetRange = { ...decimalFormat, min: 0.01 };
const currentRange = { ...decimalFormat, min: 0 };

export const goalLimits = {
  targetValue: decimalLimits(targetRange),
  currentValue: decimalLimits(currentRange),
  unit: { maxLength: 20 },
  description: { maxLength: 255 },
};

/** A goal with required values and defaults; `today` is its start date. */
export function defaultGoal(goalType: string, targetValue: string, today: string): GoalValues {
  return {
    goalType,
    targetValue,
    unit: defaultUnit(goalType),
    description: '',
    isActive: true,
    startOn: today,
    targetOn: null,
  };
}

/** Applies `change` to `current`. Problems are added to `checks`; the result is valid only when there are none. */
export function validateGoal(change: GoalChange, current: GoalValues, checks: InputChecks): GoalValues {
  const goalType = valueOrCurrent('goalType', change.goalType, current.goalType, checks);
  checkDecimal(checks, 'currentValue', change.currentValue, currentRange);
  const goal: GoalValues = {
    goalType,
    targetValue: checkDecimal(
      checks,
      'targetValue',
      valueOrCurrent('targetValue', change.targetValue, current.targetValue, checks),
      targetRange,
    ),
    unit: resolveUnit(change, goalType, current, checks),
    description: checks.text(
      'description',
      valueOrCurrent('description', change.description, current.description, checks),
      goalLimits.description,
    ),
    isActive: valueOrCurrent('isActive', change.isActive, current.isActive, checks),
    startOn: valueOrCurrent('startOn', change.startOn, current.startOn, checks),
    targetOn: change.targetOn === undefined ? current.targetOn : change.targetOn,
  };
  // Only what was sent: a goal of another time may have a unit that is refused now, and can still be renamed or ended.
  const isNewUnit = change.goalType !== undefined || change.unit !== undefined;
  if (isNewUnit || change.targetValue !== undefined || change.currentValue !== undefined) {
    const { unit } = goal;
    const targetValue = isNewUnit ? goal.targetValue : change.targetValue;
    checkMeasure({ goalType, unit, targetValue, currentValue: change.currentValue }, checks);
  }
  checkDates(goal, change, checks);
  return goal;
}

function valueOrCurrent<T>(field: string, value: T | null | undefined, current: T, checks: InputChecks): T {
  if (value === null) checks.add(field, 'This field may not be null.');
  return value ?? current;
}

/** A default unit changes with the type. An empty unit means the default. */
function resolveUnit({ unit }: GoalChange, goalType: string, current: GoalValues, checks: InputChecks): string {
  const fallback = current.unit === defaultUnit(current.goalType) ? defaultUnit(goalType) : current.unit;
  const text = checks.text('unit', valueOrCurrent('unit', unit, fallback, checks), goalLimits.unit);
  return text === '' ? defaultUnit(goalType) : text;
}

function checkDates({ startOn, targetOn }: GoalValues, change: GoalChange, checks: InputChecks): void {
  const validDates = [
    ['startOn', startOn],
    ['targetOn', targetOn],
  ].filter(([field, value]) => {
    const problem =
      value && value < dateLimits.first
        ? `Ensure this date is not before ${dateLimits.first}.`
        : value && value > dateLimits.last
          ? `Ensure this date is not after ${dateLimits.last}.`
          : undefined;
    if (field && problem) checks.add(field, problem);
    return problem === undefined;
  });
  if (validDates.length < 2 || targetOn === null || targetOn >= startOn) return;
  // Reported on the date that was sent: the caller may not see the other.
  if (change.targetOn === undefined && change.startOn !== undefined)
    checks.add('startOn', 'Ensure the start date is not after the target date.');
  else checks.add('targetOn', 'Ensure the target date is not before the start date.');
}
