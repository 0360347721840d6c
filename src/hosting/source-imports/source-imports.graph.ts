import { GraphQLSafeInt } from 'graphql-scalars';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  LfsChoice,
  type LfsChoiceValue,
  SourceControlInput,
  type SourceControlInputValue,
  SourceImport,
  SourceImportAuthor,
  SourceImportLargeFile,
} from '../../../schema/hosting/source-import.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { mapImportAuthor } from './map-import-author.ts';
import {
  findImport,
  importAuthors,
  importLargeFiles,
  maxAuthors,
  maxLargeFiles,
  openImportRepository,
} from './source-imports.queries.ts';
import { startSourceImport } from './start-source-import.ts';
import { cancelSourceImport, setLfsPreference, updateSourceImport } from './update-source-import.ts';

@ArgsType()
class UpdateImportArgs extends RepositoryArgs {
  @Field(() => SourceControlInput, {
    nullable: true,
    description: 'Version control system of the source; detected when absent.',
  })
  vcs?: SourceControlInputValue | null;

  @Field(() => String, { nullable: true, description: 'User name for the source.' })
  username?: string | null;

  @Field(() => String, { nullable: true, description: 'Password for the source.' })
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'TFVC project, when the source has several.' })
  tfvcProject?: string | null;
}

@ArgsType()
class StartImportArgs extends UpdateImportArgs {
  @Field(() => String, { description: 'URL of the source: http or https, at most 2,048 characters.' })
  vcsUrl!: string;
}

@Resolver()
export class SourceImportRoots {
  @Access('source-imports:read')
  @Query(() => SourceImport, { nullable: true, description: 'Source import of a repository; null when there is none.' })
  async sourceImport(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Ctx() context: Context,
  ): Promise<SourceImport | null> {
    return findImport(context, await openImportRepository(context, repository, 'source-imports:read'));
  }

  @Access('source-imports:read')
  @Extensions({ listSize: maxAuthors })
  @Cost(2)
  @Query(() => [SourceImportAuthor], {
    description: 'Authors of an imported source, sorted by id, at most 1,000 after `since`.',
  })
  async sourceImportAuthors(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('since', () => GraphQLSafeInt, { defaultValue: 0, description: 'Id after which the list begins.' })
    since: number,
    @Ctx() context: Context,
  ): Promise<SourceImportAuthor[]> {
    const importRepository = await openImportRepository(context, repository, 'source-imports:read');
    return importAuthors(context, importRepository, since);
  }

  @Access('source-imports:read')
  @Extensions({ listSize: maxLargeFiles })
  @Cost(2)
  @Query(() => [SourceImportLargeFile], {
    description: 'Files of more than 100 MB in an imported source, largest first, at most 1,000.',
  })
  async sourceImportLargeFiles(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Ctx() context: Context,
  ): Promise<SourceImportLargeFile[]> {
    return importLargeFiles(context, await openImportRepository(context, repository, 'source-imports:read'));
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImport, { description: 'Starts the import of a source into an empty repository.' })
  startSourceImport(
    @Args(() => StartImportArgs) { owner, name, ...input }: StartImportArgs,
    @Ctx() context: Context,
  ): Promise<SourceImport> {
    return startSourceImport(context, { owner, name }, input);
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImport, {
    description: 'Restarts an import, optionally with credentials or a choice among the detected projects.',
  })
  updateSourceImport(
    @Args(() => UpdateImportArgs) { owner, name, ...input }: UpdateImportArgs,
    @Ctx() context: Context,
  ): Promise<SourceImport> {
    return updateSourceImport(context, { owner, name }, input);
  }

  @Access('source-imports:write')
  @Mutation(() => Boolean, { description: 'Cancels and deletes an import. Pushed commits stay.' })
  async cancelSourceImport(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await cancelSourceImport(context, repository);
    return true;
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImportAuthor, {
    description: 'Changes the name or email address of an author in all imported commits.',
  })
  mapSourceImportAuthor(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('author', () => GraphQLSafeInt, { description: 'Id of the author.' }) author: number,
    @Arg('authorName', () => String, { nullable: true, description: 'New name; unchanged when absent.' })
    authorName: string | null | undefined,
    @Arg('email', () => String, { nullable: true, description: 'New email address; unchanged when absent.' })
    email: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<SourceImportAuthor> {
    const given = { name: authorName ?? null, email: email ?? null };
    return mapImportAuthor(context, repository, author, given);
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImport, { description: 'Sets the treatment of large files. Only `OPT_OUT` is supported.' })
  setSourceImportLfs(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('useLfs', () => LfsChoice, { description: 'Whether large files are stored in Git LFS.' })
    useLfs: LfsChoiceValue,
    @Ctx() context: Context,
  ): Promise<SourceImport> {
    return setLfsPreference(context, repository, useLfs);
  }
}

@Resolver(() => Repository)
export class RepositorySourceImport {
  @Cost(1)
  @FieldResolver(() => SourceImport, {
    nullable: true,
    description: 'Source import, with the access rules of the query `sourceImport`; null when there is none.',
  })
  async sourceImport(@Root() row: OwnedRow, @Ctx() context: Context): Promise<SourceImport | null> {
    const verdict = checkHostingScope('source-imports:read', context.actor);
    if (verdict !== true) throw verdict;
    return findImport(context, await openImportRepository(context, { id: row.databaseId }, 'source-imports:read'));
  }
}
