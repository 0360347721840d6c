import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { type Language, LanguageConnection } from '../../../schema/hosting/detected-facts.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection, listed } from '../../db/connection.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { languagesOf } from './languages.ts';

/** A language in the list of a repository. */
type LanguageSize = Language & { size: number };

/** Languages of the files of repositories. */
@Resolver(() => Repository)
export class RepositoryLanguages {
  @Cost(20)
  @FieldResolver(() => LanguageConnection, {
    nullable: true,
    description: 'Languages of the code at the tip of the default branch, most bytes first.',
  })
  languages(
    @Root() repository: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<LanguageSize> {
    const sizes = async (): Promise<LanguageSize[]> =>
      (await languagesOf(context, repository)).map(({ name, size }) => ({ name, color: null, size }));
    return new Connection(LanguageConnection, listed(sizes), args);
  }
}
