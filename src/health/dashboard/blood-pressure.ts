import type { BloodPressureCategoryCode } from '../../../schema/health/dashboard.ts';

/** Returned with the category, because other schemes differ (ESC 2024 calls 120/70 elevated). */
export const bloodPressureScheme = 'ACC/AHA 2017';

/**
 * From the highest category; the first with a systolic or diastolic value reached applies. «Severe» starts above its
 * thresholds.
 */
const thresholds: [BloodPressureCategoryCode, (systolic: number, diastolic: number) => boolean][] = [
  ['severe', (systolic, diastolic) => systolic > 180 || diastolic > 120],
  ['stage_2', (systolic, diastolic) => systolic >= 140 || diastolic >= 90],
  ['stage_1', (systolic, diastolic) => systolic >= 130 || diastolic >= 80],
  ['elevated', systolic => systolic >= 120],
];

/** Means of the readings with both values, and the number of readings and days. */
export interface MeanBloodPressure {
  systolic: number | null;
  diastolic: number | null;
  readings: number;
  occasions: number;
}

/** Category of a mean blood pressure, or null below the minimum of the scheme: two readings on two occasions. */
export function bloodPressureCategory({
  systolic,
  diastolic,
  readings,
  occasions,
}: MeanBloodPressure): BloodPressureCategoryCode | null {
  if (systolic === null || diastolic === null || readings < 2 || occasions < 2) return null;
  return thresholds.find(([, reached]) => reached(systolic, diastolic))?.[0] ?? 'normal';
}
