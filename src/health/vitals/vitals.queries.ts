import { cachedSelectList } from '../lists/cached-select-list.ts';
import type { OrderingOptions } from '../lists/ordering.ts';
import { OwnedRecords } from '../records/owned-records.ts';

/** Selected columns of a reading; `id` is always present. */
export interface VitalReadingRow {
  id: number;
  systolicBp: number | null;
  diastolicBp: number | null;
  heartRate: number | null;
  temperatureC: string | null;
  oxygenSaturation: number | null;
  bloodGlucose: string | null;
  weightKg: string | null;
  steps: number | null;
  notes: string;
  measuredAt: string;
  createdAt: string;
}

const columns = {
  systolicBp: 'v.systolic_bp',
  diastolicBp: 'v.diastolic_bp',
  heartRate: 'v.heart_rate',
  temperatureC: 'v.temperature_c',
  oxygenSaturation: 'v.oxygen_saturation',
  bloodGlucose: 'v.blood_glucose',
  weightKg: 'v.weight_kg',
  steps: 'v.steps',
  notes: 'v.notes',
  measuredAt: 'v.measured_at',
  createdAt: 'v.created_at',
} as const satisfies Record<Exclude<keyof VitalReadingRow, 'id'>, string>;

const vitalSelectList = cachedSelectList('v.id', columns);

export const vitalOrdering: OrderingOptions = {
  names: { measured_at: 'v.measured_at', created_at: 'v.created_at' },
  key: 'v.id',
  byDefault: '-measured_at',
};

/** The vital readings of users. */
export const vitals = new OwnedRecords<VitalReadingRow>({
  name: 'vital_reading',
  alias: 'v',
  columns,
  selectList: vitalSelectList,
  searchText: 'v.notes',
  ordering: vitalOrdering,
  time: 'v.measured_at',
});
