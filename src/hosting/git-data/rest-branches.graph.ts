import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { type TagDocument, TagDocumentConnection } from '../../../schema/hosting/commit-documents.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { listTags } from './branches.queries.ts';

/** Tags as documents, for the REST contract. */
@Resolver()
export class RestBranches {
  @RestOnly()
  @Access('contents:read')
  @Query(() => TagDocumentConnection, { description: 'Tags of a repository, by name.' })
  async repositoryTags(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<TagDocument>> {
    return new Connection(TagDocumentConnection, await listTags(context, repository), args);
  }
}
