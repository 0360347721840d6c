import { ArgsType, Field } from 'type-graphql';
import { RepositoryAffiliation } from '../../../schema/hosting/repository-filters.ts';
import {
  ForkSort,
  OrganizationRepositoryType,
  RepositorySort,
  RepositoryVisibilityFilter,
  UserRepositoryType,
  ViewerRepositoryType,
} from '../../../schema/hosting/repository-list-filters.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';

@ArgsType()
class SortedRepositoriesArgs extends ConnectionArgs {
  @optionalField(() => RepositorySort, 'Order.') sort?: RepositorySort | null;
  @optionalField(() => OrderDirection, 'Direction; ascending for an order by name, else descending.')
  direction?: OrderDirection | null;
}

@ArgsType()
export class ViewerRepositoriesArgs extends SortedRepositoriesArgs {
  @optionalField(() => RepositoryVisibilityFilter, 'Visibility; all by default.')
  visibility?: RepositoryVisibilityFilter | null;

  @Field(() => [RepositoryAffiliation], { nullable: true, description: 'Relations of the caller; all by default.' })
  affiliations?: RepositoryAffiliation[] | null;

  @optionalField(() => ViewerRepositoryType, 'Which repositories; not with a visibility or affiliations.')
  type?: ViewerRepositoryType | null;

  @optionalField(() => DateTime, 'Only repositories that were changed after this time.') updatedSince?: Date | null;
  @optionalField(() => DateTime, 'Only repositories that were changed before this time.') updatedBefore?: Date | null;
}

@ArgsType()
export class UserRepositoriesArgs extends SortedRepositoriesArgs {
  @Field(() => String, { description: 'Login of the user.' }) login!: string;
  @optionalField(() => UserRepositoryType, 'Which repositories; those that the user owns by default.')
  type?: UserRepositoryType | null;
}

@ArgsType()
export class OrganizationRepositoriesArgs extends SortedRepositoriesArgs {
  @Field(() => String, { description: 'Login of the organization.' }) login!: string;
  @optionalField(() => OrganizationRepositoryType, 'Which repositories; all by default.')
  type?: OrganizationRepositoryType | null;
}

@ArgsType()
export class RepositoryForksArgs extends ConnectionArgs {
  @optionalField(() => ForkSort, 'Order; the newest fork first by default.') sort?: ForkSort | null;
}
