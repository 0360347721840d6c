import { Arg, Args, Ctx, Int, Query, Resolver } from 'type-graphql';
import {
  CommitForm,
  type CommitFormName,
  ComparisonContent,
  type Contributor,
  ContributorConnection,
} from '../../../schema/hosting/commit-documents.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { compareRevisions, diffRevisions, patchRevisions } from './compare-revisions.ts';
import { contributorsOf } from './contributors.queries.ts';

/** Comparisons and authors of commits, for the REST contract. */
@Resolver()
export class RestComparisons {
  @RestOnly()
  @Access('contents:read')
  @Cost(100)
  @Query(() => ComparisonContent, { description: 'Comparison of two revisions.' })
  async comparison(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('range', () => String, { description: 'Base and head: `main...feature`.' }) range: string,
    @Arg('first', () => Int, { description: 'Commits of a page.' }) first: number,
    @Arg('page', () => Int, { description: 'Page of the commits, from 1.' }) page: number,
    @Arg('form', () => CommitForm, { defaultValue: 'JSON', description: 'Form of the answer.' }) form: CommitFormName,
    @Ctx() context: Context,
  ): Promise<object> {
    if (form === 'DIFF') return { __typename: 'PlainText', text: await diffRevisions(context, repository, range) };
    if (form === 'PATCH') return { __typename: 'PlainText', text: await patchRevisions(context, repository, range) };
    const bounds = { skip: (page - 1) * first, limit: first };
    return { __typename: 'CommitComparison', ...(await compareRevisions(context, repository, range, bounds)) };
  }

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
