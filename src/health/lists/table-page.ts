import { type RawBuilder, sql } from 'kysely';
import { maxSkipped } from '../../db/batched-list.ts';
import type { ListSource } from '../../db/connection.ts';
import { itemsAsJson, type JsonField, type JsonItems } from '../../db/json-columns.ts';
import type { Read } from '../../db/read.ts';
import { noSelection, type Selection } from '../../db/selection.ts';
import type { ListOrder } from './ordering.ts';

/** The rows of a list and their order. */
export interface OrderedRows {
  /** Common table expressions of the other parts: `with …`. A page and its total that are read together evaluate them once. */
  with?: RawBuilder<unknown>;
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
  /** SQL expression of the greatest number of a row, which a page as JSON is read with. */
  newest?: RawBuilder<unknown>;
}

/** A list whose rows are read as a caller selects them. */
export interface TablePageQuery extends OrderedRows {
  /** Builds the select list for the selected fields. */
  select(wanted: Selection): RawBuilder<unknown>;
  /** The list for rows that are read as JSON: see `SelectList.json`. Not with a `readFrom` that depends on the selection. */
  selectJson?(fields: readonly JsonField[]): RawBuilder<unknown> | undefined;
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

/** A page of rows. Its numbers may be the placeholders of a compiled statement. */
interface PageSlice {
  limit: number;
  offset: number;
}

/** Rows in the order of the list, the ones in front of the page skipped one by one. */
function directPage<Row>(
  { where, order }: OrderedRows,
  list: RawBuilder<unknown>,
  source: RawBuilder<unknown>,
  { limit, offset }: PageSlice,
): RawBuilder<Row> {
  return sql<Row>`select ${list} from ${source} where ${allOf(where)} order by ${order} limit ${limit} offset ${offset}`;
}

/** The rows of a page whose keys are chosen by a subquery. */
function pageOfKeys<Row>(
  { order }: OrderedRows,
  deep: DeepPages,
  list: RawBuilder<unknown>,
  source: RawBuilder<unknown>,
  keys: RawBuilder<unknown>,
): RawBuilder<Row> {
  // An array and no join: the planner takes a page whose size is a parameter for a tenth of the table.
  const chosen = allOf([sql`${deep.key} = any (array(${keys}))`, ...(deep.within ?? [])]);
  return sql<Row>`select ${list} from ${source} where ${chosen} order by ${order}`;
}

/** The keys of a page: index entries and no rows, if an index has what the conditions need. */
const keysOfPage = (
  { from, where }: OrderedRows,
  { key }: DeepPages,
  order: RawBuilder<unknown>,
  { limit, offset }: PageSlice,
): RawBuilder<unknown> =>
  sql`select ${key} from ${from} where ${allOf(where)} order by ${order} limit ${limit} offset ${offset}`;

const allOf = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join([...conditions], sql` and `);

/** How the keys of a page are found; undefined if its rows are read in the order of the list. */
const keyedPages = ({ deep }: OrderedRows, isFirst: boolean): DeepPages | undefined =>
  isFirst && !deep?.isSorted ? undefined : deep;

const totalOf = ({ total, from, where }: OrderedRows): RawBuilder<{ total: number }> =>
  total ?? sql<{ total: number }>`select count(*)::int as total from ${from} where ${allOf(where)}`;

/** One statement for a page as JSON and the number of rows: a second one costs as much CPU time as the JSON of a page. */
const pageWithTotal = (
  withClause: RawBuilder<unknown>,
  page: RawBuilder<unknown>,
  total: RawBuilder<unknown>,
  newest: RawBuilder<unknown> | undefined,
): RawBuilder<JsonItems> =>
  sql<JsonItems>`${withClause} select ${total} as total, ${newest ? sql`${newest} as newest, ` : sql``}(select ${sql.raw(itemsAsJson)}::text from (${page}) item) as items`;

/**
 * The statement of a page near the start of the list as JSON, for `compiledStatement`.
 * @param isFirst whether it is the first page
 */
export function nearPageAsJson(
  query: OrderedRows,
  list: RawBuilder<unknown>,
  slice: PageSlice,
  isFirst: boolean,
): RawBuilder<JsonItems> {
  const source = query.readFrom?.(noSelection) ?? query.from;
  const keyed = keyedPages(query, isFirst);
  const page = keyed
    ? pageOfKeys(query, keyed, list, source, keysOfPage(query, keyed, keyed.order, slice))
    : directPage(query, list, source, slice);
  return pageWithTotal(
    query.with ?? sql.raw(''),
    page,
    sql`(select total from (${totalOf(query)}) counted)`,
    query.newest,
  );
}

/** The number of rows, and the greatest number of a row where the query has it. */
type Counted = Omit<JsonItems, 'items'>;

/** Pages of one query, and their total count: a statement each, or one for a page as JSON. */
export function tablePage<Row>(
  read: Read,
  query: TablePageQuery,
): ListSource<Row> & { newest(): Promise<number | undefined> } {
  const { select, from, readFrom } = query;
  const rowsFrom = (wanted: Selection): RawBuilder<unknown> => readFrom?.(wanted) ?? from;
  const withClause = query.with ?? sql.raw('');
  let counted: Promise<Counted> | undefined;
  const count = (): Promise<Counted> => {
    const newest = query.newest ? sql`, ${query.newest} as newest` : sql``;
    counted ??= read(sql<Counted>`${withClause} select counted.total${newest} from (${totalOf(query)}) counted`).then(
      ([found]) => found ?? { total: 0 },
    );
    return counted;
  };
  const total = async (): Promise<number> => (await count()).total;

  async function keysOf(pages: DeepPages, { limit, offset }: PageSlice): Promise<RawBuilder<unknown> | null> {
    const { key, order: both, landmark } = pages;
    if (offset <= maxSkipped) return keysOfPage(query, pages, both, { limit, offset });
    const left = (await total()) - offset;
    if (left <= 0) return null;
    const size = Math.min(limit, left);
    const isNearEnd = left - size <= maxSkipped;
    const isReversed = isNearEnd || (landmark?.isReversed ?? left < offset);
    const ordered = isReversed ? both.reversed : both;
    const skipped = isReversed ? left - size : offset;
    if (!landmark || skipped <= maxSkipped) return keysOfPage(query, pages, ordered, { limit: size, offset: skipped });
    const start = landmark.at(skipped);
    return sql`${start.with} select ${key} from ${from} where ${allOf(query.where)} and ${start.where}
      order by ${ordered} limit ${size} offset ${start.offset}`;
  }

  /** The statement of a page's rows; null for a page beyond the end. */
  async function pageOf(
    list: RawBuilder<unknown>,
    source: RawBuilder<unknown>,
    slice: PageSlice,
  ): Promise<RawBuilder<Row> | null> {
    const keyed = keyedPages(query, slice.offset === 0);
    if (!keyed) return directPage(query, list, source, slice);
    const keys = await keysOf(keyed, slice);
    return keys && pageOfKeys(query, keyed, list, source, keys);
  }

  async function itemsOf(list: RawBuilder<unknown>, slice: PageSlice): Promise<JsonItems> {
    const page = await pageOf(list, rowsFrom(noSelection), slice);
    if (page === null) return { items: '[]', total: await total() };
    const length = counted ? sql`${await total()}::int` : sql`(select total from (${totalOf(query)}) counted)`;
    const [found] = await read(pageWithTotal(withClause, page, length, query.newest));
    return found ?? { items: '[]', total: 0 };
  }

  return {
    async rows({ limit, offset, wanted }) {
      const page = await pageOf(select(wanted), rowsFrom(wanted), { limit, offset });
      return page === null ? [] : read(sql<Row>`${withClause} ${page}`);
    },
    total,
    newest: async () => (await count()).newest,
    json({ fields, ...slice }) {
      const list = query.selectJson?.(fields);
      return list && itemsOf(list, slice);
    },
  };
}
