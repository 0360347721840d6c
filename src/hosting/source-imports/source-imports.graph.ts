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

const owner = () => Arg('owner', () => String, { description: 'Login of the owner.' });
const repositoryName = () => Arg('name', () => String, { description: 'Name of the repository.' });

@ArgsType()
class UpdateImportArgs {
  @Field(() => String, { description: 'Login of the owner.' })
  owner!: string;

  @Field(() => String, { description: 'Name of the repository.' })
  name!: string;

  @Field(() => SourceControlInput, { nullable: true, description: 'What keeps the versions of the source.' })
  vcs?: SourceControlInputValue | null;

  @Field(() => String, { nullable: true, description: 'Name with which the source is asked.' })
  username?: string | null;

  @Field(() => String, { nullable: true, description: 'Password with which the source is asked.' })
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'Project of the source, where it has several.' })
  tfvcProject?: string | null;
}

@ArgsType()
class StartImportArgs extends UpdateImportArgs {
  @Field(() => String, { description: 'Address of the source, of http or https.' })
  vcsUrl!: string;
}

@Resolver()
export class SourceImportRoots {
  @Access('source-imports:read')
  @Query(() => SourceImport, { nullable: true, description: 'The import of a repository; null when there is none.' })
  async sourceImport(
    @owner() login: string,
    @repositoryName() name: string,
    @Ctx() context: Context,
  ): Promise<SourceImport | null> {
    return findImport(context, await openImportRepository(context, { owner: login, name }, 'source-imports:read'));
  }

  @Access('source-imports:read')
  @Extensions({ listSize: maxAuthors })
  @Cost(2)
  @Query(() => [SourceImportAuthor], {
    description: 'Authors of an imported source by number, the first 1,000 behind `since`.',
  })
  async sourceImportAuthors(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('since', () => GraphQLSafeInt, { defaultValue: 0, description: 'Only authors with a larger number.' })
    since: number,
    @Ctx() context: Context,
  ): Promise<SourceImportAuthor[]> {
    const place = await openImportRepository(context, { owner: login, name }, 'source-imports:read');
    return importAuthors(context, place, since);
  }

  @Access('source-imports:read')
  @Extensions({ listSize: maxLargeFiles })
  @Cost(2)
  @Query(() => [SourceImportLargeFile], {
    description: 'Files of more than 100 MB in an imported source, the largest first, at most 1,000.',
  })
  async sourceImportLargeFiles(
    @owner() login: string,
    @repositoryName() name: string,
    @Ctx() context: Context,
  ): Promise<SourceImportLargeFile[]> {
    return importLargeFiles(
      context,
      await openImportRepository(context, { owner: login, name }, 'source-imports:read'),
    );
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImport, { description: 'Starts the import of a source into an empty repository.' })
  startSourceImport(
    @Args(() => StartImportArgs) { owner: login, name, ...input }: StartImportArgs,
    @Ctx() context: Context,
  ): Promise<SourceImport> {
    return startSourceImport(context, { owner: login, name }, input);
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImport, {
    description: 'Gives an import credentials or a choice of what was found, and starts it anew.',
  })
  updateSourceImport(
    @Args(() => UpdateImportArgs) { owner: login, name, ...input }: UpdateImportArgs,
    @Ctx() context: Context,
  ): Promise<SourceImport> {
    return updateSourceImport(context, { owner: login, name }, input);
  }

  @Access('source-imports:write')
  @Mutation(() => Boolean, { description: 'Ends an import and forgets it. What has been pushed stays.' })
  async cancelSourceImport(
    @owner() login: string,
    @repositoryName() name: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await cancelSourceImport(context, { owner: login, name });
    return true;
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImportAuthor, {
    description: 'Gives an author another name or address in all imported commits.',
  })
  mapSourceImportAuthor(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('author', () => GraphQLSafeInt, { description: 'Number of the author.' }) author: number,
    @Arg('authorName', () => String, { nullable: true, description: 'The name; as it is when left out.' })
    authorName: string | null | undefined,
    @Arg('email', () => String, { nullable: true, description: 'The address; as it is when left out.' })
    email: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<SourceImportAuthor> {
    const given = { name: authorName ?? null, email: email ?? null };
    return mapImportAuthor(context, { owner: login, name }, author, given);
  }

  @Access('source-imports:write')
  @Mutation(() => SourceImport, { description: 'Decides about large files. Only `OPT_OUT` can be chosen here.' })
  setSourceImportLfs(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('useLfs', () => LfsChoice, { description: 'The decision.' }) useLfs: LfsChoiceValue,
    @Ctx() context: Context,
  ): Promise<SourceImport> {
    return setLfsPreference(context, { owner: login, name }, useLfs);
  }
}

@Resolver(() => Repository)
export class RepositorySourceImport {
  @Cost(1)
  @FieldResolver(() => SourceImport, {
    nullable: true,
    description: 'Its import from elsewhere, for who may ask `sourceImport`; null when there is none.',
  })
  async sourceImport(@Root() row: OwnedRow, @Ctx() context: Context): Promise<SourceImport | null> {
    const verdict = checkHostingScope('source-imports:read', context.actor);
    if (verdict !== true) throw verdict;
    return findImport(context, await openImportRepository(context, { id: row.databaseId }, 'source-imports:read'));
  }
}
