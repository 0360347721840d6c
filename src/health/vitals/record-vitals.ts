import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { invalidInput } from '../../errors/errors.ts';
import { checkBounds, checkExactNumber } from '../../errors/exact-number.ts';
import { personOf } from '../accounts/person.ts';
import { fillStartValues } from '../goals/start-values.ts';
import { happenedAt } from '../lists/moments.ts';

/** A reading as it is recorded: measured now, unless it says when. */
export interface NewVitals {
  systolicBp?: number | null;
  diastolicBp?: number | null;
  heartRate?: number | null;
  temperatureC?: string | null;
  oxygenSaturation?: number | null;
  bloodGlucose?: string | null;
  weightKg?: string | null;
  steps?: number | null;
  notes?: string | null;
  measuredAt?: Date | null;
}

/** What a living person can have, with room: anything beyond is a slip of the finger or another unit. */
const whole = {
  systolic_bp: ['systolicBp', 50, 300],
  diastolic_bp: ['diastolicBp', 20, 200],
  heart_rate: ['heartRate', 20, 250],
  oxygen_saturation: ['oxygenSaturation', 50, 100],
  steps: ['steps', 0, 200_000],
} as const;
const exact = {
  temperature_c: ['temperatureC', 4, 30, 45],
  blood_glucose: ['bloodGlucose', 5, 20, 800],
  weight_kg: ['weightKg', 5, 1, 500],
} as const;

/** Records a reading of the caller and returns its number. Throws field errors. */
export async function recordVitals(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  reading: NewVitals,
): Promise<number> {
  const { userId } = personOf(context.actor);
  const now = context.now();
  const checks = new Checks();
  const values = checkedValues(reading, checks);
  const notes = checks.text('notes', reading.notes ?? '', { most: 1000, blank: true });
  const at = happenedAt(checks, 'measured_at', reading.measuredAt, now);
  checks.done();
  if (values.length === 0) throw invalidInput({ non_field_errors: ['Provide at least one measurement.'] });
  return context.transaction(async db => {
    const made = await sql<{ id: number }>`
      insert into vital_reading (user_id, notes, measured_at, created_at, ${sql.join(values.map(([name]) => sql.ref(name)))})
      values (${userId}, ${notes}, ${at}, ${now.toISOString()}, ${sql.join(values.map(([, value]) => value))})
      returning id`.execute(db);
    await fillStartValues(db, userId, now);
    return Number(made.rows[0]?.id);
  });
}

function checkedValues(reading: NewVitals, checks: Checks): [column: string, value: number | string][] {
  const values: [string, number | string][] = [];
  for (const [column, [name, least, most]] of Object.entries(whole)) {
    const value = reading[name];
    if (value === null || value === undefined) continue;
    checkBounds(checks, column, value, least, most);
    values.push([column, value]);
  }
  for (const [column, [name, digits, least, most]] of Object.entries(exact)) {
    const value = checkExactNumber(checks, column, reading[name], { digits, places: 2, least, most });
    if (value !== null && value !== undefined) values.push([column, value]);
  }
  const { systolicBp: upper, diastolicBp: lower } = reading;
  if (typeof upper === 'number' && typeof lower === 'number' && lower >= upper)
    checks.add('diastolic_bp', 'Ensure the diastolic pressure is below the systolic pressure.');
  return values;
}
