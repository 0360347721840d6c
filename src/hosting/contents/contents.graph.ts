import { Arg, Args, ArgsType, Ctx, Field, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { ContentForm, type ContentFormName, RepositoryContent } from '../../../schema/hosting/content.ts';
import { CommitPersonInput, FileDeleted, FileWritten } from '../../../schema/hosting/file-change.ts';
import { Commit, TreeEntry } from '../../../schema/hosting/git-object.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import { LongBase64, type TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { pathParts } from '../../git/tree-path.ts';
import type { TreeEntryRow } from '../git-data/find-tree-entry.ts';
import type { GitObjectRow } from '../git-data/git-objects.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import { deleteFile, writeFile } from './change-file.ts';
import { findContent } from './contents.queries.ts';
import { findReadme } from './readme.ts';

@ArgsType()
class ContentArgs extends RepositoryArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Branch, tag or commit id; the default branch when absent.',
  })
  ref?: string | null;
  @Field(() => ContentForm, { defaultValue: 'JSON', description: 'Form of the content.' }) form!: ContentFormName;
  @Field(() => String, {
    defaultValue: '2026-03-10',
    description: 'Version of the REST API; older ones report submodules in directories as files.',
  })
  version!: string;
}

@InputType({ description: 'Change of one file.' })
abstract class FileChangeInput {
  @Field(() => RepositoryRef, { description: 'Repository.' }) repository!: RepositoryRef;
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
  @Field(() => String, { description: 'Id of the blob that is deleted.' }) blobOid!: string;
}

@ObjectType({ description: 'Payload of `createOrUpdateFile`.', simpleResolvers: true })
class CreateOrUpdateFilePayload {
  @Field(() => Commit, { nullable: true, description: 'Commit that wrote the file.' }) commit!: GitObjectRow | null;
  @Field(() => TreeEntry, { nullable: true, description: 'File written.' }) file!: TreeEntryRow | null;
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
export class ContentRoots {
  @Access('contents:read')
  @Cost(100)
  @RestOnly()
  @Query(() => RepositoryContent, {
    nullable: true,
    description: 'Content at a path of a repository; null when there is none.',
  })
  repositoryContent(
    @Args(() => ContentArgs) { owner, name, ref, form, version }: ContentArgs,
    @Arg('path', () => String, { defaultValue: '', description: 'Path; the root when absent.' }) path: string,
    @Ctx() context: Context,
  ) {
    return findContent(context, { owner, name }, { path, ref: ref ?? '', form, version });
  }

  @Access('contents:read')
  @Cost(100)
  @RestOnly()
  @Query(() => RepositoryContent, {
    nullable: true,
    description: 'Readme of a repository or directory; null when there is none.',
  })
  repositoryReadme(
    @Args(() => ContentArgs) { owner, name, ref, form, version }: ContentArgs,
    @Arg('directory', () => String, {
      nullable: true,
      description: 'Directory to search; the usual places when absent.',
    })
    directory: string | undefined,
    @Ctx() context: Context,
  ) {
    return findReadme(context, { owner, name }, { directory: directory ?? undefined, ref: ref ?? '', form, version });
  }

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
