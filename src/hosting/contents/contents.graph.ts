import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { ArchiveLink, ContentForm, type ContentFormName, RepositoryContent } from '../../../schema/hosting/content.ts';
import { CommitPersonInput, FileDeleted, FileWritten } from '../../../schema/hosting/file-change.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { LongBase64, type TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { archiveLink } from './archive-link.ts';
import { deleteFile, writeFile } from './change-file.ts';
import { findContent } from './contents.queries.ts';
import { findReadme } from './readme.ts';

@ArgsType()
class RepositoryArgs {
  @Field(() => String, { description: 'Login of the owner.' }) owner!: string;
  @Field(() => String, { description: 'Name of the repository.' }) name!: string;
}

@ArgsType()
class ContentArgs extends RepositoryArgs {
  @Field(() => String, {
    nullable: true,
    description: 'A branch, a tag or the id of a commit; the default branch when left out.',
  })
  ref?: string | null;
  @Field(() => ContentForm, { defaultValue: 'JSON', description: 'The form that is wanted.' }) form!: ContentFormName;
  @Field(() => String, {
    defaultValue: '2026-03-10',
    description: 'Version of the REST API whose words are wanted: older ones call submodules in folders files.',
  })
  version!: string;
}

@ArgsType()
class FileChangeArgs extends RepositoryArgs {
  @Field(() => String, { description: 'Where the file stands, from the root on.' }) path!: string;
  @Field(() => String, { description: 'What the commit says about itself.' }) message!: string;
  @Field(() => String, { nullable: true, description: 'The branch; the default branch when left out.' }) branch?:
    | string
    | null;
  @Field(() => CommitPersonInput, { nullable: true, description: 'Who commits; the caller when left out.' })
  committer?: CommitPersonInput | null;
  @Field(() => CommitPersonInput, { nullable: true, description: 'Who wrote it; who commits when left out.' })
  author?: CommitPersonInput | null;
  @Field(() => String, {
    nullable: true,
    description: 'Time zone of dates that are left out, such as Europe/Berlin; UTC when left out.',
  })
  timeZone?: string | null;
}

@ArgsType()
class WriteFileArgs extends FileChangeArgs {
  @Field(() => LongBase64, { description: 'What shall be in it, in Base64.' }) content!: string | TextInPieces;
  @Field(() => String, { nullable: true, description: 'Id of the blob that is replaced; needed where there is one.' })
  sha?: string | null;
}

@ArgsType()
class DeleteFileArgs extends FileChangeArgs {
  @Field(() => String, { description: 'Id of the blob that goes.' }) sha!: string;
}

@Resolver()
export class ContentRoots {
  @Access('contents:read')
  @Cost(100)
  @Query(() => RepositoryContent, {
    nullable: true,
    description: 'What stands at a path of a repository; null when there is nothing to see.',
  })
  repositoryContent(
    @Args(() => ContentArgs) { owner, name, ref, form, version }: ContentArgs,
    @Arg('path', () => String, { defaultValue: '', description: 'The path; the root when left out.' }) path: string,
    @Ctx() context: Context,
  ) {
    return findContent(context, { owner, name }, { path, ref: ref ?? '', form, version });
  }

  @Access('contents:read')
  @Cost(100)
  @Query(() => RepositoryContent, {
    nullable: true,
    description: 'The file that introduces a repository or one of its folders; null when there is none to see.',
  })
  repositoryReadme(
    @Args(() => ContentArgs) { owner, name, ref, form, version }: ContentArgs,
    @Arg('directory', () => String, {
      nullable: true,
      description: 'The folder to look in; when left out, where such files usually are.',
    })
    directory: string | undefined,
    @Ctx() context: Context,
  ) {
    return findReadme(context, { owner, name }, { directory: directory ?? undefined, ref: ref ?? '', form, version });
  }

  @Access('contents:read')
  @Query(() => ArchiveLink, {
    nullable: true,
    description: 'Where an archive of a repository is; null when there is no repository to see.',
  })
  repositoryArchive(
    @Args(() => RepositoryArgs) { owner, name }: RepositoryArgs,
    @Arg('ref', () => String, { nullable: true, description: 'The default branch when left out.' })
    ref: string | undefined,
    @Arg('zip', () => Boolean, { defaultValue: false, description: 'A zip file instead of a tar file.' }) zip: boolean,
    @Ctx() context: Context,
  ): Promise<ArchiveLink | null> {
    return archiveLink(context, { owner, name }, ref ?? '', zip ? 'legacy.zip' : 'legacy.tar.gz');
  }

  @Access('contents:write')
  @Mutation(() => FileWritten, { description: 'Makes or replaces one file, as one commit.' })
  createOrUpdateFile(@Args(() => WriteFileArgs) { owner, name, ...change }: WriteFileArgs, @Ctx() context: Context) {
    return writeFile(context, { owner, name }, change);
  }

  @Access('contents:write')
  @Mutation(() => FileDeleted, { description: 'Takes one file away, as one commit.' })
  deleteFile(@Args(() => DeleteFileArgs) { owner, name, ...change }: DeleteFileArgs, @Ctx() context: Context) {
    return deleteFile(context, { owner, name }, change);
  }
}
