import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Account, User } from '../../../schema/hosting/account.ts';
import { RepositoryCollaboratorConnection } from '../../../schema/hosting/collaborator.ts';
import { Repository, RepositoryConnection, StarredRepositoryConnection } from '../../../schema/hosting/repository.ts';
import { RepositoryTopicConnection } from '../../../schema/hosting/repository-topic.ts';
import { StargazerConnection } from '../../../schema/hosting/starrable.ts';
import { UserConnection } from '../../../schema/hosting/user-connection.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from './repositories.queries.ts';
import {
  CollaboratorsArgs,
  filterOf,
  OwnedRepositoriesArgs,
  presentOnly,
  RepositoryListArgs,
  StargazersArgs,
  StarredRepositoriesArgs,
} from './repository-lists.args.ts';
import { forksOf, repositoriesOfOwners, type StarredRow, starredBy, watchedBy } from './repository-lists.queries.ts';
import { collaboratorsOf, stargazersOf, watchersOf } from './repository-people.queries.ts';
import { writeRole } from './repository-user-access.queries.ts';

@Resolver(() => Account)
export class OwnerRepositories {
  @Access('metadata:read')
  @FieldResolver(() => RepositoryConnection, { description: 'Repositories of the account that you can see, by name.' })
  repositories(
    @Root() { databaseId }: AccountRow,
    @Args(() => OwnedRepositoriesArgs) args: OwnedRepositoriesArgs,
    @Ctx() context: Context,
  ): Connection<OwnedRow> {
    const filter = filterOf(args);
    const ownerAffiliations = presentOnly(args.ownerAffiliations ?? (['owner', 'collaborator'] as const));
    const source = repositoriesOfOwners(context, ownerAffiliations, filter);
    const list = { ...filter, ownerAffiliations };
    return new Connection(
      RepositoryConnection,
      batchedList(context, 'RepositoryOwner.repositories', list, databaseId, source),
      args,
    );
  }
}

/** The stars of an account. */
export function starsOf(
  context: Context,
  accountId: number,
  { orderBy, ownedByViewer, ...page }: StarredRepositoriesArgs,
): Connection<StarredRow> {
  const { field, direction } = orderBy ?? ({ field: 'starred_at', direction: 'desc' } as const);
  const filter = { field, direction, ownedByCaller: ownedByViewer === true };
  const list = batchedList(context, 'User.starredRepositories', filter, accountId, starredBy(context, filter));
  return new Connection(StarredRepositoryConnection, list, page);
}

@Resolver(() => User)
export class UserRepositories {
  @FieldResolver(() => StarredRepositoryConnection, {
    description: 'Repositories that the user starred and you can see, the newest star first.',
  })
  starredRepositories(
    @Root() { databaseId }: AccountRow,
    @Args(() => StarredRepositoriesArgs) args: StarredRepositoriesArgs,
    @Ctx() context: Context,
  ): Connection<StarredRow> {
    return starsOf(context, databaseId, args);
  }

  @FieldResolver(() => RepositoryConnection, {
    description: 'Repositories that the user watches and you can see, by name.',
  })
  watching(
    @Root() { databaseId }: AccountRow,
    @Args(() => RepositoryListArgs) args: RepositoryListArgs,
    @Ctx() context: Context,
  ): Connection<OwnedRow> {
    const filter = filterOf(args);
    return new Connection(
      RepositoryConnection,
      batchedList(context, 'User.watching', filter, databaseId, watchedBy(context, filter)),
      args,
    );
  }
}

@Resolver(() => Repository)
export class RepositoryLists {
  @FieldResolver(() => RepositoryConnection, { description: 'Direct forks that you can see, newest first.' })
  forks(
    @Root() { databaseId }: OwnedRow,
    @Args(() => RepositoryListArgs) args: RepositoryListArgs,
    @Ctx() context: Context,
  ): Connection<OwnedRow> {
    const filter = filterOf(args);
    return new Connection(
      RepositoryConnection,
      batchedList(context, 'Repository.forks', filter, databaseId, forksOf(context, filter)),
      args,
    );
  }

  @FieldResolver(() => StargazerConnection, { description: 'Users who starred the repository, the newest star first.' })
  stargazers(
    @Root() { databaseId }: OwnedRow,
    @Args(() => StargazersArgs) args: StargazersArgs,
    @Ctx() context: Context,
  ): Connection<AccountRow> {
    const direction = args.orderBy?.direction ?? 'desc';
    return new Connection(
      StargazerConnection,
      batchedList(context, 'Repository.stargazers', { direction }, databaseId, stargazersOf(context, direction)),
      args,
    );
  }

  @FieldResolver(() => UserConnection, { description: 'Users who watch the repository, the first watcher first.' })
  watchers(
    @Root() { databaseId }: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AccountRow> {
    return new Connection(
      UserConnection,
      batchedList(context, 'Repository.watchers', {}, databaseId, watchersOf(context)),
      args,
    );
  }

  @FieldResolver(() => RepositoryCollaboratorConnection, {
    nullable: true,
    description: 'Collaborators by login; null unless you can push.',
  })
  collaborators(
    @Root() { databaseId, collaborators: role }: OwnedRow,
    @Args(() => CollaboratorsArgs) { affiliation, leastPermission, login, query, ...page }: CollaboratorsArgs,
    @Ctx() context: Context,
  ): Connection<AccountRow> | null {
    if (role < writeRole) return null;
    const filter = { affiliation: affiliation ?? 'all', login, query, atLeast: leastPermission };
    return new Connection(
      RepositoryCollaboratorConnection,
      batchedList(context, 'Repository.collaborators', filter, databaseId, collaboratorsOf(context, filter)),
      page,
    );
  }

  @Cost(0)
  @FieldResolver(() => RepositoryTopicConnection, { description: 'Topics, in their order.' })
  repositoryTopics(
    @Root() { repositoryTopics: names }: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
  ): Connection<object> {
    const source = {
      rows: async ({ limit, offset }: { limit: number; offset: number }) =>
        names.slice(offset, offset + limit).map(name => ({ topic: { name } })),
      total: async () => names.length,
    };
    return new Connection(RepositoryTopicConnection, source, args);
  }
}
