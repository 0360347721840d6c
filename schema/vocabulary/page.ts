import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { ArgsType, Field, Info, Int, ObjectType } from 'type-graphql';
import { type Selection, selectionOf } from './selection.ts';

/** The most items one page can hold. */
export const largestPage = 100;

/** Which page of a list, and how many items on it. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 20, description: 'Items on a page, 1 to 100.' })
  first!: number;

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1.' })
  page!: number;
}

/** Where a page stands in its list. `total` and what follows from it are there when one of them was selected. */
@ObjectType({ description: 'Where a page stands in its list.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Int, { description: 'Items in the whole list.' })
  total!: number;

  @Field(() => Int, { description: 'Number of this page, from 1.' })
  page!: number;

  @Field(() => Int, { description: 'Items on a full page.' })
  size!: number;

  @Field(() => Int, { description: 'Number of the last page; 1 for an empty list.' })
  last!: number;

  @Field(() => Boolean, { description: 'Whether a page follows this one.' })
  hasNext!: boolean;

  @Field(() => Boolean, { description: 'Whether a page comes before this one.' })
  hasPrevious!: boolean;
}

/** Fields of PageInfo that cost a count. */
const counted = ['total', 'last', 'hasNext'];

/** What a list gives: its rows and, apart from them, its length. Neither is asked of the database until selected. */
export interface PageSource<Row> {
  /** `wanted`: what is selected of the rows; the same object for the same document. */
  rows(slice: { limit: number; offset: number; wanted: Selection }): Promise<Row[]>;
  total(): Promise<number>;
}

/** Refuses rather than clamps: a caller of the graph who asks for 500 and gets 100 would believe to have all of them. */
function within(name: string, value: number, most: number): number {
  if (value >= 1 && value <= most) return value;
  throw new GraphQLError(`${name} must be from 1 to ${most}, not ${value}.`, {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 }, field: name },
  });
}

/** The slice of a list that the arguments stand for, for lists that are no `Page` because nobody counts them. */
export function pageBounds({ first, page }: PageArgs): { skip: number; limit: number } {
  const limit = within('first', first, largestPage);
  return { skip: (within('page', page, 2 ** 31 - 1) - 1) * limit, limit };
}

/** A page as the graph sees it. The subclass made by `pageOf` carries the type of its nodes. */
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

/** A page type. Its rows are of the shape the queries give, which need not be the class of the table. */
type PageClass = new <Row>(source: PageSource<Row>, args: PageArgs) => Page<Row>;

/** Makes the page type of a noun: `ArticlePage { nodes: [Article!]!, pageInfo: PageInfo! }`. */
export function pageOf(name: string, node: () => new () => object, about: string): PageClass {
  @ObjectType(name, { description: about })
  class PageOfNodes<Row> extends Page<Row> {
    @Field(() => [node()], { description: 'The items of this page.' })
    override nodes(@Info() info: GraphQLResolveInfo): Promise<Row[]> {
      return super.nodes(info);
    }

    @Field(() => PageInfo, { description: 'Where this page stands.' })
    override pageInfo(@Info() info: GraphQLResolveInfo): Promise<PageInfo> {
      return super.pageInfo(info);
    }
  }
  return PageOfNodes;
}
