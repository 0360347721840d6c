import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { Account, Organization } from '../../../schema/hosting/account.ts';
import { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import { Language } from '../../../schema/hosting/detected-facts.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryVisibility } from '../../../schema/hosting/repository-filters.ts';
import { RepositoryInfo, RepositoryPermissions } from '../../../schema/hosting/repository-info.ts';
import { SubscriptionState } from '../../../schema/hosting/starrable.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { GitSshRemote, Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { permissionsOfRole } from './permissions-of-role.ts';
import { type OwnedRow, repositoriesByIds } from './repositories.queries.ts';

/** Kinds of callers that have permissions: users, and what acts for them. */
const hasPermissions = ({ actor }: Context): boolean => ['user', 'installation', 'workflow'].includes(actor.kind);

const permissionsByRole = [null, ...Object.values(RepositoryPermission)] as const;

/** Of repositories, and of what invitations show of them. */
@Resolver(() => RepositoryInfo)
export class RepositoryInfoFields {
  @FieldResolver(() => ID)
  id(@Root() { databaseId }: OwnedRow): string {
    return encodeGlobalId('Repository', databaseId);
  }

  @FieldResolver(() => String, { description: 'Login of the owner, a slash, and the name.' })
  nameWithOwner(@Root() { ownerLogin, name }: OwnedRow): string {
    return `${ownerLogin}/${name}`;
  }

  @FieldResolver(() => RepositoryVisibility, { description: 'Visibility of the repository.' })
  visibility(@Root() { isPrivate }: OwnedRow): RepositoryVisibility {
    return isPrivate ? RepositoryVisibility.PRIVATE : RepositoryVisibility.PUBLIC;
  }

  @FieldResolver(() => Account, { description: 'User or organization that owns the repository.' })
  owner(@Root() row: OwnedRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }

  @FieldResolver(() => Language, {
    nullable: true,
    description:
      'Language of most of the code at the tip of the default branch; null for none. Follows a push within some minutes.',
  })
  primaryLanguage(@Root() { primaryLanguage }: OwnedRow): Language | null {
    return primaryLanguage === null ? null : { name: primaryLanguage, color: null };
  }

  @FieldResolver(() => RepositoryPermissions, {
    nullable: true,
    description: 'Your permissions, limited by your credential; null for anonymous callers.',
  })
  permissions(@Root() { permissions }: OwnedRow, @Ctx() context: Context): RepositoryPermissions | null {
    if (!hasPermissions(context)) return null;
    return permissionsOfRole(permissions);
  }

  @FieldResolver(() => Uri, { description: 'Path of the page, such as `/owner/name`.' })
  resourcePath(@Root() { ownerLogin, name }: OwnedRow): string {
    return `/${ownerLogin}/${name}`;
  }

  @FieldResolver(() => Uri, { description: 'URL of the page.' })
  url(@Root() row: OwnedRow, @Ctx() { origin }: Context): string {
    return `${origin}/${row.ownerLogin}/${row.name}`;
  }

  @FieldResolver(() => GitSshRemote, {
    description:
      'Address for clones of clients that prefer SSH. This service has no SSH server, so it is the address over HTTP.',
  })
  sshUrl(@Root() { ownerLogin, name }: OwnedRow, @Ctx() { origin }: Context): string {
    return `${origin}/${ownerLogin}/${name}.git`;
  }
}

@Resolver(() => Repository)
export class RepositoryFields {
  @FieldResolver(() => Boolean, { description: 'Whether the owner is an organization.' })
  isInOrganization(@Root() { ownerKind }: OwnedRow): boolean {
    return ownerKind === 'organization';
  }

  @FieldResolver(() => Organization, {
    nullable: true,
    description: 'Owner of the repository if it is an organization; null for a user.',
  })
  organization(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    if (row.ownerKind !== 'organization') return null;
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }

  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'Origin of the fork; null for no fork, or if you cannot see it.',
  })
  parent(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return row.parentId === null ? null : context.load(repositoriesByIds, selectionOf(info)).load(row.parentId);
  }

  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'Root of the fork network; null for no fork, or if you cannot see it.',
  })
  networkRoot(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return row.networkRootId === null
      ? null
      : context.load(repositoriesByIds, selectionOf(info)).load(row.networkRootId);
  }

  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'Template that the repository was created from; null for none, or if you cannot see it.',
  })
  templateRepository(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return row.templateId === null ? null : context.load(repositoriesByIds, selectionOf(info)).load(row.templateId);
  }

  @FieldResolver(() => RepositoryPermission, {
    nullable: true,
    description: 'Your permission, limited by your credential; null for anonymous callers.',
  })
  viewerPermission(@Root() row: OwnedRow, @Ctx() context: Context): RepositoryPermission | null {
    return hasPermissions(context) ? (permissionsByRole[row.viewerPermission] ?? null) : null;
  }

  @FieldResolver(() => Boolean, { description: 'Whether you can change settings and collaborators.' })
  viewerCanAdminister(@Root() { viewerCanAdminister: role }: OwnedRow): boolean {
    return role >= 5;
  }

  @FieldResolver(() => Boolean, { description: 'Whether you can subscribe to the events.' })
  viewerCanSubscribe(@Ctx() { actor }: Context): boolean {
    return actor.kind === 'user';
  }

  @FieldResolver(() => SubscriptionState, {
    nullable: true,
    description: 'Your subscription to the events; null if you are no user.',
  })
  viewerSubscription(@Root() { viewerSubscription }: OwnedRow, @Ctx() { actor }: Context): SubscriptionState | null {
    return actor.kind === 'user' ? viewerSubscription : null;
  }
}
