import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Int, Resolver, Root } from 'type-graphql';
import { Account, Organization, User } from '../../../schema/hosting/account.ts';
import { Collaborator } from '../../../schema/hosting/collaborator.ts';
import { Repository, RepositoryPermissions } from '../../../schema/hosting/repository.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { nodeIdOf } from '../node-id.ts';
import { PathSuffixArg } from '../path-suffix-arg.ts';
import { type OwnedRow, repositoriesByIds } from './repositories.queries.ts';
import type { CollaboratorRow } from './set-collaborator.ts';

@Resolver(() => Repository)
export class RepositoryFields {
  @FieldResolver(() => ID)
  nodeId(@Root() { databaseId }: OwnedRow): string {
    return nodeIdOf('Repository', databaseId);
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

  @FieldResolver(() => Boolean, {
    description:
      'Whether the repository has a feature: issues, projects, wiki, pages, discussions or downloads. Always false.',
  })
  offers(@Arg('part', () => String, { description: 'Name of the feature.' }) _part: string): boolean {
    // Clients read this before they show a tab. Only repositories are hosted here.
    return false;
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether the repository was disabled by an administrator. Always false.',
  })
  isDisabled(): boolean {
    return false;
  }

  @FieldResolver(() => Int, { description: 'Number of open issues. Always 0: there is no issue tracker.' })
  openIssues(): number {
    return 0;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Main programming language. Always null: languages are not detected.',
  })
  language(): null {
    return null;
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

  @FieldResolver(() => String, { description: "URL of the repository's page." })
  webUrl(@Root() row: OwnedRow, @PathSuffixArg() suffix: string, @Ctx() { origin }: Context): string {
    return `${origin}/${row.ownerLogin}/${row.name}${suffix}`;
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

  @FieldResolver(() => String, { description: 'URL of the repository in the REST API.' })
  restUrl(@Root() row: OwnedRow, @PathSuffixArg() suffix: string, @Ctx() { apiBaseUrl }: Context): string {
    return `${apiBaseUrl}/repos/${row.ownerLogin}/${row.name}${suffix}`;
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
