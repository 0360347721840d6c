import { Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { MergeOutcome } from '../../../schema/hosting/commit-documents.ts';
import { Commit } from '../../../schema/hosting/git-object.ts';
import { Ref } from '../../../schema/hosting/ref.ts';
import { RepositoryInput } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import type { RefRow } from '../git-data/refs.queries.ts';
import { addressOfInput } from '../repositories/repository-ref.ts';
import { mergeBranch } from './merge-branch.ts';
import { mergeUpstream, type UpstreamMerge } from './merge-upstream.ts';

@InputType({ description: 'Input of `mergeBranch`.' })
class MergeBranchInput extends RepositoryInput {
  @Field(() => String, { description: 'Short name of the branch that gets the commits.' }) base!: string;
  @Field(() => String, { description: 'Branch, tag or commit id to merge.' }) head!: string;
  @optionalField(() => String, 'Message of the merge commit; one that names both when absent.')
  commitMessage?: string | null;
}

@InputType({ description: 'Input of `mergeUpstream`.' })
class MergeUpstreamInput extends RepositoryInput {
  @Field(() => String, { description: 'Short name of the branch, in the fork and in its origin.' }) branch!: string;
}

const MergeBranchPayload = payloadOf('mergeBranch', {
  mergeCommit: [() => Commit, 'Merge commit; null when the branch has the commits already.'],
  outcome: [() => MergeOutcome, 'Merge commit, or the branch that has the commits already.'],
});
const MergeUpstreamPayload = payloadOf('mergeUpstream', {
  ref: [() => Ref, 'Branch of the fork, up to date.'],
  message: [() => String, 'Sentence about what was done.'],
  mergeType: [() => String, 'Kind of the merge, such as `fast-forward`.'],
  upstream: [() => String, 'Login of the owner of the upstream repository, a colon, and the branch.'],
});

@Resolver()
export class MergeMutations {
  @Access('contents:write')
  @Mutation(() => MergeBranchPayload, {
    nullable: true,
    description: 'Merges a branch or a commit into a branch, with a merge commit. Renames are not followed.',
  })
  async mergeBranch(
    @InputArg(() => MergeBranchInput) { base, head, commitMessage, ...named }: MergeBranchInput,
    @Ctx() context: Context,
  ): Promise<{ mergeCommit: GitObjectRow | null; outcome: object }> {
    const merge = { base, head, message: commitMessage };
    const { row, commit } = await mergeBranch(context, addressOfInput(named), merge);
    const mergeCommit = commit === null ? null : gitObjectRow('commit', row, commit);
    return { mergeCommit, outcome: mergeCommit ?? { __typename: 'NothingToMerge', branch: base } };
  }

  @Access('contents:write')
  @Mutation(() => MergeUpstreamPayload, {
    nullable: true,
    description: 'Brings a branch of a fork up to date with its origin: a fast-forward, or a merge commit.',
  })
  async mergeUpstream(
    @InputArg(() => MergeUpstreamInput) { branch, ...named }: MergeUpstreamInput,
    @Ctx() context: Context,
  ): Promise<{ ref: RefRow; message: string; mergeType: string; upstream: string }> {
    const { row, tip, kind, upstream } = await mergeUpstream(context, addressOfInput(named), branch);
    const ref = { place: row, fullName: `refs/heads/${branch}`, oid: tip };
    return { ref, message: sentences[kind](upstream), mergeType: kind, upstream };
  }
}

/** The published sentences. */
const sentences: Record<UpstreamMerge['kind'], (upstream: string) => string> = {
  merge: upstream => `Successfully fetched and merged from upstream ${upstream}.`,
  'fast-forward': upstream => `Successfully fetched and fast-forwarded from upstream ${upstream}.`,
  none: upstream => `This branch is not behind the upstream ${upstream}.`,
};
