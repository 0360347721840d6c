import type { GraphQLResolveInfo } from 'graphql';
import { FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { type PageInfo, type PageType, pageTypes } from '../../schema/vocabulary/page.ts';
import type { Page } from '../db/page.ts';

type ResolverClass = new () => object;

/** The resolvers of `nodes` and `pageInfo` for every page type. */
export const pageResolvers = (): ResolverClass[] => pageTypes.map(pageResolver);

function pageResolver(type: PageType): ResolverClass {
  @Resolver(() => type)
  class PageFields {
    @FieldResolver()
    nodes(@Root() page: Page<object>, @Info() info: GraphQLResolveInfo): Promise<object[]> {
      return page.nodes(info);
    }

    @FieldResolver()
    pageInfo(@Root() page: Page<object>, @Info() info: GraphQLResolveInfo): Promise<PageInfo> {
      return page.pageInfo(info);
    }
  }
  return PageFields;
}
