import { Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { CommitPersonInput, FileDeleted, FileWritten } from '../../../schema/hosting/file-change.ts';
import { Commit, TreeEntry } from '../../../schema/hosting/git-object.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { LongBase64, type TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { pathParts } from '../../git/tree-path.ts';
import type { TreeEntryRow } from '../git-data/find-tree-entry.ts';
import type { GitObjectRow } from '../git-data/git-objects.queries.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import { deleteFile, writeFile } from './change-file.ts';

@InputType({ description: 'Change of one file.' })
abstract class FileChangeInput {
  @Field(() => String, { description: 'Path of the file, from the root.' }) path!: string;
  @Field(() => String, { description: 'Message of the commit.' }) message!: string;
  @optionalField(() => String, 'Short name of the branch; the default branch when absent.') branch?: string | null;
  @optionalField(() => CommitPersonInput, 'Committer; the caller when absent.') committer?: CommitPersonInput | null;
  @optionalField(() => CommitPersonInput, 'Author; the committer when absent.') author?: CommitPersonInput | null;
  @optionalField(() => String, 'IANA time zone of absent dates, such as Europe/Berlin; UTC when absent.')
  timeZone?: string | null;
}

@InputType({ description: 'Input of `createOrUpdateFile`.' })
class CreateOrUpdateFileInput extends FileChangeInput {
  @Field(() => RepositoryRef, { description: 'Repository that the file is written to.' }) repository!: RepositoryRef;
  @Field(() => LongBase64, { description: 'New content in Base64, at most 100 MiB decoded.' }) content!:
    | string
    | TextInPieces;
  @optionalField(
    () => String,
    'Id of the blob that is replaced: required when the file exists, refused when it does not.',
  )
  blobOid?: string | null;
}

@InputType({ description: 'Input of `deleteFile`.' })
class DeleteFileInput extends FileChangeInput {
  @Field(() => RepositoryRef, { description: 'Repository whose file is deleted.' }) repository!: RepositoryRef;
  @Field(() => String, { description: 'Id of the blob that is deleted.' }) blobOid!: string;
}

@ObjectType({ description: 'Payload of `createOrUpdateFile`.', simpleResolvers: true })
class CreateOrUpdateFilePayload {
  @Field(() => Commit, { nullable: true, description: 'Commit that wrote the file.' }) commit!: GitObjectRow | null;
  @Field(() => TreeEntry, { nullable: true, description: 'Tree entry of the file that was written.' })
  file!: TreeEntryRow | null;
  @Field(() => FileWritten, { nullable: true, description: 'Whether the file was created or updated, with its URLs.' })
  written!: object | null;
}

@ObjectType({ description: 'Payload of `deleteFile`.', simpleResolvers: true })
class DeleteFilePayload {
  @Field(() => Commit, { nullable: true, description: 'Commit that deleted the file.' }) commit!: GitObjectRow | null;
  @Field(() => FileDeleted, { nullable: true, description: 'Commit, without a file.' })
  deleted!: object | null;
}

@Resolver()
export class ContentMutations {
  @Access('contents:write')
  @Mutation(() => CreateOrUpdateFilePayload, {
    nullable: true,
    description: 'Creates or replaces one file in one commit.',
  })
  async createOrUpdateFile(
    @InputArg(() => CreateOrUpdateFileInput) { repository, ...change }: CreateOrUpdateFileInput,
    @Ctx() context: Context,
  ): Promise<CreateOrUpdateFilePayload> {
    const { place, entry, ...written } = await writeFile(context, addressOfRef(repository), change);
    const file = { place, entry, path: pathParts(change.path).join('/') };
    return { commit: written.commit, file, written };
  }

  @Access('contents:write')
  @Mutation(() => DeleteFilePayload, { nullable: true, description: 'Deletes one file in one commit.' })
  async deleteFile(
    @InputArg(() => DeleteFileInput) { repository, ...change }: DeleteFileInput,
    @Ctx() context: Context,
  ): Promise<DeleteFilePayload> {
    const deleted = await deleteFile(context, addressOfRef(repository), change);
    return { commit: deleted.commit, deleted };
  }
}
