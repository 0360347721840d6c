import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { GitPersonInput, GitTextEncoding, type GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import { GitTreeChange, maxGitRequestBytes } from '../../../schema/hosting/git-data.ts';
import { Blob, Tag, Tree } from '../../../schema/hosting/git-object.ts';
import { Ref, RefUpdate } from '../../../schema/hosting/ref.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { GitObjectId } from '../../../schema/vocabulary/git-scalars.ts';
import { LargeInput } from '../../../schema/vocabulary/large-input.ts';
import { MaxItems } from '../../../schema/vocabulary/max-items.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { selectionBelow } from '../../db/selection.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { addressOfId, addressOfRef } from '../repositories/repository-ref.ts';
import { createRef, deleteRef, updateRef, updateRefs } from './change-refs.ts';
import { createBlob, createTag, createTree, maxTreeEntries } from './create-objects.ts';
import type { TreeRow } from './find-tree-entry.ts';
import { refOfId } from './git-key.ts';
import type { GitObjectRow } from './git-objects.queries.ts';
import type { RefRow } from './refs.queries.ts';

const expectedOid = 'Id that the ref must point to before the change; no condition when absent.';

@InputType({ description: 'Input of `createBlob`.' })
class CreateBlobInput {
  @Field(() => RepositoryRef, { description: 'Repository.' }) repository!: RepositoryRef;
  @LargeInput(maxGitRequestBytes)
  @Field(() => String, { description: 'Content of the blob; sent as a variable, in a request of at most 40 MiB.' })
  content!: string;
  @Field(() => GitTextEncoding, { defaultValue: GitTextEncoding.UTF8, description: 'Encoding of the content.' })
  encoding!: GitTextEncodingValue;
}

@InputType({ description: 'Input of `createTree`.' })
class CreateTreeInput {
  @Field(() => RepositoryRef, { description: 'Repository.' }) repository!: RepositoryRef;
  @MaxItems(maxTreeEntries)
  @LargeInput(maxGitRequestBytes)
  @Field(() => [GitTreeChange], {
    description: `Entries to set or delete: at most ${maxTreeEntries.toLocaleString('en')}, sent as a variable.`,
  })
  entries!: GitTreeChange[];
  @optionalField(() => GitObjectId, 'Tree to change; the empty tree when absent.') baseTreeOid?: string | null;
}

@InputType({ description: 'Input of `createTag`.' })
class CreateTagInput {
  @Field(() => RepositoryRef, { description: 'Repository.' }) repository!: RepositoryRef;
  @Field(() => String, { description: 'Name of the tag.' }) name!: string;
  @Field(() => String, { description: 'Message of the tag.' }) message!: string;
  @Field(() => GitObjectId, { description: 'Object that the tag names.' }) targetOid!: string;
  @optionalField(() => GitPersonInput, 'Tagger; the caller when absent.') tagger?: GitPersonInput | null;
  @optionalField(() => String, 'IANA time zone of an absent date; UTC when absent.') timeZone?: string | null;
}

@InputType({ description: 'Input of `createRef`.' })
class CreateRefInput {
  @Field(() => ID, { description: 'Global id of the repository.' }) repositoryId!: string;
  @Field(() => String, { description: 'Full name: refs/heads/main.' }) name!: string;
  @Field(() => GitObjectId, { description: 'Object that the ref points to; a commit for a branch.' }) oid!: string;
}

@InputType({ description: 'Input of `updateRef`.' })
class UpdateRefInput {
  @Field(() => ID, { description: 'Global id of the ref.' }) refId!: string;
  @Field(() => GitObjectId, { description: 'Object that the ref points to from now on.' }) oid!: string;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Whether an update that is not a fast-forward is allowed.',
  })
  force?: boolean | null;
  @optionalField(() => GitObjectId, expectedOid) expectedOid?: string | null;
}

@InputType({ description: 'Input of `updateRefs`.' })
class UpdateRefsInput {
  @Field(() => ID, { description: 'Global id of the repository.' }) repositoryId!: string;
  @Field(() => [RefUpdate], { description: 'Changes of different refs, all made or none.' }) refUpdates!: RefUpdate[];
}

@InputType({ description: 'Input of `deleteRef`.' })
class DeleteRefInput {
  @Field(() => ID, { description: 'Global id of the ref.' }) refId!: string;
  @optionalField(() => GitObjectId, expectedOid) expectedOid?: string | null;
}

const CreateBlobPayload = payloadOf('createBlob', { blob: [() => Blob, 'Blob stored.'] });
const CreateTreePayload = payloadOf('createTree', { tree: [() => Tree, 'Tree stored.'] });
const CreateTagPayload = payloadOf('createTag', { tag: [() => Tag, 'Tag stored.'] });
const CreateRefPayload = payloadOf('createRef', { ref: [() => Ref, 'Ref created.'] });
const UpdateRefPayload = payloadOf('updateRef', { ref: [() => Ref, 'Ref updated.'] });
const UpdateRefsPayload = payloadOf('updateRefs', {
  repository: [() => Repository, 'Repository whose refs were changed.'],
});
const DeleteRefPayload = payloadOf('deleteRef', { deletedId: [() => ID, 'Global id of the deleted ref.'] });

@Resolver()
export class GitDataRoots {
  @Access('contents:write')
  @Mutation(() => CreateBlobPayload, { nullable: true, description: 'Stores a blob.' })
  async createBlob(
    @InputArg(() => CreateBlobInput) { repository, ...input }: CreateBlobInput,
    @Ctx() context: Context,
  ): Promise<{ blob: GitObjectRow }> {
    return { blob: await createBlob(context, addressOfRef(repository), input) };
  }

  @Access('contents:write')
  @Mutation(() => CreateTreePayload, {
    nullable: true,
    description: 'Stores a tree: a base tree with changes, or only the given entries.',
  })
  async createTree(
    @InputArg(() => CreateTreeInput) { repository, ...input }: CreateTreeInput,
    @Ctx() context: Context,
  ): Promise<{ tree: TreeRow }> {
    return { tree: await createTree(context, addressOfRef(repository), input) };
  }

  @Access('contents:write')
  @Mutation(() => CreateTagPayload, {
    nullable: true,
    description: 'Stores an annotated tag. It gets its ref by `createRef`.',
  })
  async createTag(
    @InputArg(() => CreateTagInput) { repository, ...input }: CreateTagInput,
    @Ctx() context: Context,
  ): Promise<{ tag: GitObjectRow }> {
    return { tag: await createTag(context, addressOfRef(repository), input) };
  }

  @Access('contents:write')
  @Mutation(() => CreateRefPayload, { nullable: true, description: 'Creates a branch, a tag or another ref.' })
  async createRef(
    @InputArg(() => CreateRefInput) { repositoryId, ...input }: CreateRefInput,
    @Ctx() context: Context,
  ): Promise<{ ref: RefRow }> {
    return { ref: await createRef(context, addressOfId(repositoryId, 'repositoryId'), input) };
  }

  @Access('contents:write')
  @Mutation(() => UpdateRefPayload, { nullable: true, description: 'Updates a ref.' })
  async updateRef(
    @InputArg(() => UpdateRefInput) { refId, force, ...input }: UpdateRefInput,
    @Ctx() context: Context,
  ): Promise<{ ref: RefRow }> {
    const { repositoryId, rest } = refOfId(refId, 'refId');
    return { ref: await updateRef(context, { id: repositoryId }, { name: rest, isForced: force, ...input }) };
  }

  @Access('contents:write')
  @Mutation(() => UpdateRefsPayload, {
    nullable: true,
    description: 'Creates, updates and deletes refs of a repository in one transaction.',
  })
  async updateRefs(
    @InputArg(() => UpdateRefsInput) { repositoryId, refUpdates }: UpdateRefsInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ repository: OwnedRow | null }> {
    const changes = refUpdates.map(({ name, beforeOid, afterOid, force }) => ({
      name,
      expectedOid: beforeOid,
      oid: afterOid,
      isForced: force,
    }));
    const id = await updateRefs(context, addressOfId(repositoryId, 'repositoryId'), changes);
    const wanted = selectionBelow(info, 'repository');
    return { repository: wanted.size > 0 ? await context.load(repositoriesByIds, wanted).load(id) : null };
  }

  @Access('contents:write')
  @Mutation(() => DeleteRefPayload, { nullable: true, description: 'Deletes a ref.' })
  async deleteRef(
    @InputArg(() => DeleteRefInput) { refId, expectedOid: before }: DeleteRefInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const { repositoryId, rest } = refOfId(refId, 'refId');
    await deleteRef(context, { id: repositoryId }, { name: rest, expectedOid: before });
    return { deletedId: refId };
  }
}
