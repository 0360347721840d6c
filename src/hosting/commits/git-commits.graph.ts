import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import {
  CommitHistory,
  CommitVerification,
  GitCommit,
  GitCommitterInput,
  GitPersonInput,
} from '../../../schema/hosting/git-commit.ts';
import { GitFileAddition } from '../../../schema/hosting/git-data.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { pageBounds } from '../../db/page.ts';
import { selectionOf } from '../../db/selection.ts';
import { createCommitOnBranch } from './create-commit-on-branch.ts';
import { createGitCommit } from './create-git-commit.ts';
import { type GitCommitRow, toCommitVerification } from './git-commit.ts';
import { commitHistory, gitCommit } from './git-commits.queries.ts';
import { loadVerifications } from './verifications.ts';

const owner = () => Arg('owner', () => String, { description: 'Login of the owner.' });
const repositoryName = () => Arg('name', () => String, { description: 'Name of the repository.' });

@ArgsType()
class CommitArgs {
  @Field(() => String, { description: 'Login of the owner.' })
  owner!: string;

  @Field(() => String, { description: 'Name of the repository.' })
  name!: string;

  @Field(() => String, { description: 'What is said about the commit.' })
  message!: string;

  @Field(() => GitPersonInput, { nullable: true, description: 'Who wrote it; the caller when left out.' })
  author?: GitPersonInput | null;

  @Field(() => GitCommitterInput, { nullable: true, description: 'Who commits it; the author when left out.' })
  committer?: GitCommitterInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'Zone of dates that are left out, such as Europe/Lisbon; UTC when left out.',
  })
  timeZone?: string | null;
}

@ArgsType()
class NewGitCommitArgs extends CommitArgs {
  @Field(() => String, { description: 'Id of the root folder.' })
  tree!: string;

  @Field(() => [String], { nullable: true, description: 'Ids of the commits it follows.' })
  parents?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Armored signature, by PGP or SSH, of the commit without it: of its exact bytes.',
  })
  signature?: string | null;
}

@ArgsType()
class CommitOnBranchArgs extends CommitArgs {
  @Field(() => String, { nullable: true, description: 'Short name of the branch; the default branch when left out.' })
  branch?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Id of the commit that the branch must stand at. Left out: wherever it stands.',
  })
  expectedHead?: string | null;

  @Field(() => [GitFileAddition], { defaultValue: [], description: 'Files that are made or replaced.' })
  additions!: GitFileAddition[];

  @Field(() => [String], { defaultValue: [], description: 'Paths of files that go.' })
  deletions!: string[];
}

@Resolver()
export class GitCommitRoots {
  @Access('contents:read')
  @Query(() => GitCommit, { nullable: true, description: 'A commit by its whole id; null when there is none.' })
  gitCommit(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('sha', () => String, { description: 'Its id: 40 hex digits.' }) sha: string,
    @Ctx() context: Context,
  ): Promise<GitCommitRow | null> {
    return gitCommit(context, { owner: login, name }, sha);
  }

  @Access('contents:read')
  @Cost(5)
  @Query(() => CommitHistory, {
    nullable: true,
    description: 'The commits that a branch, tag or commit leads to; null when there is no such revision.',
  })
  commitHistory(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('revision', () => String, { nullable: true, description: 'The default branch when left out.' })
    revision: string | null | undefined,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<CommitHistory | null> {
    return commitHistory(context, { owner: login, name }, revision, pageBounds(args));
  }

  @Access('contents:write')
  @Mutation(() => GitCommit, { description: 'Makes a commit of a folder and parents that are there. No branch moves.' })
  createGitCommit(
    @Args(() => NewGitCommitArgs) { owner: login, name, ...input }: NewGitCommitArgs,
    @Ctx() context: Context,
  ): Promise<GitCommitRow> {
    return createGitCommit(context, { owner: login, name }, input);
  }

  @Access('contents:write')
  @Mutation(() => GitCommit, {
    description: 'Changes several files of a branch by one commit. An empty repository gets its first branch.',
  })
  createCommitOnBranch(
    @Args(() => CommitOnBranchArgs) { owner: login, name, ...input }: CommitOnBranchArgs,
    @Ctx() context: Context,
  ): Promise<GitCommitRow> {
    return createCommitOnBranch(context, { owner: login, name }, input);
  }
}

@Resolver(() => GitCommit)
export class GitCommitFields {
  @FieldResolver(() => CommitVerification, { description: 'What became of its signature.' })
  async verification(
    @Root() row: GitCommitRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommitVerification> {
    return toCommitVerification(await context.load(loadVerifications, selectionOf(info)).load(row));
  }
}
