import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { ArchiveLink } from '../../../schema/hosting/content.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { placeOf } from '../git-data/git-place.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { archiveLink } from './archive-link.ts';

@Resolver(() => Repository)
export class RepositoryContents {
  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => ArchiveLink, { nullable: true, description: 'Link to an archive of the files.' })
  async archiveLink(
    @Root() row: OwnedRow,
    @Arg('ref', () => String, {
      nullable: true,
      description: 'Branch, tag or commit id; the default branch when absent.',
    })
    ref: string | null | undefined,
    @Arg('zip', () => Boolean, {
      defaultValue: false,
      description: 'Whether the archive is a zip file instead of a tar file.',
    })
    zip: boolean,
    @Ctx() context: Context,
  ): Promise<ArchiveLink | null> {
    const place = await placeOf(context, row);
    return place && archiveLink(context, place, ref ?? '', zip ? 'legacy.zip' : 'legacy.tar.gz');
  }
}
