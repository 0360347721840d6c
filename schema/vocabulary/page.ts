import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { ArgsType, Field, Info, Int, ObjectType } from 'type-graphql';
import { type Selection, selectionOf } from './selection.ts';

/** Maximum page size. */
export const largestPage = 100;

/** Page number and page size. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 20, description: 'Page size, 1 to 100.' })
  first!: number;

  @Field(() => Int, { defaultValue: 1, description: 'Page number, from 1.' })
  page!: number;
}

/** Position of a page in its list. `total`, `last` and `hasNext` are computed when one of them is selected. */
@ObjectType({ description: 'Position of a page in its list.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Int, { description: 'Number of items in the list.' })
  total!: number;

  @Field(() => Int, { description: 'Page number, from 1.' })
  page!: number;

  @Field(() => Int, { description: 'Page size.' })
  size!: number;

  @Field(() => Int, { description: 'Last page number; 1 for an empty list.' })
  last!: number;

  @Field(() => Boolean, { description: 'Whether there is a next page.' })
  hasNext!: boolean;

  @Field(() => Boolean, { description: 'Whether there is a previous page.' })
  hasPrevious!: boolean;
}

/** Fields of PageInfo that need a count. */
const counted = ['total', 'last', 'hasNext'];

/** A list: its rows, and separately its length. Neither is read from the database unless selected. */
export interface PageSource<Row> {
  /** `wanted`: the selection of the rows, the same object for the same document. */
  rows(slice: { limit: number; offset: number; wanted: Selection }): Promise<Row[]>;
  total(): Promise<number>;
}

/** An error and no clamping: a caller who asks for 500 items and gets 100 would take them for all. */
function within(name: string, value: number, most: number): number {
  if (value >= 1 && value <= most) return value;
  throw new GraphQLError(`${name} must be from 1 to ${most}, not ${value}.`, {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 }, field: name },
  });
}

/** Offset and limit of a page, for lists that are not a `Page` because they are not counted. */
export function pageBounds({ first, page }: PageArgs): { skip: number; limit: number } {
  const limit = within('first', first, largestPage);
  return { skip: (within('page', page, 2 ** 31 - 1) - 1) * limit, limit };
}

/** A page of the graph. The subclass that `pageOf` makes has the type of the nodes. */
export class Page<Row> {
  #source: PageSource<Row>;
  #size: number;
  #page: number;

  constructor(source: PageSource<Row>, args: PageArgs) {
    this.#source = source;
    this.#size = within('first', args.first, largestPage);
    this.#page = within('page', args.page, 2 ** 31 - 1);
  }

  nodes(info: GraphQLResolveInfo): Promise<Row[]> {
    const wanted = selectionOf(info);
    return this.#source.rows({ limit: this.#size, offset: (this.#page - 1) * this.#size, wanted });
  }

  async pageInfo(info: GraphQLResolveInfo): Promise<PageInfo> {
    const wanted = selectionOf(info);
    const [size, page] = [this.#size, this.#page];
    const total = counted.some(name => wanted.has(name)) ? await this.#source.total() : 0;
    const last = Math.max(1, Math.ceil(total / size));
    return { total, page, size, last, hasNext: page < last, hasPrevious: page > 1 };
  }
}

/** Class of a page type. `Row` is the row type of the query. */
type PageClass = new <Row>(source: PageSource<Row>, args: PageArgs) => Page<Row>;

/** Makes the page type of a noun: `ArticlePage { nodes: [Article!]!, pageInfo: PageInfo! }`. */
export function pageOf(name: string, node: () => new () => object, about: string): PageClass {
  @ObjectType(name, { description: about })
  class PageOfNodes<Row> extends Page<Row> {
    @Field(() => [node()], { description: 'Items of the page.' })
    override nodes(@Info() info: GraphQLResolveInfo): Promise<Row[]> {
      return super.nodes(info);
    }

    @Field(() => PageInfo, { description: 'Position of the page in its list.' })
    override pageInfo(@Info() info: GraphQLResolveInfo): Promise<PageInfo> {
      return super.pageInfo(info);
    }
  }
  return PageOfNodes;
}
