import { ArgsType, Field, Int, ObjectType } from 'type-graphql';

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

/** Class of a page type. Its fields are resolved by `src/server/page-resolvers.ts`. */
export type PageType = new () => object;

const types: PageType[] = [];

/** All page types that have been declared. */
export const pageTypes: readonly PageType[] = types;

/** Declares the page type of a noun: `ArticlePage { nodes: [Article!]!, pageInfo: PageInfo! }`. */
export function pageOf(name: string, node: () => new () => object, about: string): PageType {
  @ObjectType(name, { description: about })
  class PageOfNodes {
    @Field(() => [node()], { description: 'Items of the page.' })
    nodes!: object[];

    @Field(() => PageInfo, { description: 'Position of the page in its list.' })
    pageInfo!: PageInfo;
  }
  types.push(PageOfNodes);
  return PageOfNodes;
}
