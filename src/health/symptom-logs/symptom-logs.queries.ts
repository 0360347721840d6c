import { sql } from 'kysely';
import { SymptomLog } from '../../../schema/health/symptom-log.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { PageSource } from '../../db/page.ts';
import type { Selection } from '../../db/selection.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type DateRange, withinDateRange } from '../lists/date-range.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';

/** An entry as a query brings it: its id, and of the rest what was selected. */
export type SymptomLogRow = Omit<SymptomLog, 'userId'>;

export interface SymptomLogFilter extends DateRange {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}

const symptomLogSelectList = columnsOf(SymptomLog, 's', { always: ['id'] });

const ordering: OrderingOptions = {
  names: { logged_at: 's.logged_at', severity: 's.severity', symptom_name: 'lower(s.symptom_name)' },
  key: 's.id',
  byDefault: '-logged_at',
};

/** What one person noted down. `ordering` and `search` have the grammar of the published API. */
export function symptomLogsMatching(
  context: Context,
  userId: number,
  filter: SymptomLogFilter,
): PageSource<SymptomLogRow> {
  const conditions = [sql`s.user_id = ${userId}`, ...withinDateRange('s.logged_at', userId, filter)];
  const text = sql`s.symptom_name || chr(31) || s.body_location || chr(31) || s.description`;
  conditions.push(...containsTerms(text, filter.search));
  return tablePage(context.read, {
    select: symptomLogSelectList,
    from: sql`symptom_log s`,
    where: conditions,
    order: orderBy(filter.ordering, ordering),
  });
}

/** What is wanted of one entry of a person, or null when there is none. */
export async function symptomLogById(
  context: Context,
  userId: number,
  id: number,
  wanted: Selection,
): Promise<SymptomLogRow | null> {
  const [found] = await context.read(sql<SymptomLogRow>`select ${symptomLogSelectList(wanted)} from symptom_log s
    where s.id = ${id} and s.user_id = ${userId}`);
  return found ?? null;
}

/** Everything a person noted down, the newest first. */
export function allSymptomLogs({ read }: Pick<Context, 'read'>, userId: number): Promise<SymptomLogRow[]> {
  return read(sql<SymptomLogRow>`select ${symptomLogSelectList('all')} from symptom_log s
    where s.user_id = ${userId} order by s.logged_at desc, s.id desc`);
}
