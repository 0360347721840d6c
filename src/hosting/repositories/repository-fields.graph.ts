import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Int, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
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

  @FieldResolver(() => String, { description: 'public or private.' })
  visibility(@Root() { isPrivate }: OwnedRow): string {
    return isPrivate ? 'private' : 'public';
  }

  @FieldResolver(() => Boolean, { description: 'Whether everybody may see it.' })
  isPublic(@Root() { isPrivate }: OwnedRow): boolean {
    return !isPrivate;
  }

  @FieldResolver(() => Account, { description: 'Whose it is.' })
  owner(@Root() row: OwnedRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Whose it is, if that is an organization.' })
  organization(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    if (row.ownerKind !== 'organization') return null;
    return context.load(accountsByIds, selectionOf(info)).load(row.ownerId);
  }

  @FieldResolver(() => Repository, { nullable: true, description: 'What it is a copy of, if the caller may see that.' })
  parent(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return row.parentId === null ? null : context.load(repositoriesByIds, selectionOf(info)).load(row.parentId);
  }

  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'The first of its network, if the caller may see that.',
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
      'Whether the repository has such a part: issues, projects, wiki, pages, discussions, downloads. None has.',
  })
  offers(@Arg('part', () => String, { description: 'Name of the part.' }) _part: string): boolean {
    // Published, and asked for by clients before they show a tab; what is hosted here is repositories alone.
    return false;
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether it was closed by those who look after the installation: none can be.',
  })
  isDisabled(): boolean {
    return false;
  }

  @FieldResolver(() => Int, { description: 'Open issues: there are none where there is no issue tracker.' })
  openIssues(): number {
    return 0;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'What most of it is written in; null while nobody has looked.',
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

  @FieldResolver(() => String, { description: 'Its page.' })
  webUrl(@Root() row: OwnedRow, @PathSuffixArg() behind: string, @Ctx() { origin }: Context): string {
    return `${origin}/${row.ownerLogin}/${row.name}${behind}`;
  }

  @FieldResolver(() => String, { description: 'Its address for git, by a protocol: git or ssh.' })
  gitUrl(
    @Root() row: OwnedRow,
    @Arg('protocol', () => String, { description: 'git or ssh.' }) protocol: string,
    @Ctx() { origin }: Context,
  ): string {
    const { hostname } = new URL(origin);
    const path = `${row.ownerLogin}/${row.name}.git`;
    return protocol === 'ssh' ? `git@${hostname}:${path}` : `git://${hostname}/${path}`;
  }

  @FieldResolver(() => String, { description: 'Its address in the REST API.' })
  restUrl(@Root() row: OwnedRow, @PathSuffixArg() behind: string, @Ctx() { apiBaseUrl }: Context): string {
    return `${apiBaseUrl}/repos/${row.ownerLogin}/${row.name}${behind}`;
  }
}

@Resolver(() => Collaborator)
export class CollaboratorFields {
  @FieldResolver(() => Account)
  user(
    @Root() row: CollaboratorRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> {
    return context.load(accountsByIds, selectionOf(info)).load(row.accountId);
  }
}
