import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { GitPersonInput, GitTextEncoding, type GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import {
  GitBlob,
  type GitBranch,
  GitBranchConnection,
  GitRef,
  GitTag,
  GitTree,
  GitTreeChange,
} from '../../../schema/hosting/git-data.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { pageOfBranches } from './branches.queries.ts';
import { createRef, deleteRef, updateRef } from './change-refs.ts';
import { createBlob, createTag, createTree } from './create-objects.ts';

const ref = () => Arg('ref', () => String, { description: 'Full name of the ref: refs/heads/main.' });
const expected = () =>
  Arg('expected', () => String, {
    nullable: true,
    description: 'Id that the ref must point to before the change; no condition when absent.',
  });

@Resolver()
export class GitDataRoots {
  @Access('contents:read')
  @Query(() => GitBranchConnection, { description: 'Branches of a repository, sorted by name.' })
  async branches(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<GitBranch>> {
    return new Connection(GitBranchConnection, await pageOfBranches(context, repository), args);
  }

  @Access('contents:write')
  @Mutation(() => GitBlob, { description: 'Stores a blob of at most 100 MiB.' })
  createBlob(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('content', () => String, { description: 'Content of the blob.' }) content: string,
    @Arg('encoding', () => GitTextEncoding, {
      defaultValue: GitTextEncoding.UTF8,
      description: 'Encoding of the content.',
    })
    encoding: GitTextEncodingValue,
    @Ctx() context: Context,
  ): Promise<GitBlob> {
    return createBlob(context, repository, { content, encoding });
  }

  @Access('contents:write')
  @Mutation(() => GitTree, { description: 'Stores a tree: a base tree with changes, or only the given entries.' })
  createTree(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('entries', () => [GitTreeChange], { description: 'Entries to set or delete.' }) entries: GitTreeChange[],
    @Arg('baseTree', () => String, {
      nullable: true,
      description: 'Id of the tree to change; the empty tree when absent.',
    })
    baseTree: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<GitTree> {
    return createTree(context, repository, { entries, baseTree });
  }

  @Access('contents:write')
  @Mutation(() => GitTag, { description: 'Stores an annotated tag. It gets its ref by `createRef`.' })
  createTag(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('tag', () => String, { description: 'Name of the tag.' }) tag: string,
    @Arg('message', () => String, { description: 'Message of the tag.' }) message: string,
    @Arg('target', () => String, { description: 'Id of the target object.' }) target: string,
    @Arg('tagger', () => GitPersonInput, { nullable: true, description: 'Tagger; the caller when absent.' })
    tagger: GitPersonInput | null | undefined,
    @Arg('timeZone', () => String, {
      nullable: true,
      description: 'IANA time zone of an absent date; UTC when absent.',
    })
    timeZone: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<GitTag> {
    return createTag(context, repository, { tag, message, target, tagger, timeZone });
  }

  @Access('contents:write')
  @Mutation(() => GitRef, { description: 'Creates a branch, a tag or another ref.' })
  createRef(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @ref() refName: string,
    @Arg('sha', () => String, { description: 'Id of the target object; a commit for a branch.' }) sha: string,
    @Ctx() context: Context,
  ): Promise<GitRef> {
    return createRef(context, repository, { ref: refName, sha });
  }

  @Access('contents:write')
  @Mutation(() => GitRef, { description: 'Updates a ref.' })
  updateRef(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @ref() refName: string,
    @Arg('sha', () => String, { description: 'Id of the new target object.' }) sha: string,
    @Arg('force', () => Boolean, {
      defaultValue: false,
      description: 'Whether an update that is not a fast-forward is allowed.',
    })
    force: boolean,
    @expected() before: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<GitRef> {
    return updateRef(context, repository, { ref: refName, sha, force, expected: before });
  }

  @Access('contents:write')
  @Mutation(() => Boolean, { description: 'Deletes a ref.' })
  async deleteRef(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @ref() refName: string,
    @expected() before: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRef(context, repository, { ref: refName, expected: before });
    return true;
  }
}
