import type { Context } from '../../context/context.ts';
import { invalidInput, wholeInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { setMissingStartValues } from '../goals/set-start-values.ts';
import { checkDecimal, checkRange } from '../input/decimal-checks.ts';
import { InputChecks } from '../input/input-checks.ts';
import { checkEventTime } from '../lists/event-time.ts';
import { vitals } from './vitals.queries.ts';

/** A new vital reading; `measuredAt` defaults to now. */
export interface NewVitalReading {
  systolicBp?: number | null;
  diastolicBp?: number | null;
  heartRate?: number | null;
  temperatureC?: string | null;
  oxygenSaturation?: number | null;
  bloodGlucose?: string | null;
  weightKg?: string | null;
  stepCount?: number | null;
  notes?: string | null;
  measuredAt?: Date | null;
}

/**
 * Plausible ranges of a living person; other values are typing errors or another unit. They are wide on purpose: what meters for use at
 * home display, and not what is healthy. 98.6 °F and 5.5 mmol/L are outside of them.
 */
const integerRanges = {
  systolic_bp: ['systolicBp', 50, 300, 'mmHg'],
  diastolic_bp: ['diastolicBp', 20, 200, 'mmHg'],
  heart_rate: ['heartRate', 20, 250, 'beats per minute'],
  oxygen_saturation: ['oxygenSaturation', 50, 100, '%'],
  steps: ['stepCount', 0, 200_000, 'steps'],
} as const;
const decimalRanges = {
  temperature_c: ['temperatureC', 4, 30, 45, '°C'],
  blood_glucose: ['bloodGlucose', 5, 20, 800, 'mg/dL'],
  weight_kg: ['weightKg', 5, 1, 500, 'kg'],
} as const;

/**
 * Records a vital reading of the caller and returns its id.
 * @throws field errors
 */
export async function recordVitalReading(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  reading: NewVitalReading,
): Promise<number> {
  const { userId } = requirePerson(context.actor);
  const now = context.now();
  const checks = new InputChecks();
  const values = validateValues(reading, checks);
  const notes = checks.text('notes', reading.notes ?? '', { maxLength: 1000, allowBlank: true });
  const at = checkEventTime(checks, 'measuredAt', reading.measuredAt, now);
  checks.assertPassed();
  if (values.length === 0) throw invalidInput({ [wholeInput]: ['Provide at least one measurement.'] });
  return context.transaction(async db => {
    const id = await vitals.insert(db, {
      user_id: userId,
      notes,
      measured_at: at,
      created_at: now.toISOString(),
      ...Object.fromEntries(values),
    });
    await setMissingStartValues(db, userId, now);
    return id;
  });
}

function validateValues(reading: NewVitalReading, checks: InputChecks): [column: string, value: number | string][] {
  const values: [string, number | string][] = [];
  for (const [column, [name, min, max, unit]] of Object.entries(integerRanges)) {
    const value = reading[name];
    if (value === null || value === undefined) continue;
    checkRange(checks, name, value, { min, max, unit });
    values.push([column, value]);
  }
  for (const [column, [name, maxDigits, min, max, unit]] of Object.entries(decimalRanges)) {
    const value = checkDecimal(checks, name, reading[name], { maxDigits, maxDecimalPlaces: 2, min, max, unit });
    if (value !== null && value !== undefined) values.push([column, value]);
  }
  const { systolicBp: upper, diastolicBp: lower } = reading;
  if (typeof upper === 'number' && typeof lower === 'number' && lower >= upper)
    checks.add('diastolicBp', 'Ensure the diastolic pressure is below the systolic pressure.');
  return values;
}
