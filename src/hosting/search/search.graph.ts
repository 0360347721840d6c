import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import {
  SearchResultItem,
  SearchResultItemConnection,
  SearchResults,
  SearchSort,
  SearchType,
} from '../../../schema/hosting/search.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import type { Context } from '../../context/context.ts';
import { Connection, type ListSource } from '../../db/connection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { foundAccounts } from './account-search.queries.ts';
import { parseAccountSearch } from './parse-account-search.ts';
import { parseRepositorySearch, repositoryOrders } from './parse-repository-search.ts';
import { type FoundRepository, foundRepositories } from './search.queries.ts';

type Found = FoundRepository | AccountRow;

const nothing: ListSource<never> = { rows: async () => [], total: async () => 0 };

interface SearchRequest {
  query: string;
  type: SearchType;
  sort?: SearchSort | null | undefined;
  direction?: OrderDirection;
}

const accountOrders = { followers: 'followers', repositories: 'repositories', joined: 'joined' } as const;

/** The order of a request; undefined without one, and for a sort of the searches for other objects. */
function orderOf<Field>(
  fields: Partial<Record<SearchSort, Field>>,
  { sort, direction = OrderDirection.DESC }: SearchRequest,
): { field: Field; direction: OrderDirection } | undefined {
  const field = sort ? fields[sort] : undefined;
  return field && { field, direction };
}

/** @throws GraphQLError BAD_USER_INPUT for a query that cannot be read */
function sourceOf(context: Context, request: SearchRequest): ListSource<Found> {
  const { query, type } = request;
  if (type === SearchType.REPOSITORY) {
    const search = parseRepositorySearch(query);
    const order = orderOf(repositoryOrders, request);
    return foundRepositories(context, order ? { ...search, order } : search);
  }
  if (type === SearchType.USER) {
    return foundAccounts(context, parseAccountSearch(query), orderOf(accountOrders, request));
  }
  return nothing;
}

@Resolver()
export class SearchRoots {
  @Access('metadata:read')
  @Cost(10)
  @Query(() => SearchResultItemConnection, {
    nullable: true,
    description: 'Objects that match a query and that you can see.',
  })
  search(
    @Arg('query', () => String, {
      description:
        'Words and qualifiers. Of repositories: user, org, topic, language, fork, archived, template, is, in and sort. Of users: user, org, type and in.',
    })
    query: string,
    @Arg('type', () => SearchType, { description: 'Type of the objects.' }) type: SearchType,
    @Arg('sort', () => SearchSort, {
      nullable: true,
      description: 'Order, in place of that of the query; by name when neither has one.',
    })
    sort: SearchSort | null | undefined,
    @Arg('direction', () => OrderDirection, {
      defaultValue: OrderDirection.DESC,
      description: 'Direction of `sort`.',
    })
    direction: OrderDirection,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<Found> {
    const source = sourceOf(context, { query, type, sort, direction });
    return new Connection<Found>(SearchResultItemConnection, source, args);
  }
}

@Resolver(() => SearchResultItemConnection)
export class SearchCounts {
  @FieldResolver(() => Int, { description: 'Number of repositories that match.' })
  repositoryCount(@Root() results: Connection<FoundRepository>): Promise<number> {
    return results.totalCount();
  }

  @FieldResolver(() => SearchResults, { description: 'Page as one object, for documents that nest it.' })
  results(@Root() results: Connection<Found>): Connection<Found> {
    return results;
  }
}

@Resolver(() => SearchResults)
export class SearchResultFields {
  @FieldResolver(() => Int, { description: 'Number of objects that match.' })
  totalCount(@Root() results: Connection<Found>): Promise<number> {
    return results.totalCount();
  }

  @FieldResolver(() => [SearchResultItem], { description: 'Objects of the page.' })
  items(@Root() results: Connection<Found>, @Info() info: GraphQLResolveInfo): Promise<Found[]> {
    return results.nodes(info);
  }
}
