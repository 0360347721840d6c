import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Collaborator, RepositoryRole } from '../../../schema/hosting/collaborator.ts';
import { Repository, RepositoryConnection } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { type Selection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { setArchived } from './archive-repository.ts';
import { createRepository } from './create-repository.ts';
import { forkRepository } from './fork-repository.ts';
import { renameRepository } from './rename-repository.ts';
import { type OwnedRow, repositoriesByIds, repositoriesOfUser, repositoryFor } from './repositories.queries.ts';
import { RepositoryArgs } from './repository-args.ts';
import { type CollaboratorRow, removeCollaborator, setCollaborator } from './set-collaborator.ts';
import { setVisibility } from './set-visibility.ts';
import { setStarred, setWatched } from './star-and-watch.ts';

@ArgsType()
class NewRepositoryArgs {
  @Field(() => String, { nullable: true, description: 'Login of the owner; the caller when null.' }) owner?:
    | string
    | null;
  @Field(() => String, { description: 'Name of the repository.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'Description, at most 1,000 characters.' }) description?:
    | string
    | null;
  @Field(() => String, { nullable: true, description: 'Homepage URL.' }) homepage?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether the repository is private; false when null.' })
  isPrivate?: boolean | null;
  @Field(() => String, { nullable: true, description: 'Name of the default branch; main when null.' }) defaultBranch?:
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
  @Query(() => Repository, {
    nullable: true,
    description: 'Repository; null when there is none that the caller can see.',
  })
  repository(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return repositoryFor(context, repository, 'metadata:read', selectionOf(info));
  }

  @Access('metadata:read')
  @Query(() => Repository, {
    nullable: true,
    description: 'Repository with this id; null when there is none that the caller can see.',
  })
  repositoryById(
    @Arg('id', () => GraphQLSafeInt, { description: 'Database id of the repository.' }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return repositoryFor(context, { id }, 'metadata:read', selectionOf(info));
  }

  @Access('user')
  @Query(() => RepositoryConnection, {
    description:
      "Repositories of the caller, of the caller's organizations, and those the caller collaborates on, by owner and name.",
  })
  viewerRepositories(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context): Connection<OwnedRow> {
    return new Connection(
      RepositoryConnection,
      repositoriesOfUser(context, callingUser(context.actor).accountId),
      args,
    );
  }

  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Creates an empty repository.' })
  async createRepository(
    @Args(() => NewRepositoryArgs) args: NewRepositoryArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await createRepository(context, args), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Repository, {
    description: 'Renames a repository. The old name redirects until another repository takes it.',
  })
  async renameRepository(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('newName', () => String, { description: 'New name.' }) newName: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await renameRepository(context, repository, newName), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Archives a repository, which makes it read-only, or unarchives it.' })
  async setArchived(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('isArchived', () => Boolean, { description: 'Whether the repository is archived.' }) isArchived: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await setArchived(context, repository, isArchived), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Repository, {
    description: 'Makes a repository public or private.',
  })
  async setRepositoryVisibility(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('isPrivate', () => Boolean, { description: 'Whether the repository is private.' })
    isPrivate: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await setVisibility(context, repository, isPrivate), selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Repository, {
    description: 'Forks a repository with all its git data. Returns the existing fork if the owner has one.',
  })
  async forkRepository(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('newOwner', () => String, {
      nullable: true,
      description: 'Login of the owner of the fork; the caller when null.',
    })
    newOwner: string | null | undefined,
    @Arg('newName', () => String, {
      nullable: true,
      description: 'Name of the fork; the name of the parent when null.',
    })
    newName: string | null | undefined,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    const id = await forkRepository(context, repository, { owner: newOwner, name: newName });
    return requireRepository(context, id, selectionOf(info));
  }

  @Access('administration:write')
  @Mutation(() => Collaborator, { description: 'Adds a collaborator to a repository, or changes the role of one.' })
  setCollaborator(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('login', () => String, { description: 'Login of the user.' }) user: string,
    @Arg('role', () => RepositoryRole, { description: 'Role of the user.' }) role: string,
    @Ctx() context: Context,
  ): Promise<CollaboratorRow> {
    return setCollaborator(context, repository, { login: user, role });
  }

  @Access('administration:write')
  @Mutation(() => Boolean, { description: 'Removes a collaborator from a repository.' })
  async removeCollaborator(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('login', () => String, { description: 'Login of the user.' }) user: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeCollaborator(context, repository, user);
    return true;
  }

  @Access('starring:write')
  @Mutation(() => Repository, { description: 'Stars or unstars a repository.' })
  async setStarred(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('starred', () => Boolean, { description: 'Whether the caller stars the repository.' }) starred: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await setStarred(context, repository, starred), selectionOf(info));
  }

  @Access('watching:write')
  @Mutation(() => Repository, { description: 'Watches or unwatches a repository.' })
  async setWatched(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('watched', () => Boolean, { description: 'Whether the caller watches the repository.' }) watched: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    return requireRepository(context, await setWatched(context, repository, watched), selectionOf(info));
  }
}
