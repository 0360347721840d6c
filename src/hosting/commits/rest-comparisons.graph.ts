import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { type Contributor, ContributorConnection } from '../../../schema/hosting/commit-documents.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { contributorsOf } from './contributors.queries.ts';

/** Authors of commits, for the REST contract. */
@Resolver()
export class RestComparisons {
  @RestOnly()
  @Access('contents:read')
  @Cost(100)
  @Query(() => ContributorConnection, { description: 'Authors of the newest 5,000 commits of the default branch.' })
  async contributors(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('anonymous', () => String, { nullable: true, description: 'Whether authors without an account count: `1`.' })
    anonymous: string | undefined,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<Contributor>> {
    const isAnonymous = ['1', 'true'].includes(anonymous ?? '');
    return new Connection(ContributorConnection, await contributorsOf(context, repository, { isAnonymous }), args);
  }
}
