import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { Account, Organization, User } from '../../../schema/hosting/account.ts';
import { Collaborator } from '../../../schema/hosting/collaborator.ts';
import { Repository, RepositoryPermissions } from '../../../schema/hosting/repository.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds } from './repositories.queries.ts';
import type { CollaboratorRow } from './set-collaborator.ts';

@Resolver(() => Repository)
export class RepositoryFields {
  @FieldResolver(() => ID)
  nodeId(@Root() { databaseId }: OwnedRow): string {
    return encodeGlobalId('Repository', databaseId);
  }

  @FieldResolver(() => String)
  fullName(@Root() { ownerLogin, name }: OwnedRow): string {
    return `${ownerLogin}/${name}`;
  }

  @FieldResolver(() => String, { description: 'Visibility: public or private.' })
  visibility(@Root() { isPrivate }: OwnedRow): string {
    return isPrivate ? 'private' : 'public';
  }

  @FieldResolver(() => Boolean, { description: 'Whether the repository is public.' })
  isPublic(@Root() { isPrivate }: OwnedRow): boolean {
    return !isPrivate;
  }

  @FieldResolver(() => Account, { description: 'Owner of the repository.' })
  owner(@Root() row: OwnedRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
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
    description: 'Repository that this one is a fork of; null when it is no fork, or the caller cannot see it.',
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
    description: 'Root of the fork network; null when the repository is no fork, or the caller cannot see it.',
  })
  source(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return row.networkRootId === null
      ? null
      : context.load(repositoriesByIds, selectionOf(info)).load(row.networkRootId);
  }

  @FieldResolver(() => RepositoryPermissions, { nullable: true })
  permissions(@Root() { permissions }: OwnedRow, @Ctx() { actor }: Context): RepositoryPermissions | null {
    if (!['user', 'installation', 'workflow'].includes(actor.kind)) return null;
    return {
      admin: permissions >= 5,
      maintain: permissions >= 4,
      push: permissions >= 3,
      triage: permissions >= 2,
      pull: permissions >= 1,
    };
  }

  @FieldResolver(() => String, { description: 'Path of the repository in URLs, such as `/owner/name`.' })
  resourcePath(@Root() { ownerLogin, name }: OwnedRow): string {
    return `/${ownerLogin}/${name}`;
  }

  @FieldResolver(() => String, { description: "URL of the repository's page." })
  webUrl(@Root() row: OwnedRow, @Ctx() { origin }: Context): string {
    return `${origin}/${row.ownerLogin}/${row.name}`;
  }

  @FieldResolver(() => String, { description: 'Clone URL for a protocol.' })
  gitUrl(
    @Root() row: OwnedRow,
    @Arg('protocol', () => String, { description: 'Protocol: git or ssh.' }) protocol: string,
    @Ctx() { origin }: Context,
  ): string {
    const { hostname } = new URL(origin);
    const path = `${row.ownerLogin}/${row.name}.git`;
    return protocol === 'ssh' ? `git@${hostname}:${path}` : `git://${hostname}/${path}`;
  }
}

@Resolver(() => Collaborator)
export class CollaboratorFields {
  @FieldResolver(() => User)
  user(
    @Root() row: CollaboratorRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.accountId);
  }
}
