import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { SearchResultItemConnection, SearchType } from '../../../schema/hosting/search.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection, type ListSource } from '../../db/connection.ts';
import { parseRepositorySearch } from './parse-repository-search.ts';
import { type FoundRepository, foundRepositories } from './search.queries.ts';

const nothing: ListSource<never> = { rows: async () => [], total: async () => 0 };

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
      description: 'Words, and the qualifiers user, org, topic, language, fork, archived, template, is, in and sort.',
    })
    query: string,
    @Arg('type', () => SearchType, { description: 'Type of the objects.' }) type: SearchType,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<FoundRepository> {
    const isSearched = type === SearchType.REPOSITORY;
    const source = isSearched ? foundRepositories(context, parseRepositorySearch(query)) : nothing;
    return new Connection<FoundRepository>(SearchResultItemConnection, source, args);
  }
}

@Resolver(() => SearchResultItemConnection)
export class SearchCounts {
  @FieldResolver(() => Int, { description: 'Number of repositories that match.' })
  repositoryCount(@Root() results: Connection<FoundRepository>): Promise<number> {
    return results.totalCount();
  }
}
