import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { LanguageSizes } from '../../../schema/hosting/detected-facts.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { languagesOf } from './languages.ts';

/** Languages of the files of repositories. */
@Resolver(() => Repository)
export class RepositoryLanguages {
  // Not in the public graph: in a list it would read the trees of each repository on its own.
  @RestOnly()
  @Cost(20)
  @FieldResolver(() => LanguageSizes, { description: 'Bytes of code at the tip of the default branch by language.' })
  async languageSizes(@Root() repository: OwnedRow, @Ctx() context: Context): Promise<Record<string, number>> {
    return Object.fromEntries((await languagesOf(context, repository)).map(({ name, size }) => [name, size]));
  }
}
