import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { SelectList } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { countTallied, type TalliedList } from '../../db/list-tallies.ts';
import type { Selection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type DateRange, withinDateRange } from '../lists/date-range.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy, requestedOrdering } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';

/** A table whose rows belong to one user each, and how they are listed. All SQL texts are constants. */
export interface OwnedTable {
  name: string;
  /** Alias of the table in the SQL texts below. */
  alias: string;
  selectList: SelectList<void>;
  /** Text that `search` covers. */
  searchText: string;
  ordering: OrderingOptions;
  /** The lists whose rows together are those of a user: their number is kept. */
  tallies: readonly TalliedList[];
  /** Timestamp that `from` and `to` refer to. */
  time?: string;
  /** Deleting sets `deleted_at`; only the data export still returns the row. */
  softDelete?: true;
  /** FROM clause for `wanted` when computed fields need more than the table, else undefined. `now` is ISO 8601. */
  source?(userId: number, now: string, wanted: Selection): RawBuilder<unknown> | undefined;
}

export type RecordFilter = ListFilter & DateRange;

type Reading = Pick<Context, 'now' | 'read'>;

/** Reads, inserts and deletes the rows of one table, each for its owner only. */
export class OwnedRecords<Row extends { id: number }> {
  readonly #table: OwnedTable;
  readonly #allFields: Selection;

  constructor(table: OwnedTable) {
    this.#table = table;
    this.#allFields = new Map(table.selectList.names.map(name => [name, new Map()]));
  }

  /** Pages of the caller's records. */
  page(
    context: Reading & Pick<Context, 'actor'>,
    filter: RecordFilter,
    /** Further conditions, and the lists that have these rows alone. */
    narrowed?: { conditions: readonly RawBuilder<unknown>[]; tallies: readonly TalliedList[] },
  ): ListSource<Row> {
    const { alias, selectList, searchText, ordering, time } = this.#table;
    const { userId } = requirePerson(context.actor);
    const order = orderBy(requestedOrdering(filter), ordering);
    const isWhole = !filter.search && !filter.from && !filter.to;
    return tablePage(context.read, {
      select: selectList,
      from: this.#from(),
      readFrom: wanted => this.#source(context, userId, wanted),
      where: [
        this.#ownedBy(userId),
        ...(time === undefined ? [] : withinDateRange(time, userId, filter)),
        ...(narrowed?.conditions ?? []),
        ...containsTerms(sql.raw(searchText), filter.search),
      ],
      order,
      deep: { key: sql.ref(`${alias}.id`), order },
      ...(isWhole ? { total: countTallied(narrowed?.tallies ?? this.#table.tallies, sql`${userId}`) } : {}),
    });
  }

  /** The selected fields of one of the caller's records, or null. */
  async find(context: Reading & Pick<Context, 'actor'>, id: number, wanted: Selection): Promise<Row | null> {
    const [found] = await this.#readWhere(context, sql`= ${id}`, wanted);
    return found ?? null;
  }

  /** The selected fields of the caller's records with these ids, in their order; null for the other ids. */
  async findMany(
    context: Reading & Pick<Context, 'actor'>,
    ids: readonly number[],
    wanted: Selection,
  ): Promise<(Row | null)[]> {
    const found = await this.#readWhere(context, sql`= any(${[...ids]}::bigint[])`, wanted);
    const byId = new Map(found.map(row => [row.id, row]));
    return ids.map(id => byId.get(id) ?? null);
  }

  /**
   * The same after a change.
   * @throws notFound when a concurrent request has deleted the record since
   */
  async get(context: Reading & Pick<Context, 'actor'>, id: number, wanted: Selection): Promise<Row> {
    const found = await this.find(context, id, wanted);
    if (!found) throw notFound();
    return found;
  }

  /** All records of a user in the default order, for the data export; soft-deleted ones too. */
  all(context: Reading, userId: number): Promise<Row[]> {
    const { alias, ordering, selectList } = this.#table;
    return context.read(sql<Row>`select ${selectList(this.#allFields)}
      from ${this.#source(context, userId, this.#allFields)} where ${sql.raw(alias)}.user_id = ${userId}
      order by ${orderBy(null, ordering)}`);
  }

  /** Inserts a record and returns its id. `values`: column → value. */
  async insert(db: Kysely<unknown>, values: Readonly<Record<string, unknown>>): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      insert into ${sql.table(this.#table.name)} (${sql.join(Object.keys(values).map(column => sql.ref(column)))})
      values (${sql.join(Object.values(values))}) returning id`.execute(db);
    return Number(rows[0]?.id);
  }

  /**
   * Deletes one of the caller's records, permanently unless `softDelete` is set.
   * @throws notFound
   */
  async delete(context: Pick<Context, 'actor' | 'now' | 'transaction'>, id: number): Promise<void> {
    const { alias, softDelete } = this.#table;
    const { userId } = requirePerson(context.actor);
    const at = context.now().toISOString();
    const change = softDelete
      ? sql`update ${this.#from()} set deleted_at = ${at}, updated_at = ${at}`
      : sql`delete from ${this.#from()}`;
    const deleted = await context.transaction(db =>
      sql`${change} where ${sql.raw(alias)}.id = ${id} and ${this.#ownedBy(userId)} returning id`.execute(db),
    );
    if (deleted.rows.length === 0) throw notFound();
  }

  #readWhere(
    context: Reading & Pick<Context, 'actor'>,
    idCondition: RawBuilder<unknown>,
    wanted: Selection,
  ): Promise<Row[]> {
    const { alias, selectList } = this.#table;
    const { userId } = requirePerson(context.actor);
    return context.read(sql<Row>`select ${selectList(wanted)} from ${this.#source(context, userId, wanted)}
      where ${sql.raw(alias)}.id ${idCondition} and ${this.#ownedBy(userId)}`);
  }

  #from(): RawBuilder<unknown> {
    return sql.raw(`${this.#table.name} ${this.#table.alias}`);
  }

  #source({ now }: Reading, userId: number, wanted: Selection): RawBuilder<unknown> {
    return this.#table.source?.(userId, now().toISOString(), wanted) ?? this.#from();
  }

  #ownedBy(userId: number): RawBuilder<unknown> {
    const { alias, softDelete } = this.#table;
    return sql`${sql.raw(alias)}.user_id = ${userId}${sql.raw(softDelete ? ` and ${alias}.deleted_at is null` : '')}`;
  }
}
