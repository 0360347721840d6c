import { FieldResolver, Resolver } from 'type-graphql';
import { License } from '../../../schema/hosting/detected-facts.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';

/** What clients ask of a repository and the product does not have. A client that reads the constant does the right thing. */
@Resolver(() => Repository)
export class AbsentRepositoryFeatures {
  @FieldResolver(() => Boolean, { description: 'Whether the repository has issues; always false.' })
  hasIssuesEnabled(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether the repository has projects; always false.' })
  hasProjectsEnabled(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether the repository has a wiki; always false.' })
  hasWikiEnabled(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether the repository has discussions; always false.' })
  hasDiscussionsEnabled(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether pull requests are merged by a merge commit; always false.' })
  mergeCommitAllowed(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether pull requests are merged by a rebase; always false.' })
  rebaseMergeAllowed(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether pull requests are merged by a squash; always false.' })
  squashMergeAllowed(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether merged branches are deleted; always false.' })
  deleteBranchOnMerge(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether the repository is disabled; always false.' })
  isDisabled(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether the repository is locked for a move; always false.' })
  isLocked(): boolean {
    return false;
  }

  @FieldResolver(() => Boolean, { description: 'Whether the repository mirrors another one; always false.' })
  isMirror(): boolean {
    return false;
  }

  @FieldResolver(() => Uri, { nullable: true, description: 'URL of the mirrored repository; always null.' })
  mirrorUrl(): null {
    return null;
  }

  @FieldResolver(() => License, {
    nullable: true,
    description: 'License; always null, because licenses are not detected.',
  })
  licenseInfo(): null {
    return null;
  }
}
