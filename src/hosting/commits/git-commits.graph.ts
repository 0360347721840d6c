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
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { pageBounds } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { createCommitOnBranch } from './create-commit-on-branch.ts';
import { createGitCommit } from './create-git-commit.ts';
import { type GitCommitRow, toCommitVerification } from './git-commit.ts';
import { commitHistory, gitCommit } from './git-commits.queries.ts';
import { loadVerifications } from './verifications.ts';

@ArgsType()
class CommitArgs extends RepositoryArgs {
  @Field(() => String, { description: 'Message of the commit.' })
  message!: string;

  @Field(() => GitPersonInput, { nullable: true, description: 'Author; the caller when absent.' })
  author?: GitPersonInput | null;

  @Field(() => GitCommitterInput, { nullable: true, description: 'Committer; the author when absent.' })
  committer?: GitCommitterInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone of absent dates, such as Europe/Lisbon; UTC when absent.',
  })
  timeZone?: string | null;
}

@ArgsType()
class NewGitCommitArgs extends CommitArgs {
  @Field(() => String, { description: 'Id of the root tree.' })
  tree!: string;

  @Field(() => [String], { nullable: true, description: 'Ids of the parent commits; none when absent.' })
  parents?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Armored PGP or SSH signature over the exact bytes of the unsigned commit.',
  })
  signature?: string | null;
}

@ArgsType()
class CommitOnBranchArgs extends CommitArgs {
  @Field(() => String, { nullable: true, description: 'Short name of the branch; the default branch when absent.' })
  branch?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Id that the tip of the branch must have; no condition when absent.',
  })
  expectedHead?: string | null;

  @Field(() => [GitFileAddition], { defaultValue: [], description: 'Files to create or replace.' })
  additions!: GitFileAddition[];

  @Field(() => [String], { defaultValue: [], description: 'Paths of files to delete.' })
  deletions!: string[];
}

@Resolver()
export class GitCommitRoots {
  @Access('contents:read')
  @Query(() => GitCommit, { nullable: true, description: 'Commit by its full id; null when there is none.' })
  gitCommit(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('sha', () => String, { description: 'Id of the commit: 40 hexadecimal digits.' }) sha: string,
    @Ctx() context: Context,
  ): Promise<GitCommitRow | null> {
    return gitCommit(context, repository, sha);
  }

  @Access('contents:read')
  @Cost(5)
  @Query(() => CommitHistory, {
    nullable: true,
    description: 'Commits reachable from a branch, tag or commit, newest first; null when there is no such revision.',
  })
  commitHistory(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('revision', () => String, {
      nullable: true,
      description: 'Branch, tag or commit id; the default branch when absent.',
    })
    revision: string | null | undefined,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<CommitHistory | null> {
    return commitHistory(context, repository, revision, pageBounds(args));
  }

  @Access('contents:write')
  @Mutation(() => GitCommit, {
    description: 'Creates a commit of an existing tree and existing parents. No branch moves.',
  })
  createGitCommit(
    @Args(() => NewGitCommitArgs) { owner, name, ...input }: NewGitCommitArgs,
    @Ctx() context: Context,
  ): Promise<GitCommitRow> {
    return createGitCommit(context, { owner, name }, input);
  }

  @Access('contents:write')
  @Mutation(() => GitCommit, {
    description: 'Changes several files of a branch in one commit. An empty repository gets its first branch.',
  })
  createCommitOnBranch(
    @Args(() => CommitOnBranchArgs) { owner, name, ...input }: CommitOnBranchArgs,
    @Ctx() context: Context,
  ): Promise<GitCommitRow> {
    return createCommitOnBranch(context, { owner, name }, input);
  }
}

@Resolver(() => GitCommit)
export class GitCommitFields {
  @FieldResolver(() => CommitVerification, { description: 'Verification of the signature.' })
  async verification(
    @Root() row: GitCommitRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommitVerification> {
    return toCommitVerification(await context.load(loadVerifications, selectionOf(info)).load(row));
  }
}
