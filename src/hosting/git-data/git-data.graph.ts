import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { GitPersonInput, GitTextEncoding, type GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import {
  GitBlob,
  type GitBranch,
  GitBranchPage,
  GitRef,
  GitTag,
  GitTree,
  GitTreeChange,
} from '../../../schema/hosting/git-data.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { pageOfBranches } from './branches.queries.ts';
import { createRef, deleteRef, updateRef } from './change-refs.ts';
import { createBlob, createTag, createTree } from './create-objects.ts';

const owner = () => Arg('owner', () => String, { description: 'Login of the owner.' });
const repositoryName = () => Arg('name', () => String, { description: 'Name of the repository.' });
const ref = () => Arg('ref', () => String, { description: 'Its full name: refs/heads/main.' });
const expected = () =>
  Arg('expected', () => String, {
    nullable: true,
    description: 'Id that it must point to before. Left out: whatever it points to.',
  });

@Resolver()
export class GitDataRoots {
  @Access('contents:read')
  @Query(() => GitBranchPage, { description: 'The branches of a repository, by name.' })
  async branches(
    @owner() login: string,
    @repositoryName() name: string,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<GitBranch>> {
    return new Page(await pageOfBranches(context, { owner: login, name }), args);
  }

  @Access('contents:write')
  @Mutation(() => GitBlob, { description: 'Stores the content of a file.' })
  createBlob(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('content', () => String, { description: 'The content.' }) content: string,
    @Arg('encoding', () => GitTextEncoding, {
      defaultValue: GitTextEncoding.UTF8,
      description: 'How the content is written.',
    })
    encoding: GitTextEncodingValue,
    @Ctx() context: Context,
  ): Promise<GitBlob> {
    return createBlob(context, { owner: login, name }, { content, encoding });
  }

  @Access('contents:write')
  @Mutation(() => GitTree, { description: 'Stores a folder: another one with changes, or the changes alone.' })
  createTree(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('entries', () => [GitTreeChange], { description: 'What shall stand where.' }) entries: GitTreeChange[],
    @Arg('baseTree', () => String, { nullable: true, description: 'Id of the folder that the changes are made to.' })
    baseTree: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<GitTree> {
    return createTree(context, { owner: login, name }, { entries, baseTree });
  }

  @Access('contents:write')
  @Mutation(() => GitTag, { description: 'Stores a tag with a message. A ref gives it its name afterwards.' })
  createTag(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('tag', () => String, { description: 'The name it says it has.' }) tag: string,
    @Arg('message', () => String, { description: 'What is said about it.' }) message: string,
    @Arg('target', () => String, { description: 'Id of what it points to.' }) target: string,
    @Arg('tagger', () => GitPersonInput, { nullable: true, description: 'Who makes it; the caller when left out.' })
    tagger: GitPersonInput | null | undefined,
    @Arg('timeZone', () => String, { nullable: true, description: 'Zone of a date that is left out.' })
    timeZone: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<GitTag> {
    return createTag(context, { owner: login, name }, { tag, message, target, tagger, timeZone });
  }

  @Access('contents:write')
  @Mutation(() => GitRef, { description: 'Makes a branch, a tag or another ref.' })
  createRef(
    @owner() login: string,
    @repositoryName() name: string,
    @ref() refName: string,
    @Arg('sha', () => String, { description: 'Id of what it points to; of a branch a commit.' }) sha: string,
    @Ctx() context: Context,
  ): Promise<GitRef> {
    return createRef(context, { owner: login, name }, { ref: refName, sha });
  }

  @Access('contents:write')
  @Mutation(() => GitRef, { description: 'Moves a ref.' })
  updateRef(
    @owner() login: string,
    @repositoryName() name: string,
    @ref() refName: string,
    @Arg('sha', () => String, { description: 'Id of what it shall point to.' }) sha: string,
    @Arg('force', () => Boolean, {
      defaultValue: false,
      description: 'Whether commits may fall out of its history by it.',
    })
    force: boolean,
    @expected() before: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<GitRef> {
    return updateRef(context, { owner: login, name }, { ref: refName, sha, force, expected: before });
  }

  @Access('contents:write')
  @Mutation(() => Boolean, { description: 'Deletes a ref.' })
  async deleteRef(
    @owner() login: string,
    @repositoryName() name: string,
    @ref() refName: string,
    @expected() before: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRef(context, { owner: login, name }, { ref: refName, expected: before });
    return true;
  }
}
