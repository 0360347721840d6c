import { type RawBuilder, sql } from 'kysely';
import type { ListSource } from '../../db/connection.ts';
import type { Read } from '../../db/read.ts';
import type { Selection } from '../../db/selection.ts';
import type { ListOrder } from './ordering.ts';

interface TablePageQuery {
  /** Builds the select list for the selected fields. */
  select(wanted: Selection): RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  /** FROM clause of the rows, when it needs joins that the count does not; they must not change the number of rows. */
  readFrom?(wanted: Selection): RawBuilder<unknown>;
  /** Joined by AND. */
  where: readonly RawBuilder<unknown>[];
  order: RawBuilder<unknown>;
  /** How pages after the first are found without reading the rows in front of them. */
  deep?: DeepPages;
  /** Number of rows, where it is known without counting them. */
  total?: RawBuilder<{ total: number }>;
}

export interface DeepPages {
  /** A column that identifies a row among those of `within`: a page is chosen by it, and its columns are read afterwards. */
  key: RawBuilder<unknown>;
  within?: readonly RawBuilder<unknown>[];
  order: ListOrder;
  /** Where to start reading; without it a page is read from the nearer end of the list. */
  landmark?: Landmark;
}

/** A place near an offset of a list that is read in its order, or in the reversed one. */
export interface Landmark {
  isReversed: boolean;
  at(offset: number): {
    /** Common table expressions of the other two. */
    with: RawBuilder<unknown>;
    /** Rows after the place. */
    where: RawBuilder<unknown>;
    /** Offset from the place. */
    offset: RawBuilder<unknown>;
  };
}

/** Rows that an index skips in some 100 µs. To skip 100,000 takes 10 ms. */
const maxSkipped = 1_000;

/** Pages of one query, and their total count, which is a separate statement. */
export function tablePage<Row>(read: Read, query: TablePageQuery): ListSource<Row> {
  const { select, from, readFrom, where, order, deep } = query;
  const condition = sql.join([...where], sql` and `);
  const rowsFrom = (wanted: Selection): RawBuilder<unknown> => readFrom?.(wanted) ?? from;
  let counted: Promise<number> | undefined;
  const total = (): Promise<number> => {
    counted ??= read(
      query.total ?? sql<{ total: number }>`select count(*)::int as total from ${from} where ${condition}`,
    ).then(([found]) => found?.total ?? 0);
    return counted;
  };

  /** The keys of a page: index entries and no rows, if an index has what the conditions need. */
  async function keysOf(
    { key, order: both, landmark }: DeepPages,
    limit: number,
    offset: number,
  ): Promise<RawBuilder<unknown> | null> {
    const keys = (ordered: RawBuilder<unknown>, size: number, skipped: number): RawBuilder<unknown> =>
      sql`select ${key} from ${from} where ${condition} order by ${ordered} limit ${size} offset ${skipped}`;
    if (offset <= maxSkipped) return keys(both, limit, offset);
    const left = (await total()) - offset;
    if (left <= 0) return null;
    const size = Math.min(limit, left);
    const isReversed = landmark?.isReversed ?? left < offset;
    const ordered = isReversed ? both.reversed : both;
    const skipped = isReversed ? left - size : offset;
    if (!landmark || skipped <= maxSkipped) return keys(ordered, size, skipped);
    const start = landmark.at(skipped);
    return sql`${start.with} select ${key} from ${from} where ${condition} and ${start.where}
      order by ${ordered} limit ${size} offset ${start.offset}`;
  }

  return {
    async rows({ limit, offset, wanted }) {
      if (!deep || offset === 0) {
        return read(sql<Row>`select ${select(wanted)} from ${rowsFrom(wanted)} where ${condition}
          order by ${order} limit ${limit} offset ${offset}`);
      }
      const keys = await keysOf(deep, limit, offset);
      if (keys === null) return [];
      // An array and no join: the planner takes a page whose size is a parameter for a tenth of the table.
      const chosen = sql.join([sql`${deep.key} = any (array(${keys}))`, ...(deep.within ?? [])], sql` and `);
      return read(sql<Row>`select ${select(wanted)} from ${rowsFrom(wanted)} where ${chosen} order by ${order}`);
    },
    total,
  };
}
