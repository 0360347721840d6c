import DataLoader from 'dataloader';
import { type RawBuilder, sql } from 'kysely';
import type { ListSource } from './connection.ts';
import type { Read } from './read.ts';
import type { Selection } from './selection.ts';

/** The same part of the lists of many parents. */
export interface BatchedPage {
  limit: number;
  /** One for each parent: a list that is read from its end starts where its own length says. */
  offsets: readonly number[];
  /** The selection of the rows, the same object for the same document. */
  wanted: Selection;
}

/** The lists of many parents: rows and lengths in the order of the keys, each in one statement. */
export interface BatchedSource<Key, Row> {
  rows(keys: readonly Key[], page: BatchedPage): Promise<Row[][]>;
  totals(keys: readonly Key[]): Promise<number[]>;
}

/** Loaders of one list field with one set of arguments in one request. */
interface ListLoaders {
  totals?: DataLoader<unknown, number>;
  /** By limit. */
  rows: Map<Selection, Map<number, DataLoader<PageKey, unknown[], string>>>;
}

interface PageKey {
  key: unknown;
  offset: number;
}

const loadersOf = new WeakMap<object, Map<string, ListLoaders>>();

/**
 * The list of one parent out of a source of the lists of many: connections below a list of parents are one statement for their
 * rows and one for their totals.
 *
 * @param context the request that the loaders belong to
 * @param name names the list among all lists of the graph: «Category.articles»
 * @param args what the lists depend on, apart from the parent and the page: filters and order, as values of JSON
 * @param source depends on `context` and `args` alone: that of the first parent serves all of them
 */
export function batchedList<Key extends number | string, Row>(
  context: object,
  name: string,
  args: object,
  key: Key,
  source: BatchedSource<Key, Row>,
): ListSource<Row> {
  const loaders = listLoaders(context, `${name} ${JSON.stringify(args)}`);
  return {
    rows: ({ limit, offset, wanted }) =>
      rowLoader(loaders, limit, wanted, source).load({ key, offset }) as Promise<Row[]>,
    total() {
      loaders.totals ??= new DataLoader<unknown, number>(keys => source.totals(keys as readonly Key[]));
      return loaders.totals.load(key);
    },
  };
}

function listLoaders(context: object, list: string): ListLoaders {
  const lists = loadersOf.get(context) ?? new Map<string, ListLoaders>();
  loadersOf.set(context, lists);
  const loaders = lists.get(list) ?? { rows: new Map() };
  lists.set(list, loaders);
  return loaders;
}

function rowLoader<Key, Row>(
  { rows }: ListLoaders,
  limit: number,
  wanted: Selection,
  source: BatchedSource<Key, Row>,
): DataLoader<PageKey, unknown[], string> {
  const byLimit = rows.get(wanted) ?? new Map<number, DataLoader<PageKey, unknown[], string>>();
  rows.set(wanted, byLimit);
  let loader = byLimit.get(limit);
  if (!loader) {
    const load = (pages: readonly PageKey[]): Promise<Row[][]> =>
      source.rows(
        pages.map(page => page.key as Key),
        { limit, offsets: pages.map(page => page.offset), wanted },
      );
    loader = new DataLoader(load, { cacheKeyFn: ({ key, offset }) => `${offset} ${key}` });
    byLimit.set(limit, loader);
  }
  return loader;
}

/** Columns that a row of `forEachKey` has beside its own: the place of its key and its place among the rows of the key, from 1. */
interface Placed {
  keyPlace: number;
  rowPlace: number;
}

/**
 * Runs a query for each key within one statement and returns the rows of each, in the order of the keys and of the query.
 * @param type SQL type of the keys: «bigint»
 * @param query a SELECT for the SQL expression `key`; `offset` is that of the key
 * @param offsets one for each key; 0 by default
 */
export async function forEachKey<Row extends object>(
  read: Read,
  keys: readonly (number | string)[],
  type: string,
  query: (key: RawBuilder<unknown>, offset: RawBuilder<unknown>) => RawBuilder<unknown>,
  offsets: readonly number[] = keys.map(() => 0),
): Promise<Row[][]> {
  const [key, ...others] = keys;
  // For one parent the flat statement took half the time of the lateral one: the planner knows the key.
  if (key !== undefined && others.length === 0) {
    return [await read(sql<Row>`${query(sql`${key}::${sql.raw(type)}`, sql`${offsets[0]}::bigint`)}`)];
  }
  const rows = await read(sql<Row & Placed>`
    select batch_item.place::int as "keyPlace", found.* from
    unnest(${[...keys]}::${sql.raw(type)}[], ${[...offsets]}::bigint[]) with ordinality as batch_item (key, skip, place)
    cross join lateral (
      select row_number() over ()::int as "rowPlace", ordered.*
      from (${query(sql.raw('batch_item.key'), sql.raw('batch_item.skip'))}) ordered
    ) found`);
  const byKey: Row[][] = keys.map(() => []);
  for (const row of rows) {
    const ofKey = byKey[row.keyPlace - 1];
    if (ofKey) ofKey[row.rowPlace - 1] = row;
  }
  return byKey;
}

interface BatchedTableQuery {
  /** SQL type of the keys. */
  keyType: string;
  /** Builds the select list for the selected fields. */
  select(wanted: Selection): RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  /** FROM clause of the rows, when it needs joins that the count does not; they must not change the number of rows. */
  readFrom?: RawBuilder<unknown>;
  /** Conditions for the SQL expression `key`, joined by AND. */
  where(key: RawBuilder<unknown>): readonly RawBuilder<unknown>[];
  order: RawBuilder<unknown>;
  /** The opposite of `order`: a deep page of one parent is read from the nearer end of its list. Only where `total` is cheap. */
  reversed?: RawBuilder<unknown>;
  /** A column that identifies a row among those of `within`: pages after the first are chosen by it, and their columns read afterwards. */
  deep?: { key: RawBuilder<unknown>; within(key: RawBuilder<unknown>): readonly RawBuilder<unknown>[] };
  /** Statement for the number of rows (`total`), where it is known without counting them. */
  total?(key: RawBuilder<unknown>): RawBuilder<{ total: number }>;
}

/** Rows that an index skips in some 100 µs: lists skip more of them in another way. To skip 100,000 takes 10 ms. */
export const maxSkipped = 1_000;

/** Lists of many parents out of one query: `tablePage` for each key. */
export function batchedTable<Key extends number | string, Row extends object>(
  read: Read,
  { keyType, select, from, readFrom = from, where, order, reversed, deep, total }: BatchedTableQuery,
): BatchedSource<Key, Row> {
  const condition = (key: RawBuilder<unknown>): RawBuilder<unknown> => sql.join([...where(key)], sql` and `);
  const count = (key: RawBuilder<unknown>): RawBuilder<{ total: number }> =>
    total?.(key) ?? sql`select count(*)::int as total from ${from} where ${condition(key)}`;
  const totals = async (keys: readonly Key[]): Promise<number[]> => {
    const counts = await forEachKey<{ total: number }>(read, keys, keyType, count);
    return counts.map(([found]) => found?.total ?? 0);
  };
  const pages = (
    keys: readonly Key[],
    { limit, offsets, wanted }: BatchedPage,
    ordered: RawBuilder<unknown>,
  ): Promise<Row[][]> =>
    forEachKey<Row>(
      read,
      keys,
      keyType,
      (key, offset) => {
        const page = (columns: RawBuilder<unknown>, source: RawBuilder<unknown>): RawBuilder<unknown> =>
          sql`select ${columns} from ${source} where ${condition(key)} order by ${ordered} limit ${limit} offset ${offset}`;
        if (!deep || offsets.every(one => one === 0)) return page(select(wanted), readFrom);
        const chosen = sql`${deep.key} = any (array(${page(deep.key, from)}))`;
        return sql`select ${select(wanted)} from ${readFrom} where ${sql.join([chosen, ...deep.within(key)], sql` and `)}
          order by ${ordered}`;
      },
      offsets,
    );
  return {
    totals,
    async rows(keys, page) {
      const [offset = 0] = page.offsets;
      if (!reversed || keys.length !== 1 || offset <= maxSkipped) return pages(keys, page, order);
      const [length = 0] = await totals(keys);
      const left = length - offset;
      if (left >= offset) return pages(keys, page, order);
      if (left <= 0) return [[]];
      const size = Math.min(page.limit, left);
      const [rows = []] = await pages(keys, { ...page, limit: size, offsets: [left - size] }, reversed);
      return [rows.reverse()];
    },
  };
}
