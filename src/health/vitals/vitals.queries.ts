import { sql } from 'kysely';
import { VitalReading } from '../../../schema/health/vital-reading.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { PageSource } from '../../db/page.ts';
import type { Selection } from '../../db/selection.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type DateRange, withinDateRange } from '../lists/date-range.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';

/** A reading as a query brings it: its id, and of the rest what was selected. */
export type VitalReadingRow = Omit<VitalReading, 'userId'>;

export interface VitalFilter extends DateRange {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}

const vitalSelectList = columnsOf(VitalReading, 'v', { always: ['id'] });

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
  return read(sql<VitalReadingRow>`select ${vitalSelectList('all')} from vital_reading v
    where v.user_id = ${userId} order by v.measured_at desc, v.id desc`);
}
