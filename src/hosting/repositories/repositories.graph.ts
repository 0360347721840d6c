import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Collaborator, RepositoryRole } from '../../../schema/hosting/collaborator.ts';
import { Repository, RepositoryPage } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { type Selection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { setArchived } from './archive-repository.ts';
import { createRepository } from './create-repository.ts';
import { forkRepository } from './fork-repository.ts';
import { renameRepository } from './rename-repository.ts';
import { type OwnedRow, repositoriesByIds, repositoriesOfUser, repositoryFor } from './repositories.queries.ts';
import { type CollaboratorRow, removeCollaborator, setCollaborator } from './set-collaborator.ts';
import { setVisibility } from './set-visibility.ts';
import { setStarred, setWatched } from './star-and-watch.ts';

const owner = () => Arg('owner', () => String, { description: 'Login of the owner.' });
const repositoryName = () => Arg('name', () => String, { description: 'Name of the repository.' });

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

async function requireRepository(context: Context, id: number, wanted: Selection): Promise<OwnedRow> {
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
    @repositoryName() name: string,
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
    return new Page(repositoriesOfUser(context, callingUser(context.actor).accountId), args);
  }

  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Makes an empty repository.' })
  async createRepository(
    @Args(() => NewRepositoryArgs) args: NewRepositoryArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await createRepository(context, args), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Repository, {
    description: 'Gives a repository another name. The old one leads to it until it is taken.',
  })
  async renameRepository(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('newName', () => String, { description: 'The name it shall have.' }) newName: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(
      context,
      await renameRepository(context, { owner: login, name }, newName),
      selectionOf(info),
    );
  }

  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Makes a repository read-only, or takes that back.' })
  async setArchived(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('isArchived', () => Boolean, { description: 'Whether it shall be read-only.' }) isArchived: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(
      context,
      await setArchived(context, { owner: login, name }, isArchived),
      selectionOf(info),
    );
  }

  @Access('administration:write')
  @Mutation(() => Repository, {
    description: 'Opens a repository to everybody, or shuts it to all who have not been let in.',
  })
  async setRepositoryVisibility(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('isPrivate', () => Boolean, { description: 'Whether only those shall see it who are let in.' })
    isPrivate: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(
      context,
      await setVisibility(context, { owner: login, name }, isPrivate),
      selectionOf(info),
    );
  }

  @Access('administration:write')
  @Mutation(() => Repository, {
    description: 'Copies a repository with everything in it. An owner who has a copy already is given that one.',
  })
  async forkRepository(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('newOwner', () => String, {
      nullable: true,
      description: 'Login of who shall own the copy; the caller when left out.',
    })
    newOwner: string | null | undefined,
    @Arg('newName', () => String, { nullable: true, description: 'The name it shall have; the same when left out.' })
    newName: string | null | undefined,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    const id = await forkRepository(context, { owner: login, name }, { owner: newOwner, name: newName });
    return requireRepository(context, id, selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Collaborator, { description: 'Lets a user into a repository, or changes what they may do.' })
  setCollaborator(
    @owner() login: string,
    @repositoryName() name: string,
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
    @repositoryName() name: string,
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
    @repositoryName() name: string,
    @Arg('starred', () => Boolean, { description: 'Whether it shall be starred.' }) starred: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await setStarred(context, { owner: login, name }, starred), selectionOf(info));
  }

  @Access('watching:write')
  @Mutation(() => Repository, { description: 'Watches a repository, or stops to.' })
  async setWatched(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('watched', () => Boolean, { description: 'Whether it shall be watched.' }) watched: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await setWatched(context, { owner: login, name }, watched), selectionOf(info));
  }
}
