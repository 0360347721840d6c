import { type RawBuilder, sql } from 'kysely';
import type { GoalTypeCode } from '../../../schema/health/health-goal.ts';
import type { InputChecks } from '../input/input-checks.ts';

/** What a goal of a type is measured in. */
interface Measure {
  /** Range of a target in the unit of the type. */
  min: number;
  max: number;
  /** The current value may be anything from zero: it grows during the day. */
  startsAtZero: boolean;
  /** Lower-case unit → units per unit of the type, which comes first. A Map: people write units such as «constructor». */
  units: ReadonlyMap<string, number>;
}

const unitTable = (units: object): ReadonlyMap<string, number> => new Map(Object.entries(units));

/**
 * Plausible ranges; anything else is a typing error or another unit. Blood pressure, blood sugar and weight are those of readings
 * (src/health/vitals/record-vital-reading.ts). Sleep: a day has 24 hours. Water: more than 10 l a day is beyond any recommendation
 * (EFSA 2010, doi:10.2903/j.efsa.2010.1459: 2.0 to 2.5 l). Energy: what cyclists
 * spend on the hardest days of the Tour de France (Saris et al. 1989, doi:10.1055/s-2007-1024951), and some margin. Steps: 200,000 is more than a walk of 24 hours.
 */
const measures: Record<Exclude<GoalTypeCode, 'custom'>, Measure> = {
  sleep: {
    min: 0.25,
    max: 24,
    startsAtZero: true,
    units: unitTable({ hours: 1, hour: 1, h: 1, hrs: 1, hr: 1, minutes: 60, min: 60 }),
  },
  steps: { min: 1, max: 200_000, startsAtZero: true, units: unitTable({ steps: 1, step: 1 }) },
  water: {
    min: 50,
    max: 10_000,
    startsAtZero: true,
    units: unitTable({
      ml: 1,
      l: 0.001,
      litres: 0.001,
      liters: 0.001,
      cl: 0.1,
      oz: 0.033814,
      'fl oz': 0.033814,
      cups: 0.004,
      glasses: 0.004,
    }),
  },
  weight: {
    min: 1,
    max: 500,
    startsAtZero: false,
    units: unitTable({ kg: 1, kgs: 1, g: 1000, lb: 2.2046226218, lbs: 2.2046226218, st: 0.157473, stone: 0.157473 }),
  },
  calories: {
    min: 100,
    max: 10_000,
    startsAtZero: true,
    units: unitTable({ kcal: 1, cal: 1, calories: 1, kj: 4.184 }),
  },
  // One mmol of glucose is 18.0156 mg; a decilitre is a tenth of a litre.
  blood_sugar: { min: 20, max: 800, startsAtZero: false, units: unitTable({ 'mg/dl': 1, 'mmol/l': 0.0555074491 }) },
  blood_pressure: { min: 50, max: 300, startsAtZero: false, units: unitTable({ mmhg: 1, kpa: 0.1333223874 }) },
};

const measureOf = (type: string): Measure | undefined => (measures as Record<string, Measure | undefined>)[type];

/** «steps/day» and «ml per day» are steps and ml: goals of these types are about a day anyway. */
const bareUnit = (unit: string): string =>
  unit
    .toLowerCase()
    .replace(/(\/|\bper\b|\ba\b)\s*(day|night|d)$/, '')
    .trim();

/** SQL: the same. */
export const bareUnitSql = (unit: RawBuilder<unknown>): RawBuilder<string> =>
  sql`btrim(regexp_replace(lower(${unit}), '\\s*(/|\\yper\\y|\\ya\\y)\\s*(day|night|d)$', ''))`;

/** Lower-case units of a type → units per unit of the type. */
export const unitsOf = (type: Exclude<GoalTypeCode, 'custom'>): ReadonlyMap<string, number> => measures[type].units;

interface MeasuredGoal {
  goalType: string;
  unit: string;
  targetValue: string | null | undefined;
  currentValue: string | null | undefined;
}

/** Adds field errors for a unit that is none of the type, and for values outside of the range of a human being. */
export function checkMeasure({ goalType, unit, targetValue, currentValue }: MeasuredGoal, checks: InputChecks): void {
  const measure = measureOf(goalType);
  if (!measure || checks.has('unit')) return;
  const factor = measure.units.get(bareUnit(unit));
  if (factor === undefined) {
    checks.add('unit', `"${unit}" is no unit of this type. Use one of: ${[...measure.units.keys()].join(', ')}.`);
    return;
  }
  const bounds = [measure.min, measure.max].map(bound => Number((bound * factor).toPrecision(3))) as [number, number];
  checkWithin('targetValue', targetValue, bounds);
  checkWithin('currentValue', currentValue, measure.startsAtZero ? [0, Number.POSITIVE_INFINITY] : bounds);

  function checkWithin(field: string, value: string | null | undefined, [min, max]: [number, number]): void {
    if (value === null || value === undefined || checks.has(field) || (Number(value) >= min && Number(value) <= max))
      return;
    checks.add(field, `Ensure this value is between ${min} and ${max} ${unit}.`);
  }
}
