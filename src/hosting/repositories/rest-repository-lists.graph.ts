import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { RepositoryConnection } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoryFor } from './repositories.queries.ts';
import { RepositoryArgs } from './repository-args.ts';
import {
  OrganizationRepositoriesArgs,
  RepositoryForksArgs,
  UserRepositoriesArgs,
  ViewerRepositoriesArgs,
} from './rest-repository-lists.args.ts';
import {
  forksOfRepository,
  repositoriesOfAccount,
  repositoriesOfOrganization,
  repositoriesOfViewer,
} from './rest-repository-lists.queries.ts';

/** Lists with the filters and orders of REST, which differ from those of the graph. */
@Resolver()
export class RestRepositoryLists {
  @RestOnly()
  @Access('user')
  @Query(() => RepositoryConnection, {
    description:
      "Repositories of the caller, of the caller's organizations, and those the caller collaborates on, by owner and name.",
  })
  viewerRepositories(
    @Args(() => ViewerRepositoriesArgs) args: ViewerRepositoriesArgs,
    @Ctx() context: Context,
  ): Connection<OwnedRow> {
    return new Connection(RepositoryConnection, repositoriesOfViewer(context, args), args);
  }

  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryConnection, {
    nullable: true,
    description: 'Repositories of an account, by name; null when there is none with this login.',
  })
  async accountRepositories(
    @Args(() => UserRepositoriesArgs) args: UserRepositoriesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<OwnedRow> | null> {
    const found = await accountByLogin(context, args.login, noSelection);
    return found && new Connection(RepositoryConnection, repositoriesOfAccount(context, found.databaseId, args), args);
  }

  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryConnection, {
    nullable: true,
    description: 'Repositories of an organization, the newest first; null when there is none with this login.',
  })
  async organizationRepositories(
    @Args(() => OrganizationRepositoriesArgs) args: OrganizationRepositoriesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<OwnedRow> | null> {
    const found = await accountByLogin(context, args.login, noSelection, 'organization');
    if (!found) return null;
    return new Connection(RepositoryConnection, repositoriesOfOrganization(context, found.databaseId, args), args);
  }

  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryConnection, {
    nullable: true,
    description: 'Direct forks of a repository; null when the caller cannot see it.',
  })
  async repositoryForks(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => RepositoryForksArgs) args: RepositoryForksArgs,
    @Ctx() context: Context,
  ): Promise<Connection<OwnedRow> | null> {
    const found = await repositoryFor(context, repository, 'metadata:read');
    if (!found) return null;
    return new Connection(RepositoryConnection, forksOfRepository(context, found.databaseId, args.sort), args);
  }
}
