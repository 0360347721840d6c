import type { GraphQLResolveInfo } from 'graphql';
import type { ConnectionArgs, ConnectionType } from '../../schema/vocabulary/connection.ts';
import { decodeCursor, encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { defaultPageSize, maxPageSize } from '../../schema/vocabulary/page-size.ts';
import { badInput } from '../errors/errors.ts';
import type { JsonField, JsonItems } from './json-columns.ts';
import { mergeSelections, noSelection, type Selection, selectionOf } from './selection.ts';

/** Fields of PageInfo that need the rows of the page. */
const rowFields = ['hasNextPage', 'startCursor', 'endCursor'];

/** Length of a list that is too long to count. */
export const uncounted = Number.POSITIVE_INFINITY;

/** Rows as JSON, the length of the list, and its anchor if it has one. */
interface PrintedPage extends JsonItems {
  asOf?: string;
}

/** A list: its rows, and separately its length. Neither is read from the database unless selected. */
export interface ListSource<Row> {
  /** `wanted`: the selection of the rows, the same object for the same document. */
  rows(slice: { limit: number; offset: number; wanted: Selection }): Promise<Row[]>;
  total(): Promise<number>;
  /** Rows and total in one statement, the rows as JSON. Undefined if they cannot be read so; then nothing is read. */
  json?(slice: { limit: number; offset: number; fields: readonly JsonField[] }): Promise<PrintedPage> | undefined;
  /** `total` may be `uncounted`. */
  readonly mayBeUncounted?: true;
  /** Anchor of the list: with it as an argument, later pages are taken from the list as it is now, whatever is added meanwhile. */
  asOf?(): string | Promise<string>;
}

export function refuse(argument: string, message: string): never {
  throw badInput(message, argument);
}

/** The requested part of a list; without `offset` the last items. */
interface Slice {
  limit: number;
  offset: number | undefined;
}

interface LoadedPage<Row> {
  /** Empty if the page was read as JSON. */
  rows: Row[];
  /** Number of items. */
  size: number;
  offset: number;
  hasNextPage: boolean;
}

/**
 * An error and no clamping: a caller who asks for 500 items and gets 100 would take them for all.
 * @throws GraphQLError BAD_USER_INPUT, status 400.
 */
export function requireInRange(name: string, value: number, max: number): number {
  return value >= 1 && value <= max ? value : refuse(name, `${name} must be from 1 to ${max}, not ${value}.`);
}

function positionOf(argument: 'after' | 'before', cursor: string, list: string): number {
  return decodeCursor(cursor, list) ?? refuse(argument, `${argument} is no cursor of this list.`);
}

/** @throws GraphQLError BAD_USER_INPUT, status 400, for sizes out of range, foreign cursors and contradicting arguments */
export function sliceOf({ first, after, last, before }: ConnectionArgs, list: string, maxSize = maxPageSize): Slice {
  const from = after ? positionOf('after', after, list) : 0;
  const to = before ? positionOf('before', before, list) - 1 : undefined;
  if (typeof last !== 'number') {
    const size = requireInRange('first', first ?? defaultPageSize, maxSize);
    return { limit: to === undefined ? size : Math.max(0, Math.min(size, to - from)), offset: from };
  }
  if (typeof first === 'number') refuse('last', 'first and last cannot be combined.');
  const size = requireInRange('last', last, maxSize);
  if (to !== undefined) {
    const offset = Math.max(from, to - size);
    return { limit: Math.max(0, to - offset), offset };
  }
  if (after) refuse('last', 'last can be combined with before, not with after.');
  return { limit: size, offset: undefined };
}

/** A short list that is read as a whole, once. */
export function listed<Row>(read: () => Promise<readonly Row[]>): ListSource<Row> {
  let rows: Promise<readonly Row[]> | undefined;
  const all = (): Promise<readonly Row[]> => {
    rows ??= read();
    return rows;
  };
  return {
    rows: async ({ limit, offset }) => (await all()).slice(offset, offset + limit),
    total: async () => (await all()).length,
  };
}

/** What the fields of a connection type are resolved from. */
export class Connection<Row> {
  readonly #list: string;
  readonly #edgeFields: readonly string[];
  readonly #nodeWithin: ConnectionType['nodeWithin'];
  readonly #source: ListSource<Row>;
  readonly #slice: Slice;
  #page: Promise<LoadedPage<Row>> | undefined;
  #wanted: Selection | undefined;
  #needsNext = false;
  #total: Promise<number> | undefined;
  #json: Promise<PrintedPage> | undefined;

  /** @throws GraphQLError BAD_USER_INPUT for arguments that name no page */
  constructor(type: ConnectionType, source: ListSource<Row>, args: ConnectionArgs) {
    this.#list = type.typeName;
    this.#edgeFields = type.edgeFields;
    this.#nodeWithin = type.nodeWithin;
    this.#source = source;
    this.#slice = sliceOf(args, type.typeName, type.maxPageSize);
  }

  async nodes(info: GraphQLResolveInfo): Promise<Row[]> {
    return (await this.#load(selectionOf(info))).rows;
  }

  async edges(info: GraphQLResolveInfo): Promise<{ node: Row; cursor: string }[]> {
    const wanted = selectionOf(info);
    const [field = '', inner = ''] = this.#nodeWithin ?? [];
    const node = mergeSelections(wanted.get('node'), wanted.get(field)?.get(inner) ?? noSelection);
    const { rows, offset } = await this.#load(node);
    return rows.map((node, index) => {
      const edge = { node, cursor: encodeCursor(this.#list, offset + index + 1) };
      for (const name of this.#edgeFields) Object.assign(edge, { [name]: node[name as keyof Row] });
      return edge;
    });
  }

  /** The nodes as the text of a JSON array; undefined if they must be read as rows. Call it in the turn of the other fields. */
  nodesAsJson(fields: readonly JsonField[]): Promise<string> | undefined {
    const { limit, offset } = this.#slice;
    if (offset === undefined || limit === 0) return undefined;
    this.#json = this.#source.json?.({ limit, offset, fields });
    return this.#json?.then(({ items }) => items);
  }

  totalCount(): Promise<number> {
    this.#total ??= this.#readTotal();
    return this.#total;
  }

  /** After the rows have been asked for, if they are: a source may learn the number of items with them. */
  async #readTotal(): Promise<number> {
    const read = await this.#readAsJson();
    return read ? read.total : this.#source.total();
  }

  async #readAnchor(): Promise<string | null> {
    return (await this.#readAsJson())?.asOf ?? (await this.#source.asOf?.()) ?? null;
  }

  /** What was read with the nodes as JSON, once it is known whether they are. */
  async #readAsJson(): Promise<PrintedPage | undefined> {
    await Promise.resolve();
    await Promise.resolve();
    return this.#json;
  }

  async pageInfo(info: GraphQLResolveInfo): Promise<object> {
    const wanted = selectionOf(info);
    if (wanted.has('hasNextPage')) this.#needsNext = true;
    const loaded = rowFields.some(name => wanted.has(name)) ? await this.#load(noSelection) : undefined;
    const { limit, offset: start = 0 } = this.#slice;
    const isAtEnd = this.#slice.offset === undefined && wanted.has('hasPreviousPage');
    const offset = loaded?.offset ?? (isAtEnd ? Math.max(0, (await this.totalCount()) - limit) : start);
    const size = loaded?.size ?? 0;
    return {
      asOf: wanted.has('asOf') ? await this.#readAnchor() : null,
      hasNextPage: loaded?.hasNextPage ?? false,
      hasPreviousPage: offset > 0,
      startCursor: size === 0 ? null : encodeCursor(this.#list, offset + 1),
      endCursor: size === 0 ? null : encodeCursor(this.#list, offset + size),
    };
  }

  /**
   * Reads the page once for all selected fields. The executors resolve the fields of an object in one turn, so a microtask later
   * it is known what all of them need.
   */
  #load(wanted: Selection): Promise<LoadedPage<Row>> {
    this.#wanted = mergeSelections(this.#wanted, wanted);
    this.#page ??= Promise.resolve().then(() => this.#read());
    return this.#page;
  }

  /** One row more tells whether there is a next page, unless the number of items is read anyway. */
  async #read(): Promise<LoadedPage<Row>> {
    const { limit } = this.#slice;
    const wanted = this.#wanted ?? noSelection;
    const offset = this.#slice.offset ?? Math.max(0, (await this.totalCount()) - limit);
    if (this.#json) {
      const { total } = await this.#json;
      const size = Math.max(0, Math.min(limit, total - offset));
      return { rows: [], size, offset, hasNextPage: offset + limit < total };
    }
    if (offset === uncounted) refuse('last', 'The list is too long to be read from its end.');
    const readsNext = this.#needsNext && (this.#total === undefined || this.#source.mayBeUncounted === true);
    const rows = limit === 0 ? [] : await this.#source.rows({ limit: readsNext ? limit + 1 : limit, offset, wanted });
    const hasNextPage = readsNext ? rows.length > limit : offset + limit < ((await this.#total) ?? 0);
    const page = rows.length > limit ? rows.slice(0, limit) : rows;
    return { rows: page, size: page.length, offset, hasNextPage };
  }
}
