import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { EntryCommit, RepositoryContent, RepositoryLocation } from '../../../schema/hosting/content.ts';
import { CommitHistoryConnection } from '../../../schema/hosting/git-object.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import type { GitObjectRow } from '../git-data/git-objects.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import {
  contentAt,
  entryCommitsAt,
  highlightedAt,
  historyAt,
  locateInRepository,
  type RepositoryLocationRow,
  readmeAt,
} from './repository-location.ts';

@Resolver(() => Repository)
export class LocationInRepository {
  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => RepositoryLocation, {
    nullable: true,
    description: 'Place that the URL of a page names, such as `main/docs`.',
  })
  location(
    @Root() row: OwnedRow,
    @Arg('refAndPath', () => String, {
      defaultValue: '',
      description: 'Ref and path, separated by a slash; the root at the default branch when absent.',
    })
    refAndPath: string,
    @Ctx() context: Context,
  ): Promise<RepositoryLocationRow | null> {
    return locateInRepository(context, row, refAndPath);
  }
}

@Resolver(() => RepositoryLocation)
export class RepositoryLocationFields {
  @FieldResolver(() => Repository, { description: 'Repository that the place is in.' })
  repository(
    @Root() { row }: RepositoryLocationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesByIds, selectionOf(info)).load(row.databaseId);
  }

  @Cost(100)
  @FieldResolver(() => RepositoryContent, {
    nullable: true,
    description: 'Directory or file; null for the root of an empty repository.',
  })
  content(@Root() location: RepositoryLocationRow, @Ctx() context: Context) {
    return contentAt(context, location);
  }

  @Cost(100)
  @FieldResolver(() => RepositoryContent, {
    nullable: true,
    description: 'Rendered readme of the directory; null when it has none.',
  })
  readme(@Root() location: RepositoryLocationRow, @Ctx() context: Context) {
    return readmeAt(context, location);
  }

  @Cost(100)
  @FieldResolver(() => [String], {
    nullable: true,
    description: 'Lines of the file as HTML with classes of highlight.js; null where they are not highlighted.',
  })
  highlightedLines(@Root() location: RepositoryLocationRow, @Ctx() context: Context) {
    return highlightedAt(context, location);
  }

  @Cost(100)
  @FieldResolver(() => [EntryCommit], {
    nullable: true,
    description:
      'Newest commits that changed the entries of the directory; without those that are long ago. Null for an empty repository.',
  })
  entryCommits(@Root() location: RepositoryLocationRow, @Ctx() context: Context) {
    return entryCommitsAt(context, location);
  }

  @Cost(100)
  @FieldResolver(() => CommitHistoryConnection, {
    nullable: true,
    description: 'Commits that changed what is at the place, newest first; null for an empty repository.',
  })
  async history(
    @Root() location: RepositoryLocationRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<GitObjectRow> | null> {
    const source = await historyAt(context, location);
    return source && new Connection(CommitHistoryConnection, source, args);
  }
}
