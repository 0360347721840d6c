import { ArgsType, Field } from 'type-graphql';
import { CollaboratorAffiliation, RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import {
  RepositoryAffiliation,
  RepositoryOrder,
  RepositoryPrivacy,
  RepositoryVisibility,
} from '../../../schema/hosting/repository-filters.ts';
import { StarOrder } from '../../../schema/hosting/starrable.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { RepositoryFilter } from './repository-lists.queries.ts';

/** Arguments of every list of repositories. Null restricts nothing. */
@ArgsType()
export class RepositoryListArgs extends ConnectionArgs {
  @Field(() => [RepositoryAffiliation], {
    nullable: 'itemsAndList',
    description: 'Only repositories that you have any of these relations to.',
  })
  affiliations?: (RepositoryAffiliation | null)[] | null;

  @optionalField(() => RepositoryPrivacy, 'Only public or only private repositories.')
  privacy?: RepositoryPrivacy | null;

  @optionalField(() => RepositoryVisibility, 'Only repositories with this visibility.')
  visibility?: RepositoryVisibility | null;

  @optionalField(() => Boolean, 'Only locked repositories, of which there are none, or only others.')
  isLocked?: boolean | null;

  @optionalField(() => Boolean, 'Only repositories with issues, of which there are none, or only others.')
  hasIssuesEnabled?: boolean | null;

  @optionalField(() => RepositoryOrder, 'Order of the repositories, in place of that of the list.')
  orderBy?: RepositoryOrder | null;
}

@ArgsType()
export class OwnedRepositoriesArgs extends RepositoryListArgs {
  @Field(() => [RepositoryAffiliation], {
    nullable: 'itemsAndList',
    description: 'Relations of the account to the repositories. Those of others than you are limited to `OWNER`.',
    defaultValue: [RepositoryAffiliation.OWNER, RepositoryAffiliation.COLLABORATOR],
  })
  ownerAffiliations?: (RepositoryAffiliation | null)[] | null;

  @optionalField(() => Boolean, 'Only forks, or only others.')
  isFork?: boolean | null;

  @optionalField(() => Boolean, 'Only archived repositories, or only others.')
  isArchived?: boolean | null;

  @optionalField(() => DateTime, 'Only repositories that were changed after this time.') updatedSince?: Date | null;
  @optionalField(() => DateTime, 'Only repositories that were changed before this time.') updatedBefore?: Date | null;
}

@ArgsType()
export class StargazersArgs extends ConnectionArgs {
  @optionalField(() => StarOrder, 'Order; the newest star first by default.')
  orderBy?: StarOrder | null;
}

@ArgsType()
export class StarredRepositoriesArgs extends StargazersArgs {
  @optionalField(() => Boolean, 'Only repositories that you own.')
  ownedByViewer?: boolean | null;
}

@ArgsType()
export class CollaboratorsArgs extends ConnectionArgs {
  @optionalField(() => CollaboratorAffiliation, 'Relation to the owner; `ALL` by default.')
  affiliation?: CollaboratorAffiliation | null;

  @optionalField(() => RepositoryPermission, 'Lowest permission of the listed collaborators; any when absent.')
  leastPermission?: RepositoryPermission | null;

  @optionalField(() => String, 'Only the collaborator with this login.')
  login?: string | null;

  @optionalField(() => String, 'Only collaborators with this text in the login or in the display name.')
  query?: string | null;
}

/** The filter in the arguments of a list, and no page: it names the list among those of a request. */
export function filterOf(args: Partial<OwnedRepositoriesArgs>): RepositoryFilter {
  const { affiliations, privacy, visibility, isFork, isArchived, isLocked, hasIssuesEnabled } = args;
  const { updatedSince, updatedBefore, orderBy } = args;
  return {
    affiliations: affiliations && presentOnly(affiliations),
    privacy,
    visibility,
    isFork,
    isArchived,
    isLocked,
    hasIssuesEnabled,
    updatedSince,
    updatedBefore,
    orderBy: orderBy && { field: orderBy.field, direction: orderBy.direction },
  };
}

/** Items of a list of the graph may be null. */
export function presentOnly<Item>(items: readonly (Item | null)[]): Item[] {
  return items.filter(item => item !== null);
}
