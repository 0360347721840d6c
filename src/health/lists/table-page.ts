import { type RawBuilder, sql } from 'kysely';
import type { ListSource } from '../../db/connection.ts';
import type { Read } from '../../db/read.ts';
import type { Selection } from '../../db/selection.ts';

interface TablePageQuery {
  /** Builds the select list for the selected fields. */
  select(wanted: Selection): RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  /** FROM clause of the rows, when it needs joins that the count does not; they must not change the number of rows. */
  readFrom?(wanted: Selection): RawBuilder<unknown>;
  /** Joined by AND. */
  where: readonly RawBuilder<unknown>[];
  order: RawBuilder<unknown>;
}

/** Pages of one query, and their total count, which is a separate statement. */
export function tablePage<Row>(read: Read, { select, from, readFrom, where, order }: TablePageQuery): ListSource<Row> {
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
