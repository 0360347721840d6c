import { Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { GitCommitterInput, GitPersonInput } from '../../../schema/hosting/git-commit.ts';
import { branchRequired, CommitMessage, FileChanges } from '../../../schema/hosting/git-data.ts';
import { Commit } from '../../../schema/hosting/git-object.ts';
import { CommittableBranch, Ref } from '../../../schema/hosting/ref.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { GitObjectId } from '../../../schema/vocabulary/git-scalars.ts';
import { NotNull } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { badInput } from '../../errors/errors.ts';
import { refOfId } from '../git-data/git-key.ts';
import type { GitObjectRow } from '../git-data/git-objects.queries.ts';
import type { RefRow } from '../git-data/refs.queries.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import { createCommitOnBranch } from './create-commit-on-branch.ts';
import { createGitCommit } from './create-git-commit.ts';

@InputType({ description: 'Author and committer of a new commit.' })
abstract class CommitIdentities {
  @NotNull()
  @optionalField(() => GitPersonInput, 'Author; the caller when absent.')
  author?: GitPersonInput | null;
  @NotNull()
  @optionalField(() => GitCommitterInput, 'Committer; the author when absent.')
  committer?: GitCommitterInput | null;
  @optionalField(() => String, 'IANA time zone of absent dates, such as Europe/Lisbon; UTC when absent.')
  timeZone?: string | null;
}

@InputType({ description: 'Input of `createGitCommit`.' })
class CreateGitCommitInput extends CommitIdentities {
  @optionalField(() => Boolean, branchRequired) requiresBranch?: boolean | null;
  @Field(() => RepositoryRef, { description: 'Repository that stores the commit, and has its tree and parents.' })
  repository!: RepositoryRef;
  @Field(() => String, { description: 'Message of the commit, stored unchanged.' }) message!: string;
  @Field(() => String, { description: 'Object id of the root tree.' }) treeOid!: string;
  @NotNull()
  @optionalField(() => [String], 'Object ids of the parents; none when absent.')
  parentOids?: string[] | null;
  @NotNull()
  @optionalField(() => String, 'Armored PGP or SSH signature over the exact bytes of the unsigned commit.')
  signature?: string | null;
}

@InputType({ description: 'Input of `createCommitOnBranch`.' })
class CreateCommitOnBranchInput extends CommitIdentities {
  @Field(() => CommittableBranch, { description: 'Branch that gets the commit.' }) branch!: CommittableBranch;
  @Field(() => CommitMessage, { description: 'Message of the commit: its first line, and the text after it.' })
  message!: CommitMessage;
  @optionalField(
    () => GitObjectId,
    'Tip that the branch must have; all zeros if it must not exist; no condition when absent.',
  )
  expectedHeadOid?: string | null;
  @optionalField(() => FileChanges, 'Files to change; none when absent.') fileChanges?: FileChanges | null;
}

const CreateGitCommitPayload = payloadOf('createGitCommit', {
  commit: [() => Commit, 'Commit that was stored. It moves no branch.'],
});
const CreateCommitOnBranchPayload = payloadOf('createCommitOnBranch', {
  commit: [() => Commit, 'Commit that was created, the new tip of the branch.'],
  ref: [() => Ref, 'Branch, which points to the commit.'],
});

@Resolver()
export class GitCommitRoots {
  @Access('contents:write')
  @Mutation(() => CreateGitCommitPayload, {
    nullable: true,
    description: 'Creates a commit of an existing tree and existing parents. No branch moves.',
  })
  async createGitCommit(
    @InputArg(() => CreateGitCommitInput) { repository, ...input }: CreateGitCommitInput,
    @Ctx() context: Context,
  ): Promise<{ commit: GitObjectRow }> {
    return { commit: await createGitCommit(context, addressOfRef(repository), input) };
  }

  @Access('contents:write')
  @Mutation(() => CreateCommitOnBranchPayload, {
    nullable: true,
    description: 'Changes several files of a branch in one commit. An empty repository gets its first branch.',
  })
  createCommitOnBranch(
    @InputArg(() => CreateCommitOnBranchInput) input: CreateCommitOnBranchInput,
    @Ctx() context: Context,
  ): Promise<{ commit: GitObjectRow; ref: RefRow }> {
    const { branch, message, fileChanges, ...rest } = input;
    const { address, name } = branchOf(branch);
    return createCommitOnBranch(context, address, {
      ...rest,
      branch: name,
      message: message.body ? `${message.headline}\n\n${message.body}` : message.headline,
      additions: fileChanges?.additions ?? [],
      deletions: fileChanges?.deletions ?? [],
    });
  }
}

/** @throws GraphQLError BAD_USER_INPUT, status 400, for a reference that names no branch */
function branchOf({ id, repositoryNameWithOwner, branchName }: CommittableBranch): {
  address: RepositoryAddress;
  name: string | undefined;
} {
  const prefix = 'refs/heads/';
  if (id != null) {
    if (repositoryNameWithOwner != null || branchName != null)
      throw badInput('The branch has an id; its name must be absent.', 'branch');
    const { repositoryId, rest } = refOfId(id, 'branch.id');
    if (!rest.startsWith(prefix)) throw badInput('The ref is no branch.', 'branch');
    return { address: { id: repositoryId }, name: rest.slice(prefix.length) };
  }
  const [, owner, name] = /^([^/]+)\/([^/]+)$/.exec(repositoryNameWithOwner ?? '') ?? [];
  if (owner === undefined || name === undefined)
    throw badInput('repositoryNameWithOwner must be the owner, a slash and the name.', 'branch');
  const short = branchName?.startsWith(prefix) ? branchName.slice(prefix.length) : branchName;
  return { address: { owner, name }, name: short ?? undefined };
}
