import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { Collaborator, RepositoryRole } from '../../../schema/hosting/collaborator.ts';
import { Repository, RepositoryPage, RepositoryPermissions } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { type Page, PageArgs } from '../../../schema/vocabulary/page.ts';
import { type Selection, selectionOf } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { callingUser } from '../accounts/caller.ts';
import { nodeIdOf } from '../node-id.ts';
import { setArchived } from './archive-repository.ts';
import { createRepository } from './create-repository.ts';
import { setStarred, setWatched } from './give-attention.ts';
import { renameRepository } from './rename-repository.ts';
import { type OwnedRow, repositoriesByIds, repositoriesOfUser, repositoryFor } from './repositories.queries.ts';
import { type CollaboratorRow, removeCollaborator, setCollaborator } from './set-collaborator.ts';

const owner = () => Arg('owner', () => String, { description: 'Login of the owner.' });
const called = () => Arg('name', () => String, { description: 'Name of the repository.' });

@ArgsType()
class NewRepositoryArgs {
  @Field(() => String, { nullable: true, description: 'Login of the owner; the caller when left out.' }) owner?:
    | string
    | null;
  @Field(() => String, { description: 'The name it shall have.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'What it is for.' }) description?: string | null;
  @Field(() => String, { nullable: true, description: 'Address of its own page.' }) homepage?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether only those see it who are let in.' }) isPrivate?:
    | boolean
    | null;
  @Field(() => String, { nullable: true, description: 'Its first branch; main when left out.' }) defaultBranch?:
    | string
    | null;
}

async function after(context: Context, id: number, wanted: Selection): Promise<OwnedRow> {
  const [found] = await repositoriesByIds(context, [id], wanted);
  if (!found) throw notFound();
  return found;
}

@Resolver()
export class RepositoryRoots {
  @Access('metadata:read')
  @Query(() => Repository, { nullable: true, description: 'One repository; null when there is none to see.' })
  repository(
    @owner() login: string,
    @called() name: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return repositoryFor(context, { owner: login, name }, 'metadata:read', selectionOf(info));
  }

  @Access('metadata:read')
  @Query(() => Repository, {
    nullable: true,
    description: 'The repository with this number; null when there is none to see.',
  })
  repositoryById(
    @Arg('id', () => GraphQLSafeInt, { description: 'Number of the repository.' }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return repositoryFor(context, { id }, 'metadata:read', selectionOf(info));
  }

  @Access('user')
  @Query(() => RepositoryPage, {
    description: 'Repositories of the caller, of their organizations, and those they were let into, by owner and name.',
  })
  viewerRepositories(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context): Page<OwnedRow> {
    return new RepositoryPage(repositoriesOfUser(context, callingUser(context.actor).accountId), args);
  }

  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Makes an empty repository.' })
  async createRepository(
    @Args(() => NewRepositoryArgs) args: NewRepositoryArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return after(context, await createRepository(context, args), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Repository, {
    description: 'Gives a repository another name. The old one leads to it until it is taken.',
  })
  async renameRepository(
    @owner() login: string,
    @called() name: string,
    @Arg('newName', () => String, { description: 'The name it shall have.' }) newName: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return after(context, await renameRepository(context, { owner: login, name }, newName), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Makes a repository read-only, or takes that back.' })
  async setArchived(
    @owner() login: string,
    @called() name: string,
    @Arg('isArchived', () => Boolean, { description: 'Whether it shall be read-only.' }) isArchived: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return after(context, await setArchived(context, { owner: login, name }, isArchived), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Collaborator, { description: 'Lets a user into a repository, or changes what they may do.' })
  setCollaborator(
    @owner() login: string,
    @called() name: string,
    @Arg('login', () => String, { description: 'Login of the user.' }) user: string,
    @Arg('role', () => RepositoryRole, { description: 'What the user may do.' }) role: string,
    @Ctx() context: Context,
  ): Promise<CollaboratorRow> {
    return setCollaborator(context, { owner: login, name }, { login: user, role });
  }

  @Access('administration:write')
  @Mutation(() => Boolean, { description: 'Takes back what a user was let into a repository for.' })
  async removeCollaborator(
    @owner() login: string,
    @called() name: string,
    @Arg('login', () => String, { description: 'Login of the user.' }) user: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeCollaborator(context, { owner: login, name }, user);
    return true;
  }

  @Access('starring:write')
  @Mutation(() => Repository, { description: 'Stars a repository, or takes that back.' })
  async setStarred(
    @owner() login: string,
    @called() name: string,
    @Arg('starred', () => Boolean, { description: 'Whether it shall be starred.' }) starred: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return after(context, await setStarred(context, { owner: login, name }, starred), selectionOf(info));
  }

  @Access('watching:write')
  @Mutation(() => Repository, { description: 'Watches a repository, or stops to.' })
  async setWatched(
    @owner() login: string,
    @called() name: string,
    @Arg('watched', () => Boolean, { description: 'Whether it shall be watched.' }) watched: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return after(context, await setWatched(context, { owner: login, name }, watched), selectionOf(info));
  }
}

const path = () => Arg('path', () => String, { defaultValue: '', description: 'What stands behind it.' });

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
  webUrl(@Root() row: OwnedRow, @path() behind: string, @Ctx() { origin }: Context): string {
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
  restUrl(@Root() row: OwnedRow, @path() behind: string, @Ctx() { base }: Context): string {
    return `${base}/repos/${row.ownerLogin}/${row.name}${behind}`;
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
