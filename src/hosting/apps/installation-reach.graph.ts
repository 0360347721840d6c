import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { InstallationReach } from '../../../schema/hosting/installation.ts';
import { RepositoryConnection } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { forbidden } from '../../errors/errors.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { installationRepositories } from './installation-repositories.queries.ts';

/** The same connection for every alias of the field, so that a page and its links are read once. */
interface InstallationReachRow {
  repositorySelection: 'all' | 'selected';
  repositories: Connection<OwnedRow>;
}

@Resolver(() => InstallationReach)
export class InstallationReachRoots {
  @Access('installation')
  @RestOnly()
  @Query(() => InstallationReach, { description: "Repositories that the request's installation token reaches." })
  installationReach(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context): InstallationReachRow {
    const { actor } = context;
    if (actor.kind !== 'installation') throw forbidden();
    const list = installationRepositories(context, actor);
    return {
      repositorySelection: actor.selection === 'all' ? 'all' : 'selected',
      repositories: new Connection(RepositoryConnection, list, args),
    };
  }

  @FieldResolver(() => RepositoryConnection, { description: 'Repositories, oldest first.' })
  repositories(@Root() { repositories }: InstallationReachRow): Connection<OwnedRow> {
    return repositories;
  }
}
