import type { BloodPressureCategoryCode } from '../../../schema/health/dashboard.ts';

/** Other schemes draw other lines (ESC 2024 calls 120/70 elevated), so the answer names its own. */
export const bloodPressureScheme = 'ACC/AHA 2017';

/** From the highest: the first whose systolic or diastolic line is reached. «Severe» begins above its lines, not at them. */
const thresholds: [BloodPressureCategoryCode, (systolic: number, diastolic: number) => boolean][] = [
  ['severe', (systolic, diastolic) => systolic > 180 || diastolic > 120],
  ['stage_2', (systolic, diastolic) => systolic >= 140 || diastolic >= 90],
  ['stage_1', (systolic, diastolic) => systolic >= 130 || diastolic >= 80],
  ['elevated', systolic => systolic >= 120],
];

/** Blood pressures with both values: their means, how many there are, and on how many days. */
export interface MeanBloodPressure {
  systolic: number | null;
  diastolic: number | null;
  readings: number;
  occasions: number;
}

/** The category of a mean blood pressure, or null where the scheme asks for more: two readings on two occasions. */
export function bloodPressureCategory({
  systolic,
  diastolic,
  readings,
  occasions,
}: MeanBloodPressure): BloodPressureCategoryCode | null {
  if (systolic === null || diastolic === null || readings < 2 || occasions < 2) return null;
  return thresholds.find(([, reached]) => reached(systolic, diastolic))?.[0] ?? 'normal';
}
