import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { ArchiveLink, ContentForm, type ContentFormName, RepositoryContent } from '../../../schema/hosting/content.ts';
import { CommitPersonInput, FileDeleted, FileWritten } from '../../../schema/hosting/file-change.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { LongBase64, type TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { archiveLink } from './archive-link.ts';
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

@ArgsType()
class FileChangeArgs extends RepositoryArgs {
  @Field(() => String, { description: 'Path of the file, from the root.' }) path!: string;
  @Field(() => String, { description: 'Message of the commit.' }) message!: string;
  @Field(() => String, { nullable: true, description: 'Short name of the branch; the default branch when absent.' })
  branch?: string | null;
  @Field(() => CommitPersonInput, { nullable: true, description: 'Committer; the caller when absent.' })
  committer?: CommitPersonInput | null;
  @Field(() => CommitPersonInput, { nullable: true, description: 'Author; the committer when absent.' })
  author?: CommitPersonInput | null;
  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone of absent dates, such as Europe/Berlin; UTC when absent.',
  })
  timeZone?: string | null;
}

@ArgsType()
class WriteFileArgs extends FileChangeArgs {
  @Field(() => LongBase64, { description: 'New content in Base64, at most 100 MiB decoded.' }) content!:
    | string
    | TextInPieces;
  @Field(() => String, {
    nullable: true,
    description: 'Id of the blob that is replaced; required when the file exists.',
  })
  sha?: string | null;
}

@ArgsType()
class DeleteFileArgs extends FileChangeArgs {
  @Field(() => String, { description: 'Id of the blob that is deleted.' }) sha!: string;
}

@Resolver()
export class ContentRoots {
  @Access('contents:read')
  @Cost(100)
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

  @Access('contents:read')
  @Query(() => ArchiveLink, {
    nullable: true,
    description: 'Link to an archive of a repository; null when there is no such repository.',
  })
  repositoryArchive(
    @Args(() => RepositoryArgs) { owner, name }: RepositoryArgs,
    @Arg('ref', () => String, {
      nullable: true,
      description: 'Branch, tag or commit id; the default branch when absent.',
    })
    ref: string | undefined,
    @Arg('zip', () => Boolean, {
      defaultValue: false,
      description: 'Whether the archive is a zip file instead of a tar file.',
    })
    zip: boolean,
    @Ctx() context: Context,
  ): Promise<ArchiveLink | null> {
    return archiveLink(context, { owner, name }, ref ?? '', zip ? 'legacy.zip' : 'legacy.tar.gz');
  }

  @Access('contents:write')
  @Mutation(() => FileWritten, { description: 'Creates or replaces one file in one commit.' })
  createOrUpdateFile(@Args(() => WriteFileArgs) { owner, name, ...change }: WriteFileArgs, @Ctx() context: Context) {
    return writeFile(context, { owner, name }, change);
  }

  @Access('contents:write')
  @Mutation(() => FileDeleted, { description: 'Deletes one file in one commit.' })
  deleteFile(@Args(() => DeleteFileArgs) { owner, name, ...change }: DeleteFileArgs, @Ctx() context: Context) {
    return deleteFile(context, { owner, name }, change);
  }
}
