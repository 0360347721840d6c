import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';

@ObjectType({ description: 'Subscription of the caller to a repository, over REST.', simpleResolvers: true })
export class RepositorySubscription {
  @Computed(() => Boolean, 'Whether the caller watches the repository.')
  isSubscribed!: boolean;

  @Computed(() => Boolean, 'Whether notifications are blocked; always false.')
  isIgnored!: boolean;

  @Computed(() => DateTime, 'Time of the subscription.')
  createdAt!: string;

  @Computed(() => Uri, 'Path of the page of the repository.')
  resourcePath!: string;
}
