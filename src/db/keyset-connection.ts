import type { GraphQLResolveInfo } from 'graphql';
import type { ConnectionArgs, ConnectionType } from '../../schema/vocabulary/connection.ts';
import { defaultPageSize, maxPageSize } from '../../schema/vocabulary/page-size.ts';
import { refuse, requireInRange } from './connection.ts';
import { mergeSelections, noSelection, type Selection, selectionOf } from './selection.ts';

/** The requested part of a list in descending order of its keys. */
export interface KeysetSlice {
  limit: number;
  /** Only keys below it. */
  after: number | null;
  /** Only keys above it. */
  before: number | null;
  /** Whether the page is at the end of that range and not at its start. */
  isBackward: boolean;
}

/** The page with at most one row more, which says that the list goes on; the rows at the requested end come first. */
export interface KeysetSource<Row> {
  rows(slice: { limit: number; offset: number; wanted: Selection }): Promise<Row[]>;
  total(): Promise<number>;
}

const encodeKey = (list: string, key: number): string => Buffer.from(`${list}@${key}`, 'utf8').toString('base64url');

function keyOf(argument: 'after' | 'before', cursor: string | null | undefined, list: string): number | null {
  if (!cursor) return null;
  const [, name, key] = /^(\w+)@([1-9]\d{0,14})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (name !== list || key === undefined) return refuse(argument, `${argument} is no cursor of this list.`);
  return Number(key);
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

/**
 * A connection whose cursors hold the key of a row and no position: a page costs the same wherever it is, and rows that are added in
 * front of it do not move it. Its fields are those of `Connection`.
 */
export class KeysetConnection<Row extends object> {
  readonly #list: string;
  readonly #source: KeysetSource<Row>;
  readonly #slice: KeysetSlice;
  readonly #keyOf: (row: Row) => number;
  #page: Promise<{ rows: Row[]; goesOn: boolean }> | undefined;
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
    return rows.map(node => ({ node, cursor: encodeKey(this.#list, this.#keyOf(node)) }));
  }

  totalCount(): Promise<number> {
    return this.#source.total();
  }

  async pageInfo(): Promise<object> {
    const { rows, goesOn } = await this.#load(noSelection);
    const { isBackward, after, before } = this.#slice;
    const [first, last] = [rows.at(0), rows.at(-1)];
    return {
      hasNextPage: isBackward ? before !== null : goesOn,
      hasPreviousPage: isBackward ? goesOn : after !== null,
      startCursor: first ? encodeKey(this.#list, this.#keyOf(first)) : null,
      endCursor: last ? encodeKey(this.#list, this.#keyOf(last)) : null,
    };
  }

  /** Reads the page once for all selected fields, a microtask later: see `Connection`. */
  #load(wanted: Selection): Promise<{ rows: Row[]; goesOn: boolean }> {
    this.#wanted = mergeSelections(this.#wanted, wanted);
    this.#page ??= Promise.resolve().then(() => this.#read());
    return this.#page;
  }

  async #read(): Promise<{ rows: Row[]; goesOn: boolean }> {
    const { limit, isBackward } = this.#slice;
    const found = await this.#source.rows({ limit, offset: 0, wanted: this.#wanted ?? noSelection });
    const rows = found.slice(0, limit);
    return { rows: isBackward ? rows.reverse() : rows, goesOn: found.length > limit };
  }
}
