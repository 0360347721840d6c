import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql';
import { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import { RepositoryInvitation, RepositoryInvitationConnection } from '../../../schema/hosting/repository-invitation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { repositoryFor } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { changeRepositoryInvitation } from './change-repository-invitation.ts';
import { invitationsFor, invitationsTo } from './repository-invitations.graph.ts';
import {
  ownInvitationTo,
  type RepositoryInvitationRow,
  repositoryInvitationsByIds,
} from './repository-invitations.queries.ts';

const invitationId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the invitation.' });

async function requireAdministered(
  context: Context,
  repository: RepositoryArgs,
  scope: 'administration:read' | 'administration:write',
): Promise<number> {
  const found = await repositoryFor(context, repository, scope);
  if (!found) throw notFound();
  return found.databaseId;
}

/** Invitations to repositories by numbers, for the REST contract. */
@Resolver()
export class RestRepositoryInvitationRoots {
  @RestOnly()
  @Access('administration:read')
  @Query(() => RepositoryInvitationConnection, { description: 'Invitations to a repository, oldest first.' })
  async invitationsToRepository(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RepositoryInvitationRow>> {
    return invitationsTo(context, await requireAdministered(context, repository, 'administration:read'), args);
  }

  @RestOnly()
  @Access('invitations:read')
  @Query(() => RepositoryInvitationConnection, { description: 'Invitations of the caller to repositories.' })
  viewerRepositoryInvitations(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<RepositoryInvitationRow> {
    return invitationsFor(context, callingUser(context.actor).accountId, args);
  }

  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryInvitation, {
    nullable: true,
    description: 'Invitation of the caller to a repository; null for none.',
  })
  viewerRepositoryInvitation(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryInvitationRow | null> {
    return ownInvitationTo(context, repository, selectionOf(info));
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => RepositoryInvitation, {
    nullable: true,
    description: 'Changes the permission that an invitation offers; without one, nothing.',
  })
  async restUpdateRepositoryInvitation(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @invitationId() id: number,
    @Arg('permission', () => RepositoryPermission, { nullable: true, description: 'Permission to offer.' })
    permission: RepositoryPermission | null | undefined,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryInvitationRow | null> {
    const repositoryId = await requireAdministered(context, repository, 'administration:write');
    if (permission != null) await changeRepositoryInvitation(context, { repositoryId, id }, permission);
    const [found = null] = await repositoryInvitationsByIds(context, [id], selectionOf(info));
    return found?.repositoryId === repositoryId ? found : null;
  }
}
