import { type RawBuilder, sql } from 'kysely';
import type { ListSource } from '../../db/connection.ts';
import type { JsonField, JsonItems } from '../../db/json-columns.ts';
import type { Read } from '../../db/read.ts';
import type { Selection } from '../../db/selection.ts';

interface TablePageQuery {
  /** Builds the select list for the selected fields. */
  select(wanted: Selection): RawBuilder<unknown>;
  /** The list for rows that are read as JSON: see `SelectList.json`. */
  selectJson?(fields: readonly JsonField[]): RawBuilder<unknown> | undefined;
  from: RawBuilder<unknown>;
  /** FROM clause of the rows, when it needs joins that the count does not; they must not change the number of rows. */
  readFrom?(wanted: Selection): RawBuilder<unknown>;
  /** Joined by AND. */
  where: readonly RawBuilder<unknown>[];
  order: RawBuilder<unknown>;
}

/** Pages of one query, and their total count, which is a separate statement. */
export function tablePage<Row>(
  read: Read,
  { select, selectJson, from, readFrom, where, order }: TablePageQuery,
): ListSource<Row> {
  const condition = sql.join([...where], sql` and `);
  return {
    rows: ({ limit, offset, wanted }) =>
      read(sql<Row>`select ${select(wanted)} from ${readFrom?.(wanted) ?? from} where ${condition}
        order by ${order} limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total from ${from} where ${condition}`);
      return found?.total ?? 0;
    },
    json({ limit, offset, fields }) {
      const list = selectJson?.(fields);
      return list && readItems(read, list, { from, condition, order, limit, offset });
    },
  };
}

/** One statement: a second one costs as much CPU time as the JSON of a page. */
async function readItems(
  read: Read,
  list: RawBuilder<unknown>,
  page: {
    from: RawBuilder<unknown>;
    condition: RawBuilder<unknown>;
    order: RawBuilder<unknown>;
    limit: number;
    offset: number;
  },
): Promise<JsonItems> {
  const { from, condition, order, limit, offset } = page;
  const [found] = await read(sql<JsonItems>`select (select count(*)::int from ${from} where ${condition}) as total,
    (select coalesce(array_to_json(array_agg(row_to_json(item))), '[]')::text from (
      select ${list} from ${from} where ${condition} order by ${order} limit ${limit} offset ${offset}) item) as items`);
  return found ?? { items: '[]', total: 0 };
}
