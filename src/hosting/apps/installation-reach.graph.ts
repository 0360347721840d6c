import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { InstallationReach } from '../../../schema/hosting/installation.ts';
import { RepositoryConnection } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import type { InstallationActor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { forbidden } from '../../errors/errors.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { installationRepositories } from './installation-repositories.queries.ts';

interface InstallationReachRow {
  repositorySelection: 'all' | 'selected';
  actor: InstallationActor;
}

@Resolver(() => InstallationReach)
export class InstallationReachRoots {
  @Access('installation')
  @Query(() => InstallationReach, {
    nullable: true,
    description: "Repositories that the request's installation token reaches.",
  })
  installationReach(@Ctx() { actor }: Context): InstallationReachRow {
    if (actor.kind !== 'installation') throw forbidden();
    return { repositorySelection: actor.selection === 'all' ? 'all' : 'selected', actor };
  }

  @FieldResolver(() => RepositoryConnection, { description: 'Repositories, oldest first.' })
  repositories(
    @Root() { actor }: InstallationReachRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<OwnedRow> {
    return new Connection(RepositoryConnection, installationRepositories(context, actor), args);
  }
}
