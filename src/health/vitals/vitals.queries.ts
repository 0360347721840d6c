import { sql } from 'kysely';
import type { PageSource } from '../../../schema/vocabulary/page.ts';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { cachedSelectList } from '../lists/cached-select-list.ts';
import { type DateRange, withinDateRange } from '../lists/date-range.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';

/** A reading as a query brings it: its id, and of the rest what was selected. */
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

export interface VitalFilter extends DateRange {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
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

const ordering: OrderingOptions = {
  names: { measured_at: 'v.measured_at', created_at: 'v.created_at' },
  key: 'v.id',
  byDefault: '-measured_at',
};

/** What one person measured. `ordering` and `search` have the grammar of the published API. */
export function vitalsMatching(context: Context, userId: number, filter: VitalFilter): PageSource<VitalReadingRow> {
  const conditions = [sql`v.user_id = ${userId}`, ...withinDateRange('v.measured_at', userId, filter)];
  conditions.push(...containsTerms(sql`v.notes`, filter.search));
  return tablePage(context.read, {
    select: vitalSelectList,
    from: sql`vital_reading v`,
    where: conditions,
    order: orderBy(filter.ordering, ordering),
  });
}

/** What is wanted of one reading of a person, or null when there is none. */
export async function vitalsById(
  context: Context,
  userId: number,
  id: number,
  wanted: Selection,
): Promise<VitalReadingRow | null> {
  const [found] = await context.read(sql<VitalReadingRow>`select ${vitalSelectList(wanted)} from vital_reading v
    where v.id = ${id} and v.user_id = ${userId}`);
  return found ?? null;
}

/** Everything a person measured, the newest first. */
export function allVitals({ read }: Pick<Context, 'read'>, userId: number): Promise<VitalReadingRow[]> {
  const all = Object.entries(columns).map(([name, column]) => `${column} as "${name}"`);
  return read(sql<VitalReadingRow>`select v.id, ${sql.raw(all.join(', '))} from vital_reading v
    where v.user_id = ${userId} order by v.measured_at desc, v.id desc`);
}
