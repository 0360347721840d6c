import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { InstallationConnection } from '../../../schema/hosting/installation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { callingUser } from '../accounts/caller.ts';
import type { InstallationRow } from './apps.queries.ts';
import { installationsReachedBy } from './managed-apps.queries.ts';

@Resolver()
export class ViewerInstallationRoots {
  @Access('user')
  @Query(() => InstallationConnection, {
    nullable: true,
    description:
      'Installations that you reach, oldest first. With the token of an app those of the app, else those on accounts that you manage.',
  })
  viewerInstallations(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<InstallationRow> {
    const { accountId } = callingUser(context.actor);
    const list = batchedList(context, 'Query.viewerInstallations', {}, accountId, installationsReachedBy(context));
    return new Connection(InstallationConnection, list, args);
  }
}
