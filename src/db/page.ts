import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import type { PageArgs, PageInfo } from '../../schema/vocabulary/page.ts';
import { type Selection, selectionOf } from './selection.ts';

/** Maximum page size. */
export const maxPageSize = 100;

/** Fields of PageInfo that need a count. */
const countedFields = ['total', 'last', 'hasNext'];

/** A list: its rows, and separately its length. Neither is read from the database unless selected. */
export interface PageSource<Row> {
  /** `wanted`: the selection of the rows, the same object for the same document. */
  rows(slice: { limit: number; offset: number; wanted: Selection }): Promise<Row[]>;
  total(): Promise<number>;
}

/**
 * An error and no clamping: a caller who asks for 500 items and gets 100 would take them for all.
 * @throws GraphQLError BAD_USER_INPUT, status 400.
 */
function requireInRange(name: string, value: number, max: number): number {
  if (value >= 1 && value <= max) return value;
  throw new GraphQLError(`${name} must be from 1 to ${max}, not ${value}.`, {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 }, field: name },
  });
}

/** Offset and limit of a page, for lists that are not a `Page` because they are not countedFields. */
export function pageBounds({ first, page }: PageArgs): { skip: number; limit: number } {
  const limit = requireInRange('first', first, maxPageSize);
  return { skip: (requireInRange('page', page, 2 ** 31 - 1) - 1) * limit, limit };
}

/** What the fields of a page type are resolved from. */
export class Page<Row> {
  #source: PageSource<Row>;
  #size: number;
  #page: number;

  constructor(source: PageSource<Row>, args: PageArgs) {
    this.#source = source;
    this.#size = requireInRange('first', args.first, maxPageSize);
    this.#page = requireInRange('page', args.page, 2 ** 31 - 1);
  }

  nodes(info: GraphQLResolveInfo): Promise<Row[]> {
    const wanted = selectionOf(info);
    return this.#source.rows({ limit: this.#size, offset: (this.#page - 1) * this.#size, wanted });
  }

  async pageInfo(info: GraphQLResolveInfo): Promise<PageInfo> {
    const wanted = selectionOf(info);
    const [size, page] = [this.#size, this.#page];
    const total = countedFields.some(name => wanted.has(name)) ? await this.#source.total() : 0;
    const last = Math.max(1, Math.ceil(total / size));
    return { total, page, size, last, hasNext: page < last, hasPrevious: page > 1 };
  }
}
