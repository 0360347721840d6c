import type { GraphQLResolveInfo } from 'graphql';
import type { ConnectionArgs, ConnectionType } from '../../schema/vocabulary/connection.ts';
import { decodeKeyCursor, encodeKeyCursor } from '../../schema/vocabulary/cursor.ts';
import { defaultPageSize, maxPageSize } from '../../schema/vocabulary/page-size.ts';
import { refuse, requireInRange } from './connection.ts';
import { mergeSelections, noSelection, type Selection, selectionOf } from './selection.ts';

/** The requested part of a list in the order of its keys. */
export interface KeysetSlice {
  limit: number;
  /** Only keys behind it: below it in a descending list. */
  after: number | null;
  /** Only keys in front of it. */
  before: number | null;
  /** Whether the page is at the end of that range and not at its start. */
  isBackward: boolean;
}

/** The page with at most one row more, which says that the list goes on; the rows at the requested end come first. */
export interface KeysetSource<Row> {
  rows(slice: { limit: number; offset: number; wanted: Selection }): Promise<Row[]>;
  total(): Promise<number>;
  /** Key of the first row of the page that ends before the row with this key; null for none. Of lists whose pages have cursors. */
  previous?(key: number): Promise<number | null>;
}

/** Cursor of the page that begins with the row of this key; the row may be gone. */
const encodePage = (key: number): string => `v1_${key}`;

function keyOf(argument: 'after' | 'before', cursor: string | null | undefined, list: string): number | null {
  if (!cursor) return null;
  const [, page] = (argument === 'after' && /^v1_(\d{1,15})$/.exec(cursor)) || [];
  if (page !== undefined) return Number(page) + 1;
  return decodeKeyCursor(cursor, list) ?? refuse(argument, 'Invalid cursor');
}

/** @throws GraphQLError BAD_USER_INPUT, status 400, for sizes out of range, foreign cursors and contradicting arguments */
export function keysetSliceOf({ first, after, last, before }: ConnectionArgs, type: ConnectionType): KeysetSlice {
  if (typeof first === 'number' && typeof last === 'number') refuse('last', 'first and last cannot be combined.');
  const isBackward = typeof last === 'number';
  const limit = isBackward
    ? requireInRange('last', last, maxPageSize)
    : requireInRange('first', first ?? defaultPageSize, maxPageSize);
  return {
    limit,
    after: keyOf('after', after, type.typeName),
    before: keyOf('before', before, type.typeName),
    isBackward,
  };
}

interface KeysetPage<Row> {
  rows: Row[];
  /** The row behind the page, in the direction in which it was read. */
  beyond: Row | undefined;
}

/**
 * A connection whose cursors hold the key of a row and no position: a page costs the same wherever it is, and rows that are added in
 * front of it do not move it. Its fields are those of `Connection`.
 */
export class KeysetConnection<Row extends object> {
  readonly #list: string;
  readonly #source: KeysetSource<Row>;
  readonly #slice: KeysetSlice;
  readonly #keyOf: (row: Row) => number;
  #page: Promise<KeysetPage<Row>> | undefined;
  #wanted: Selection | undefined;

  /** @param keyOf the key of a row: a number above zero */
  constructor(type: ConnectionType, source: KeysetSource<Row>, slice: KeysetSlice, keyOf: (row: Row) => number) {
    this.#list = type.typeName;
    this.#source = source;
    this.#slice = slice;
    this.#keyOf = keyOf;
  }

  async nodes(info: GraphQLResolveInfo): Promise<Row[]> {
    return (await this.#load(selectionOf(info))).rows;
  }

  async edges(info: GraphQLResolveInfo): Promise<{ node: Row; cursor: string }[]> {
    const { rows } = await this.#load(selectionOf(info).get('node') ?? noSelection);
    return rows.map(node => ({ node, cursor: encodeKeyCursor(this.#list, this.#keyOf(node)) }));
  }

  totalCount(): Promise<number> {
    return this.#source.total();
  }

  async pageInfo(): Promise<object> {
    const { rows, beyond } = await this.#load(noSelection);
    const goesOn = beyond !== undefined;
    const { isBackward, after, before } = this.#slice;
    const [first, last] = [rows.at(0), rows.at(-1)];
    return {
      hasNextPage: isBackward ? before !== null : goesOn,
      hasPreviousPage: isBackward ? goesOn : after !== null,
      startCursor: first ? encodeKeyCursor(this.#list, this.#keyOf(first)) : null,
      endCursor: last ? encodeKeyCursor(this.#list, this.#keyOf(last)) : null,
    };
  }

  /** Cursor of the next page in descending order; null at the end. */
  async nextCursor(): Promise<string | null> {
    const { beyond } = await this.#load(noSelection);
    const { isBackward, before } = this.#slice;
    if (!isBackward) return beyond ? encodePage(this.#keyOf(beyond)) : null;
    return before === null ? null : encodePage(before);
  }

  /** Cursor of the page of the same size before this one; null at the start. */
  async previousCursor(): Promise<string | null> {
    const { after } = this.#slice;
    // The page may be empty, and a row that was in front of it may be gone.
    const key = after === null ? null : await this.#source.previous?.(after - 1);
    return key == null ? null : encodePage(key);
  }

  /** Reads the page once for all selected fields, a microtask later: see `Connection`. */
  #load(wanted: Selection): Promise<KeysetPage<Row>> {
    this.#wanted = mergeSelections(this.#wanted, wanted);
    this.#page ??= Promise.resolve().then(() => this.#read());
    return this.#page;
  }

  async #read(): Promise<KeysetPage<Row>> {
    const { limit, isBackward } = this.#slice;
    const found = await this.#source.rows({ limit, offset: 0, wanted: this.#wanted ?? noSelection });
    const rows = found.slice(0, limit);
    return { rows: isBackward ? rows.reverse() : rows, beyond: found[limit] };
  }
}
