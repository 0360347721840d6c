import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Resolver, Root } from 'type-graphql';
import { ArchiveLink, ContentForm, type ContentFormName, RepositoryContent } from '../../../schema/hosting/content.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { placeOf } from '../git-data/git-place.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { archiveLink } from './archive-link.ts';
import { findContent } from './contents.queries.ts';
import { findReadme } from './readme.ts';

const ref = {
  nullable: true,
  description: 'Branch, tag or commit id; the default branch when absent.',
} as const;

@ArgsType()
class ContentArgs {
  @Field(() => String, ref) ref?: string | null;
  @Field(() => ContentForm, { defaultValue: 'JSON', description: 'Form of the content.' }) form!: ContentFormName;
  @Field(() => String, {
    defaultValue: '2026-03-10',
    description: 'Version of the REST API; older ones report submodules in directories as files.',
  })
  version!: string;
}

const forms = 'The contract has documents with URLs, in forms that a media type names. Use `object`.';

@Resolver(() => Repository)
export class RepositoryContents {
  @RestCorner(forms)
  @Access('contents:read')
  @Cost(100)
  @FieldResolver(() => RepositoryContent, {
    nullable: true,
    description: 'Content at a path; null when there is none.',
  })
  content(
    @Root() row: OwnedRow,
    @Args(() => ContentArgs) { ref, form, version }: ContentArgs,
    @Arg('path', () => String, { defaultValue: '', description: 'Path; the root when absent.' }) path: string,
    @Ctx() context: Context,
  ) {
    return findContent(context, row, { path, ref: ref ?? '', form, version });
  }

  @RestCorner(forms)
  @Access('contents:read')
  @Cost(100)
  @FieldResolver(() => RepositoryContent, {
    nullable: true,
    description: 'Readme of the repository or of a directory; null when there is none.',
  })
  readme(
    @Root() row: OwnedRow,
    @Args(() => ContentArgs) { ref, form, version }: ContentArgs,
    @Arg('directory', () => String, {
      nullable: true,
      description: 'Directory to search; the usual places when absent.',
    })
    directory: string | null | undefined,
    @Ctx() context: Context,
  ) {
    return findReadme(context, row, { directory: directory ?? undefined, ref: ref ?? '', form, version });
  }

  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => ArchiveLink, { nullable: true, description: 'Link to an archive of the files.' })
  async archiveLink(
    @Root() row: OwnedRow,
    @Arg('ref', () => String, ref) revision: string | null | undefined,
    @Arg('zip', () => Boolean, {
      defaultValue: false,
      description: 'Whether the archive is a zip file instead of a tar file.',
    })
    zip: boolean,
    @Ctx() context: Context,
  ): Promise<ArchiveLink | null> {
    const place = await placeOf(context, row);
    return place && archiveLink(context, place, revision ?? '', zip ? 'legacy.zip' : 'legacy.tar.gz');
  }
}
