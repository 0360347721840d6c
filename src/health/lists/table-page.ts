import { type RawBuilder, sql } from 'kysely';
import { maxSkipped } from '../../db/batched-list.ts';
import type { ListSource } from '../../db/connection.ts';
import { itemsAsJson, type JsonField, type JsonItems } from '../../db/json-columns.ts';
import type { Read } from '../../db/read.ts';
import { noSelection, type Selection } from '../../db/selection.ts';
import type { ListOrder } from './ordering.ts';

interface TablePageQuery {
  /** Common table expressions of the other parts: `with …`. A page and its total that are read together evaluate them once. */
  with?: RawBuilder<unknown>;
  /** Builds the select list for the selected fields. */
  select(wanted: Selection): RawBuilder<unknown>;
  /** The list for rows that are read as JSON: see `SelectList.json`. Not with a `readFrom` that depends on the selection. */
  selectJson?(fields: readonly JsonField[]): RawBuilder<unknown> | undefined;
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
  /** Whether the first page is found by its keys as well: where more rows than a page are sorted. */
  isSorted?: true;
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

/** Pages of one query, and their total count: a statement each, or one for a page as JSON. */
export function tablePage<Row>(read: Read, query: TablePageQuery): ListSource<Row> {
  const { select, from, readFrom, where, order, deep } = query;
  const condition = sql.join([...where], sql` and `);
  const rowsFrom = (wanted: Selection): RawBuilder<unknown> => readFrom?.(wanted) ?? from;
  const totalStatement =
    query.total ?? sql<{ total: number }>`select count(*)::int as total from ${from} where ${condition}`;
  const withClause = query.with ?? sql.raw('');
  let counted: Promise<number> | undefined;
  const total = (): Promise<number> => {
    counted ??= read(sql<{ total: number }>`${withClause} ${totalStatement}`).then(([found]) => found?.total ?? 0);
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

  /** The statement of a page's rows; null for a page beyond the end. */
  async function pageOf(
    list: RawBuilder<unknown>,
    source: RawBuilder<unknown>,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<RawBuilder<Row> | null> {
    if (!deep || (offset === 0 && !deep.isSorted)) {
      return sql<Row>`select ${list} from ${source} where ${condition} order by ${order} limit ${limit} offset ${offset}`;
    }
    const keys = await keysOf(deep, limit, offset);
    if (keys === null) return null;
    // An array and no join: the planner takes a page whose size is a parameter for a tenth of the table.
    const chosen = sql.join([sql`${deep.key} = any (array(${keys}))`, ...(deep.within ?? [])], sql` and `);
    return sql<Row>`select ${list} from ${source} where ${chosen} order by ${order}`;
  }

  /** One statement unless the page is deep: a second one costs as much CPU time as the JSON of a page. */
  async function itemsOf(list: RawBuilder<unknown>, slice: { limit: number; offset: number }): Promise<JsonItems> {
    const page = await pageOf(list, rowsFrom(noSelection), slice);
    if (page === null) return { items: '[]', total: await total() };
    const length = counted ? sql`${await counted}::int` : sql`(select total from (${totalStatement}) counted)`;
    const [found] = await read(sql<JsonItems>`${withClause} select ${length} as total,
      (select ${sql.raw(itemsAsJson)}::text from (${page}) item) as items`);
    return found ?? { items: '[]', total: 0 };
  }

  return {
    async rows({ limit, offset, wanted }) {
      const page = await pageOf(select(wanted), rowsFrom(wanted), { limit, offset });
      return page === null ? [] : read(sql<Row>`${withClause} ${page}`);
    },
    total,
    json({ fields, ...slice }) {
      const list = query.selectJson?.(fields);
      return list && itemsOf(list, slice);
    },
  };
}
