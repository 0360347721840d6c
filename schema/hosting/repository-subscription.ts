import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';

@ObjectType({ description: 'Subscription of a user to the events of a repository.', simpleResolvers: true })
export class RepositorySubscription {
  @Computed(() => Boolean, 'Whether the user watches the repository.')
  isSubscribed!: boolean;

  @Computed(() => DateTime, 'Time of the subscription.')
  createdAt!: string;

  @Computed(() => Uri, 'Path of the page of the repository.')
  resourcePath!: string;
}
