import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { CollaboratorAffiliation, RepositoryCollaboratorConnection } from '../../../schema/hosting/collaborator.ts';
import { CollaboratorPermission, CollaboratorPermissionName } from '../../../schema/hosting/collaborator-permission.ts';
import { RepositoryPermissions } from '../../../schema/hosting/repository.ts';
import { CollaboratorChange } from '../../../schema/hosting/repository-invitation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionBelow, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountByLogin, accountsByIds } from '../accounts/accounts.queries.ts';
import { repositoryInvitationsByIds } from '../repository-invitations/repository-invitations.queries.ts';
import { permissionsOfRole } from './permissions-of-role.ts';
import { RepositoryArgs } from './repository-args.ts';
import {
  type CollaboratorRow,
  collaboratorsIn,
  permissionOf,
  requireCollaborator,
  roleNames,
} from './rest-collaborators.queries.ts';
import { setCollaborator } from './set-collaborator.ts';

@ArgsType()
class CollaboratorListArgs extends ConnectionArgs {
  @optionalField(() => CollaboratorAffiliation, 'Relation to the owner; all by default.')
  affiliation?: CollaboratorAffiliation | null;
  @optionalField(() => CollaboratorPermissionName, 'Least permission.') permission?: CollaboratorPermissionName | null;
}

const login = () => Arg('login', () => String, { description: 'Login of the user.' });

async function userIdOf(context: Context, text: string): Promise<number> {
  const found = await accountByLogin(context, text, noSelection, 'user');
  if (!found) throw notFound();
  return found.databaseId;
}

/** Collaborators by logins, for the REST contract. */
@Resolver()
export class RestCollaboratorRoots {
  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryCollaboratorConnection, {
    description: 'Collaborators of a repository; an error unless the caller can push.',
  })
  async collaboratorPermissions(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => CollaboratorListArgs) { affiliation, permission, ...page }: CollaboratorListArgs,
    @Ctx() context: Context,
  ): Promise<Connection<object>> {
    const filter = { affiliation: affiliation ?? 'all', atLeast: permission };
    return new Connection(RepositoryCollaboratorConnection, await collaboratorsIn(context, repository, filter), page);
  }

  @RestOnly()
  @Access('metadata:read')
  @Query(() => CollaboratorPermission, { description: 'Permission of a user; an error unless the caller can push.' })
  collaboratorPermission(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @login() text: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object> {
    return permissionOf(context, repository, text, selectionBelow(info, 'user'));
  }

  @RestOnly()
  @Access('metadata:read')
  @Query(() => Boolean, { description: 'True; an error when the user is no collaborator.' })
  isCollaborator(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @login() text: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return requireCollaborator(context, repository, text);
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => CollaboratorChange, {
    description: 'Adds a collaborator, changes the permission of one, or invites.',
  })
  async restSetCollaborator(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @login() text: string,
    @Arg('permission', () => CollaboratorPermissionName, { description: 'Permission of the user.' })
    role: CollaboratorPermissionName,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object> {
    const wanted = { userId: await userIdOf(context, text), role };
    const { accountId, invitationId } = await setCollaborator(context, repository, wanted);
    if (invitationId === null) {
      const user = await context.load(accountsByIds, noSelection).load(accountId);
      return { __typename: 'AddedCollaborator', user };
    }
    const found = await context.load(repositoryInvitationsByIds, selectionOf(info)).load(invitationId);
    return { ...found, __typename: 'RepositoryInvitation' };
  }
}

/** Of users in the list of a repository. */
@Resolver(() => User)
export class CollaboratorFields {
  @RestOnly()
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Permission in the repository whose list the user is in; null elsewhere.',
  })
  roleName(@Root() { permission }: Partial<CollaboratorRow>): string | null {
    return permission ?? null;
  }

  @RestOnly()
  @FieldResolver(() => RepositoryPermissions, {
    nullable: true,
    description: 'Permissions in the repository whose list the user is in; null elsewhere.',
  })
  repositoryPermissions(@Root() { permission }: Partial<CollaboratorRow>): RepositoryPermissions | null {
    return permission === undefined ? null : permissionsOfRole(roleNames.indexOf(permission));
  }
}
