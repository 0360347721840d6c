import { Arg, Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { ContributorConnection } from '../../../schema/hosting/contributor.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { placeOf } from '../git-data/git-place.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { type ContributorRow, contributorsOf } from './contributors.queries.ts';

@Resolver(() => Repository)
export class RepositoryContributors {
  @Access('contents:read')
  @Cost(100)
  @FieldResolver(() => ContributorConnection, {
    nullable: true,
    description: 'Authors of the newest 5,000 commits of the default branch, by their number of commits.',
  })
  async contributors(
    @Root() row: OwnedRow,
    @Arg('includeAnonymous', () => Boolean, {
      nullable: true,
      description: 'Whether authors without an account count; false by default.',
    })
    includeAnonymous: boolean | null | undefined,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<ContributorRow> | null> {
    const place = await placeOf(context, row);
    if (!place) return null;
    const source = await contributorsOf(context, place, { isAnonymous: includeAnonymous === true });
    return new Connection(ContributorConnection, source, args);
  }
}
