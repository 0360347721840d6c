import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { CollaboratorAffiliation, RepositoryCollaboratorConnection } from '../../../schema/hosting/collaborator.ts';
import { CollaboratorPermission, CollaboratorPermissionName } from '../../../schema/hosting/collaborator-permission.ts';
import { RepositoryPermissions } from '../../../schema/hosting/repository-info.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow } from '../../db/selection.ts';
import { permissionsOfRole } from './permissions-of-role.ts';
import { RepositoryArgs } from './repository-args.ts';
import {
  type CollaboratorRow,
  collaboratorsIn,
  permissionOf,
  requireCollaborator,
  roleNames,
} from './rest-collaborators.queries.ts';

@ArgsType()
class CollaboratorListArgs extends ConnectionArgs {
  @optionalField(() => CollaboratorAffiliation, 'Relation to the owner; all by default.')
  affiliation?: CollaboratorAffiliation | null;
  @optionalField(() => CollaboratorPermissionName, 'Least permission.') permission?: CollaboratorPermissionName | null;
}

const login = () => Arg('login', () => String, { description: 'Login of the user.' });

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
