import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { GitPersonInput, GitTextEncoding, type GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import {
  branchRequired,
  GitTreeChange,
  GitTreeItemInput,
  maxGitRequestBytes,
} from '../../../schema/hosting/git-data.ts';
import { Blob, Tag, Tree } from '../../../schema/hosting/git-object.ts';
import { Ref, RefName, RefUpdate } from '../../../schema/hosting/ref.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryInput, RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { GitObjectId } from '../../../schema/vocabulary/git-scalars.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { LargeInput } from '../../../schema/vocabulary/large-input.ts';
import { NotNull } from '../../../schema/vocabulary/limits.ts';
import { MaxItems } from '../../../schema/vocabulary/max-items.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { LongText, type TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { selectionBelow } from '../../db/selection.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { addressOfId, addressOfInput, addressOfRef } from '../repositories/repository-ref.ts';
import { createRef, deleteRef, updateRef, updateRefs } from './change-refs.ts';
import { createBlob, createTag, createTree, maxTreeEntries } from './create-objects.ts';
import type { TreeRow } from './find-tree-entry.ts';
import type { GitObjectRow } from './git-objects.queries.ts';
import { refOfInput } from './ref-input.ts';
import type { RefRow } from './refs.queries.ts';

@InputType({ description: 'Condition of a write of git data.' })
abstract class ConditionInput {
  @optionalField(() => Boolean, branchRequired) requiresBranch?: boolean | null;
}

const refusalKind = 'Whether a refusal by rules is a failed validation and no conflict.';
const expectedOid = 'Id that the ref must point to before the change; no condition when absent.';

@InputType({ description: 'Input of `createBlob`.' })
class CreateBlobInput extends ConditionInput {
  @Field(() => RepositoryRef, { description: 'Repository that stores the blob.' }) repository!: RepositoryRef;
  @LargeInput(maxGitRequestBytes)
  @Field(() => LongText, { description: 'Content of the blob; sent as a variable, in a request of at most 40 MiB.' })
  content!: string | TextInPieces;
  @Field(() => GitTextEncoding, { defaultValue: GitTextEncoding.UTF8, description: 'Encoding of the content.' })
  encoding!: GitTextEncodingValue;
  @optionalField(() => String, 'Name of the encoding, in place of `encoding`: `utf-8` or `base64`.')
  encodingName?: string | null;
}

@InputType({ description: 'Input of `createTree`.' })
class CreateTreeInput extends ConditionInput {
  @Field(() => RepositoryRef, { description: 'Repository that stores the tree, and has the objects of its entries.' })
  repository!: RepositoryRef;
  @MaxItems(maxTreeEntries)
  @LargeInput(maxGitRequestBytes)
  @Field(() => [GitTreeChange], {
    defaultValue: [],
    description: `Entries to set or delete: at most ${maxTreeEntries.toLocaleString('en')}, sent as a variable.`,
  })
  entries!: GitTreeChange[];
  @MaxItems(maxTreeEntries)
  @LargeInput(maxGitRequestBytes)
  @optionalField(() => [GitTreeItemInput], 'The same in the spelling of git, in place of `entries`.')
  items?: GitTreeItemInput[] | null;
  @optionalField(() => String, 'Object id of the tree to change; the empty tree when absent.')
  baseTreeOid?: string | null;
}

@InputType({ description: 'Input of `createTag`.' })
class CreateTagInput extends ConditionInput {
  @Field(() => RepositoryRef, { description: 'Repository that stores the tag, and has the object that it names.' })
  repository!: RepositoryRef;
  @Field(() => String, { description: 'Name of the tag.' }) name!: string;
  @Field(() => String, { description: 'Message of the tag.' }) message!: string;
  @Field(() => String, { description: 'Object id of what the tag names.' }) targetOid!: string;
  @optionalField(() => String, 'Type that the object must have, such as `commit`.') targetType?: string | null;
  @NotNull()
  @optionalField(() => GitPersonInput, 'Tagger; the caller when absent.')
  tagger?: GitPersonInput | null;
  @optionalField(() => String, 'IANA time zone of an absent date; UTC when absent.') timeZone?: string | null;
}

@InputType({ description: 'Input of `createRef`.' })
class CreateRefInput extends RepositoryInput {
  @optionalField(() => Boolean, refusalKind) refusesAsInvalid?: boolean | null;
  @optionalField(() => Boolean, branchRequired) requiresBranch?: boolean | null;
  @Field(() => String, { description: 'Full name: refs/heads/main.' }) name!: string;
  @Field(() => GitObjectId, { description: 'Object that the ref points to; a commit for a branch.' }) oid!: string;
}

@InputType({ description: 'Ref by its global id, or by its name.' })
abstract class RefInput extends ConditionInput {
  @optionalField(() => Boolean, refusalKind) refusesAsInvalid?: boolean | null;
  @optionalField(() => ID, 'Global id of the ref.') refId?: string | null;
  @optionalField(() => RefName, 'Ref, in place of `refId`.') ref?: RefName | null;
}

@InputType({ description: 'Input of `updateRef`.' })
class UpdateRefInput extends RefInput {
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
  @Field(() => ID, { description: 'Repository of the refs, by its global id.' }) repositoryId!: string;
  @Field(() => [RefUpdate], { description: 'Changes of different refs, all made or none.' }) refUpdates!: RefUpdate[];
}

@InputType({ description: 'Input of `deleteRef`.' })
class DeleteRefInput extends RefInput {
  @optionalField(() => GitObjectId, expectedOid) expectedOid?: string | null;
}

const CreateBlobPayload = payloadOf('createBlob', {
  blob: [() => Blob, 'Blob that was stored, or was there already.'],
});
const CreateTreePayload = payloadOf('createTree', {
  tree: [() => Tree, 'Tree that was stored, or was there already.'],
});
const CreateTagPayload = payloadOf('createTag', {
  tag: [() => Tag, 'Annotated tag that was stored. It gets its ref by `createRef`.'],
});
const CreateRefPayload = payloadOf('createRef', { ref: [() => Ref, 'Ref that was created.'] });
const UpdateRefPayload = payloadOf('updateRef', { ref: [() => Ref, 'Ref, which points to the new object.'] });
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
    @InputArg(() => CreateRefInput) { repositoryId, repository, ...input }: CreateRefInput,
    @Ctx() context: Context,
  ): Promise<{ ref: RefRow }> {
    return { ref: await createRef(context, addressOfInput({ repositoryId, repository }), input) };
  }

  @Access('contents:write')
  @Mutation(() => UpdateRefPayload, { nullable: true, description: 'Updates a ref.' })
  async updateRef(
    @InputArg(() => UpdateRefInput) { refId, ref, force, ...input }: UpdateRefInput,
    @Ctx() context: Context,
  ): Promise<{ ref: RefRow }> {
    const { address, name } = refOfInput({ refId, ref });
    return { ref: await updateRef(context, address, { name, isForced: force, ...input }) };
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
    @InputArg(() => DeleteRefInput) { refId, ref, ...input }: DeleteRefInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const { address, name } = refOfInput({ refId, ref });
    const id = await deleteRef(context, address, { name, ...input });
    return { deletedId: encodeGlobalId('Ref', `${id}:${name}`) };
  }
}
