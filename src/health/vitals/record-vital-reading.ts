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
export const integerRanges = {
  systolicBp: { column: 'systolic_bp', min: 50, max: 300, unit: 'mmHg' },
  diastolicBp: { column: 'diastolic_bp', min: 20, max: 200, unit: 'mmHg' },
  heartRate: { column: 'heart_rate', min: 20, max: 250, unit: 'beats per minute' },
  oxygenSaturation: { column: 'oxygen_saturation', min: 50, max: 100, unit: '%' },
  stepCount: { column: 'steps', min: 0, max: 200_000, unit: 'steps' },
} as const;
export const decimalRanges = {
  temperatureC: { column: 'temperature_c', maxDigits: 4, maxDecimalPlaces: 2, min: 30, max: 45, unit: '°C' },
  bloodGlucose: { column: 'blood_glucose', maxDigits: 5, maxDecimalPlaces: 2, min: 20, max: 800, unit: 'mg/dL' },
  weightKg: { column: 'weight_kg', maxDigits: 5, maxDecimalPlaces: 2, min: 1, max: 500, unit: 'kg' },
} as const;

export const notesLimits = { maxLength: 1000 };

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
  const notes = checks.text('notes', reading.notes ?? '', notesLimits);
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

const entriesOf = <T extends object>(object: T): [keyof T & string, T[keyof T]][] =>
  Object.entries(object) as [keyof T & string, T[keyof T]][];

function validateValues(reading: NewVitalReading, checks: InputChecks): [column: string, value: number | string][] {
  const values: [string, number | string][] = [];
  for (const [name, range] of entriesOf(integerRanges)) {
    const value = reading[name];
    if (value === null || value === undefined) continue;
    checkRange(checks, name, value, range);
    values.push([range.column, value]);
  }
  for (const [name, range] of entriesOf(decimalRanges)) {
    const value = checkDecimal(checks, name, reading[name], range);
    if (value !== null && value !== undefined) values.push([range.column, value]);
  }
  const { systolicBp: upper, diastolicBp: lower } = reading;
  if (typeof upper === 'number' && typeof lower === 'number' && lower >= upper)
    checks.add('diastolicBp', 'Ensure the diastolic pressure is below the systolic pressure.');
  return values;
}
