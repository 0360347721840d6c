import { type RawBuilder, sql } from 'kysely';
import type { PageSource } from '../../db/page.ts';
import type { Read } from '../../db/read.ts';
import type { Selection } from '../../db/selection.ts';

interface TablePageQuery {
  /** The select list for what a caller wants. */
  select(wanted: Selection): RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  /** Where rows are read from, if they want more than they are counted in: joins that add and take away none. */
  readFrom?(wanted: Selection): RawBuilder<unknown>;
  /** All of them hold. */
  where: readonly RawBuilder<unknown>[];
  order: RawBuilder<unknown>;
}

/** The pages of what one statement selects, and apart from them its length. */
export function tablePage<Row>(read: Read, { select, from, readFrom, where, order }: TablePageQuery): PageSource<Row> {
  const condition = sql.join([...where], sql` and `);
  return {
    rows: ({ limit, offset, wanted }) =>
      read(sql<Row>`select ${select(wanted)} from ${readFrom?.(wanted) ?? from} where ${condition}
        order by ${order} limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total from ${from} where ${condition}`);
      return found?.total ?? 0;
    },
  };
}
