import { Arg, Args, ArgsType, Ctx, Field, ID, InputType, Mutation, Resolver } from 'type-graphql';
import { MergedUpstream, MergeOutcome } from '../../../schema/hosting/commit-documents.ts';
import { Commit } from '../../../schema/hosting/git-object.ts';
import { Ref } from '../../../schema/hosting/ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { findRepositoryCommit } from '../commits/repository-commits.queries.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import type { RefRow } from '../git-data/refs.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { addressOfId } from '../repositories/repository-ref.ts';
import { mergeBranch } from './merge-branch.ts';
import { mergeUpstream, type UpstreamMerge } from './merge-upstream.ts';

@InputType({ description: 'Input of `mergeBranch`.' })
class MergeBranchInput {
  @Field(() => ID, { description: 'Repository.' }) repositoryId!: string;
  @Field(() => String, { description: 'Short name of the branch that gets the commits.' }) base!: string;
  @Field(() => String, { description: 'Branch, tag or commit id to merge.' }) head!: string;
  @optionalField(() => String, 'Message of the merge commit; one that names both when absent.')
  commitMessage?: string | null;
}

@InputType({ description: 'Input of `mergeUpstream`.' })
class MergeUpstreamInput {
  @Field(() => ID, { description: 'Fork.' }) repositoryId!: string;
  @Field(() => String, { description: 'Short name of the branch, in the fork and in its origin.' }) branch!: string;
}

const MergeBranchPayload = payloadOf('mergeBranch', {
  mergeCommit: [() => Commit, 'Merge commit; null when the branch has the commits already.'],
});
const MergeUpstreamPayload = payloadOf('mergeUpstream', {
  ref: [() => Ref, 'Branch of the fork, up to date.'],
});

@ArgsType()
class MergeArgs extends RepositoryArgs {
  @Field(() => String, { description: 'Short name of the branch that gets the commits.' }) base!: string;
  @Field(() => String, { description: 'Branch, tag or commit id to merge.' }) head!: string;
  @optionalField(() => String, 'Message of the merge commit.') message?: string | null;
}

@Resolver()
export class MergeMutations {
  @Access('contents:write')
  @Mutation(() => MergeBranchPayload, {
    nullable: true,
    description: 'Merges a branch or a commit into a branch, with a merge commit. Renames are not followed.',
  })
  async mergeBranch(
    @InputArg(() => MergeBranchInput) { repositoryId, base, head, commitMessage }: MergeBranchInput,
    @Ctx() context: Context,
  ): Promise<{ mergeCommit: GitObjectRow | null }> {
    const address = addressOfId(repositoryId, 'repositoryId');
    const { row, commit } = await mergeBranch(context, address, { base, head, message: commitMessage });
    return { mergeCommit: commit === null ? null : gitObjectRow('commit', row, commit) };
  }

  @Access('contents:write')
  @Mutation(() => MergeUpstreamPayload, {
    nullable: true,
    description: 'Brings a branch of a fork up to date with its origin: a fast-forward, or a merge commit.',
  })
  async mergeUpstream(
    @InputArg(() => MergeUpstreamInput) { repositoryId, branch }: MergeUpstreamInput,
    @Ctx() context: Context,
  ): Promise<{ ref: RefRow }> {
    const { row, tip } = await mergeUpstream(context, addressOfId(repositoryId, 'repositoryId'), branch);
    return { ref: { place: row, fullName: `refs/heads/${branch}`, oid: tip } };
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => MergeOutcome, { description: 'Merges a branch or a commit into a branch.' })
  async restMergeBranch(
    @Args(() => MergeArgs) { owner, name, ...merge }: MergeArgs,
    @Ctx() context: Context,
  ): Promise<object> {
    const { row, commit } = await mergeBranch(context, { owner, name }, merge);
    if (commit === null) return { __typename: 'NothingToMerge', branch: merge.base };
    const found = await findRepositoryCommit(context, { id: row.databaseId }, commit);
    return { __typename: 'RepositoryCommit', ...found };
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => MergedUpstream, { description: 'Brings a branch of a fork up to date.' })
  async restMergeUpstream(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('branch', () => String, { description: 'Short name.' }) branch: string,
    @Ctx() context: Context,
  ): Promise<MergedUpstream> {
    const { kind, upstream } = await mergeUpstream(context, repository, branch);
    return { message: sentences[kind](upstream), mergeType: kind, baseBranch: upstream };
  }
}

/** The published sentences. */
const sentences: Record<UpstreamMerge['kind'], (upstream: string) => string> = {
  merge: upstream => `Successfully fetched and merged from upstream ${upstream}.`,
  'fast-forward': upstream => `Successfully fetched and fast-forwarded from upstream ${upstream}.`,
  none: upstream => `This branch is not behind the upstream ${upstream}.`,
};
