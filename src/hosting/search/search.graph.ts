import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { SearchPage, SearchResultItemConnection, SearchSort, SearchType } from '../../../schema/hosting/search.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
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
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<Found> {
    return new Connection<Found>(SearchResultItemConnection, sourceOf(context, { query, type }), args);
  }

  @Access('metadata:read')
  @Cost(10)
  @RestOnly()
  @Query(() => SearchPage, { description: 'Objects that match a query and that the caller can see, in an order.' })
  searchPage(
    @Arg('query', () => String, { description: 'Words and qualifiers, as of `search`.' }) query: string,
    @Arg('type', () => SearchType, { description: 'Type of the objects.' }) type: SearchType,
    @Arg('sort', () => SearchSort, { nullable: true, description: 'Order; by name when absent.' })
    sort: SearchSort | null | undefined,
    @Arg('direction', () => OrderDirection, {
      defaultValue: OrderDirection.DESC,
      description: 'Direction of the order.',
    })
    direction: OrderDirection,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): SearchPageRow {
    const source = sourceOf(context, { query, type, sort, direction });
    return { isIncomplete: false, results: new Connection<Found>(SearchResultItemConnection, source, args) };
  }
}

/** The same connection for every alias of the field, so that a page and its links are read once. */
interface SearchPageRow {
  isIncomplete: boolean;
  results: Connection<Found>;
}

@Resolver(() => SearchPage)
export class SearchPageFields {
  @FieldResolver(() => SearchResultItemConnection, { description: 'Results.' })
  results(@Root() { results }: SearchPageRow): Connection<Found> {
    return results;
  }
}

@Resolver(() => SearchResultItemConnection)
export class SearchCounts {
  @FieldResolver(() => Int, { description: 'Number of repositories that match.' })
  repositoryCount(@Root() results: Connection<FoundRepository>): Promise<number> {
    return results.totalCount();
  }
}
