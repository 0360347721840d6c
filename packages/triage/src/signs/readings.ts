import { type DangerFacts, type DangerLevel, type Finding, nothingFound } from '../finding.ts';

/** What is measured or aimed at, in the unit that the limits below are in. */
interface Limit {
  id: string;
  label: string;
  level: DangerLevel;
  /** Whether a value in the base unit is beyond the limit. */
  holds: (value: number, second: number | undefined) => boolean;
}

/**
 * Limits of values from general knowledge of guidance: hypertensive crisis from 180/120 (NICE NG136, AHA), oxygen below 92 % (BTS), glucose below 3 mmol/L as
 * level 2 hypoglycaemia and above 20 mmol/L (ADA), heart rate and temperature as in NEWS2. No clinician has reviewed them.
 */
const readingLimits: ReadonlyMap<string, readonly Limit[]> = new Map([
  [
    'blood_pressure',
    [
      {
        id: 'pressure-very-high',
        label: 'Very high blood pressure',
        level: 'emergency',
        holds: (s, d) => s >= 200 || (d ?? 0) >= 130,
      },
      {
        id: 'pressure-high',
        label: 'Very high blood pressure',
        level: 'urgent',
        holds: (s, d) => s >= 180 || (d ?? 0) >= 120,
      },
      { id: 'pressure-very-low', label: 'Very low blood pressure', level: 'emergency', holds: s => s < 70 },
      { id: 'pressure-low', label: 'Low blood pressure', level: 'urgent', holds: s => s < 85 },
    ],
  ],
  [
    'oxygen',
    [
      { id: 'oxygen-very-low', label: 'Very low oxygen', level: 'emergency', holds: v => v < 90 },
      { id: 'oxygen-low', label: 'Low oxygen', level: 'urgent', holds: v => v < 92 },
    ],
  ],
  [
    'glucose',
    [
      { id: 'glucose-very-low', label: 'Very low blood sugar', level: 'emergency', holds: v => v < 3 },
      { id: 'glucose-very-high', label: 'Very high blood sugar', level: 'emergency', holds: v => v >= 25 },
      { id: 'glucose-low', label: 'Low blood sugar', level: 'urgent', holds: v => v < 3.9 },
      { id: 'glucose-high', label: 'High blood sugar', level: 'urgent', holds: v => v >= 16.7 },
    ],
  ],
  [
    'heart_rate',
    [
      { id: 'pulse-very-fast', label: 'Very fast heart rate', level: 'emergency', holds: v => v >= 150 },
      { id: 'pulse-very-slow', label: 'Very slow heart rate', level: 'emergency', holds: v => v < 35 },
      { id: 'pulse-fast', label: 'Fast heart rate', level: 'urgent', holds: v => v >= 130 },
      { id: 'pulse-slow', label: 'Slow heart rate', level: 'urgent', holds: v => v < 40 },
    ],
  ],
  [
    'temperature',
    [
      { id: 'fever-very-high', label: 'Very high temperature', level: 'emergency', holds: v => v >= 41 },
      { id: 'hypothermia', label: 'Very low temperature', level: 'emergency', holds: v => v < 35 },
      { id: 'fever-high', label: 'High temperature', level: 'urgent', holds: v => v >= 40 },
    ],
  ],
  [
    'breathing_rate',
    [
      { id: 'breaths-very-fast', label: 'Very fast breathing', level: 'emergency', holds: v => v >= 30 },
      { id: 'breaths-very-slow', label: 'Very slow breathing', level: 'emergency', holds: v => v < 8 },
      { id: 'breaths-fast', label: 'Fast breathing', level: 'urgent', holds: v => v >= 25 },
    ],
  ],
]);

/** Names of kinds as doors write them, and in which unit the value then is, by a part of the name. */
const kindNames: readonly [RegExp, string][] = [
  [/pressure|^bp$/, 'blood_pressure'],
  [/oxygen|spo2|saturation/, 'oxygen'],
  [/glucose|sugar/, 'glucose'],
  [/heart|pulse/, 'heart_rate'],
  [/temperature|fever/, 'temperature'],
  [/respirat|breath/, 'breathing_rate'],
  [/weight/, 'weight'],
  [/calor|kcal|energy|nutrition/, 'energy'],
  [/fast/, 'fasting'],
];

/** Milligrams of glucose per decilitre in one millimole per litre. */
const mgPerMmol = 18.016;
/** A body mass index below which a goal asks for harm: 16 is severe thinness (WHO). */
const leastIndex = { emergency: 13, urgent: 17 } as const;
/** Weight below which a goal of an adult is one of harm where no height is known, in kg. */
const leastWeightKg = 40;
/** Energy a day below which a goal is one of harm: very-low-calorie diets end at 800 kcal and need a doctor (NICE CG189). */
const leastKcal = 800;

/** A body's mass in kg, a temperature in °C and so on: the unit in which the limits are. */
function inBaseUnit(kind: string, value: number, unit: string): number {
  if (kind === 'glucose') return /mg/.test(unit) || (unit === '' && value > 35) ? value / mgPerMmol : value;
  if (kind === 'temperature') return /f/.test(unit) || (unit === '' && value > 60) ? ((value - 32) * 5) / 9 : value;
  if (kind === 'weight') return /lb|pound/.test(unit) ? value * 0.4536 : /st/.test(unit) ? value * 6.35 : value;
  if (kind === 'energy') return /kj/.test(unit) ? value / 4.184 : value;
  return value;
}

const found = (level: DangerLevel, id: string, label: string): Finding => ({
  ...nothingFound,
  level,
  isEmergency: level === 'emergency',
  signs: [{ id, label, kind: 'medical', whose: 'writer' }],
});

/** What a value alone says. A value that no body has, such as a pressure of 0, says nothing. */
export function findingOfReading(
  name: string,
  value: string | number,
  unit: string | null,
  person: DangerFacts & { heightCm?: number | undefined; isGoal?: boolean | undefined },
): Finding {
  const kind = kindNames.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1];
  const numbers =
    String(value)
      .slice(0, 40)
      .match(/\d+(?:[.,]\d+)?/g) ?? [];
  const [first, second] = numbers.map(one => Number(one.replace(',', '.')));
  if (kind === undefined || first === undefined || !(first > 0)) return nothingFound;
  const inUnit = inBaseUnit(kind, first, (unit ?? '').toLowerCase());
  if (person.isGoal) return findingOfGoal(kind, inUnit, person);
  const limit = readingLimits.get(kind)?.find(({ holds }) => holds(inUnit, second));
  return limit ? found(limit.level, limit.id, limit.label) : nothingFound;
}

function findingOfGoal(
  kind: string,
  value: number,
  { heightCm, ageYears }: DangerFacts & { heightCm?: number | undefined },
): Finding {
  const isChild = ageYears !== undefined && ageYears < 16;
  if (kind === 'energy' && value < leastKcal) return found('urgent', 'goal-starvation', 'A goal of too little food');
  if (kind !== 'weight') return nothingFound;
  const index = heightCm === undefined || heightCm < 100 ? undefined : value / (heightCm / 100) ** 2;
  const isTooThin = index === undefined ? !isChild && value < leastWeightKg : index < leastIndex.urgent;
  return isTooThin ? found('urgent', 'goal-underweight', 'A goal of too low a weight') : nothingFound;
}
