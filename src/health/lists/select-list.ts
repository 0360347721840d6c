import { type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../../schema/vocabulary/selection.ts';

/** What the graph calls a column → how it is read. */
export type SelectColumns = Readonly<Record<string, RawBuilder<unknown>>>;

/** The select list for what a caller wants, and `always` whatever is wanted: a row brings no column more. */
export function buildSelectList(
  columns: SelectColumns,
  wanted: Selection,
  always: readonly string[],
): RawBuilder<unknown> {
  const names = Object.keys(columns).filter(name => wanted.has(name) || always.includes(name));
  return sql.join(names.map(name => sql`${columns[name]} as ${sql.ref(name)}`));
}
