import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Resolver, Root, Subscription } from 'type-graphql';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  SourceImport,
  SourceImportAuthor,
  SourceImportAuthorConnection,
  type SourceImportLargeFile,
  SourceImportLargeFileConnection,
} from '../../../schema/hosting/source-import.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import { subscribeToImport } from './import-subscription.ts';
import { mapImportAuthor } from './map-import-author.ts';
import {
  CancelSourceImportInput,
  ImportAuthorArgs,
  ImportListArgs,
  MapSourceImportAuthorInput,
  SetSourceImportLfsInput,
  StartSourceImportInput,
  UpdateSourceImportInput,
} from './source-import-inputs.ts';
import { authorList, importsByRepositories, largeFileList } from './source-imports.queries.ts';
import { startSourceImport } from './start-source-import.ts';
import { cancelSourceImport, setLfsPreference, updateSourceImport } from './update-source-import.ts';

const importPayload = (mutation: string, description: string) =>
  payloadOf(mutation, { sourceImport: [() => SourceImport, description] });
const StartSourceImportPayload = importPayload('startSourceImport', 'Import that was started.');
const UpdateSourceImportPayload = importPayload('updateSourceImport', 'Import, restarted unless it is complete.');
const SetSourceImportLfsPayload = importPayload(
  'setSourceImportLfs',
  'Import with the chosen treatment of large files.',
);
const CancelSourceImportPayload = payloadOf('cancelSourceImport', {
  repository: [() => Repository, 'Repository whose import was cancelled.'],
});
const MapSourceImportAuthorPayload = payloadOf('mapSourceImportAuthor', {
  author: [() => SourceImportAuthor, 'Author of the source, with the name and address that commits get.'],
});

interface ImportPayload {
  sourceImport: SourceImport;
}

@Resolver()
export class SourceImportRoots {
  @Access('source-imports:write')
  @Mutation(() => StartSourceImportPayload, {
    nullable: true,
    description: 'Starts the import of a source into an empty repository.',
  })
  async startSourceImport(
    @InputArg(() => StartSourceImportInput) { repository, ...input }: StartSourceImportInput,
    @Ctx() context: Context,
  ): Promise<ImportPayload> {
    return { sourceImport: await startSourceImport(context, addressOfRef(repository), input) };
  }

  @Access('source-imports:write')
  @Mutation(() => UpdateSourceImportPayload, {
    nullable: true,
    description: 'Restarts an import, with new credentials, a chosen project, or neither.',
  })
  async updateSourceImport(
    @InputArg(() => UpdateSourceImportInput) { repository, ...input }: UpdateSourceImportInput,
    @Ctx() context: Context,
  ): Promise<ImportPayload> {
    return { sourceImport: await updateSourceImport(context, addressOfRef(repository), input) };
  }

  @Access('source-imports:write')
  @Mutation(() => CancelSourceImportPayload, {
    nullable: true,
    description: 'Cancels and deletes an import. Pushed commits stay.',
  })
  async cancelSourceImport(
    @InputArg(() => CancelSourceImportInput) { repository }: CancelSourceImportInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ repository: OwnedRow | null }> {
    const { databaseId } = await cancelSourceImport(context, addressOfRef(repository));
    const wanted = selectionOf(info).get('repository');
    return { repository: wanted ? await context.load(repositoriesByIds, wanted).load(databaseId) : null };
  }

  @Access('source-imports:write')
  @Mutation(() => MapSourceImportAuthorPayload, {
    nullable: true,
    description: 'Changes the name or e-mail address of an author in all imported commits.',
  })
  async mapSourceImportAuthor(
    @InputArg(() => MapSourceImportAuthorInput) { repository, authorId, name, email }: MapSourceImportAuthorInput,
    @Ctx() context: Context,
  ): Promise<{ author: SourceImportAuthor }> {
    const author = numberOfId('SourceImportAuthor', authorId, 'authorId');
    const given = { name: name ?? null, email: email ?? null };
    return { author: await mapImportAuthor(context, addressOfRef(repository), author, given) };
  }

  @Access('source-imports:write')
  @Mutation(() => SetSourceImportLfsPayload, { nullable: true, description: 'Sets the treatment of large files.' })
  async setSourceImportLfs(
    @InputArg(() => SetSourceImportLfsInput) { repository, preference }: SetSourceImportLfsInput,
    @Ctx() context: Context,
  ): Promise<ImportPayload> {
    return { sourceImport: await setLfsPreference(context, addressOfRef(repository), preference) };
  }

  @Access('source-imports:read')
  @Subscription(() => SourceImport, {
    nullable: true,
    subscribe: ({ args, context }) =>
      subscribeToImport(context as Context, numberOfId('Repository', String(args.repositoryId), 'repositoryId')),
    description: 'State of an import, now and after each change. Ends with the import or with your access.',
  })
  sourceImportChanged(
    @Root() state: SourceImport,
    @Arg('repositoryId', () => ID, { description: 'Repository of the import, by its global id.' }) _id: string,
    @Ctx() context: Context,
  ): SourceImport {
    // Else the context would keep what it loaded for earlier states.
    context.beginEvent();
    return state;
  }
}

@Resolver(() => Repository)
export class RepositorySourceImport {
  @Access('source-imports:read')
  @FieldResolver(() => SourceImport, { nullable: true, description: 'Source import; null when there is none.' })
  sourceImport(
    @Root() row: OwnedRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SourceImport | null> {
    return context.load(importsByRepositories, selectionOf(info)).load(row.databaseId);
  }
}

@Resolver(() => SourceImport)
export class SourceImportLists {
  @FieldResolver(() => SourceImportAuthorConnection, {
    nullable: true,
    description: 'Authors of the source, by number.',
  })
  authors(
    @Root() row: SourceImport,
    @Args(() => ImportAuthorArgs) { since, ...args }: ImportAuthorArgs,
    @Ctx() context: Context,
  ): Connection<SourceImportAuthor> {
    return new Connection(SourceImportAuthorConnection, authorList(context, row, since), args);
  }

  @FieldResolver(() => SourceImportLargeFileConnection, {
    nullable: true,
    description: 'Files of more than 100 MB, largest first, at most 1,000.',
  })
  largeFiles(
    @Root() row: SourceImport,
    @Args(() => ImportListArgs) args: ImportListArgs,
    @Ctx() context: Context,
  ): Connection<SourceImportLargeFile> {
    return new Connection(SourceImportLargeFileConnection, largeFileList(context, row), args);
  }
}
