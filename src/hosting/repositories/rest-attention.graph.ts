import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { RepositoryConnection } from '../../../schema/hosting/repository.ts';
import { StarredRepositorySort } from '../../../schema/hosting/repository-list-filters.ts';
import { RepositorySubscription } from '../../../schema/hosting/repository-subscription.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { callingUser } from '../accounts/caller.ts';
import { subscriptionOf, subscriptionTo } from './attention.queries.ts';
import { type OwnedRow, repositoryFor } from './repositories.queries.ts';
import { RepositoryArgs } from './repository-args.ts';
import { starredBy } from './repository-lists.queries.ts';
import { setStarred, setWatched } from './star-and-watch.ts';

@ArgsType()
class StarsArgs extends ConnectionArgs {
  @Field(() => StarredRepositorySort, { description: 'Order.' }) sort!: StarredRepositorySort;
  @Field(() => OrderDirection, { description: 'Direction of the order.' }) direction!: OrderDirection;
}

@ArgsType()
class SubscriptionArgs extends RepositoryArgs {
  @Field(() => Boolean, { nullable: true, description: 'Whether the caller watches the repository; true by default.' })
  isSubscribed?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Must not be true: there are no notifications to block.' })
  isIgnored?: boolean | null;
}

const starOnly = new Map([['viewerHasStarred', noSelection]]);

function starsOf(context: Context, accountId: number, { sort, direction, ...page }: StarsArgs): Connection<OwnedRow> {
  const filter = { sort, direction };
  const list = batchedList(context, 'User.starredRepositories', filter, accountId, starredBy(context, filter));
  return new Connection<OwnedRow>(RepositoryConnection, list, page);
}

/** Stars and subscriptions by the names of repositories, for the REST contract. */
@Resolver()
export class RestAttentionRoots {
  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryConnection, {
    nullable: true,
    description: 'Repositories that an account starred; null when there is none with this login.',
  })
  async accountStars(
    @Arg('login', () => String, { description: 'Login, case-insensitive.' }) login: string,
    @Args(() => StarsArgs) args: StarsArgs,
    @Ctx() context: Context,
  ): Promise<Connection<OwnedRow> | null> {
    const found = await accountByLogin(context, login, noSelection);
    return found && starsOf(context, found.databaseId, args);
  }

  @RestOnly()
  @Access('user')
  @Query(() => RepositoryConnection, { description: 'Repositories that the caller starred.' })
  viewerStars(@Args(() => StarsArgs) args: StarsArgs, @Ctx() context: Context): Connection<OwnedRow> {
    const { accountId } = callingUser(context.actor);
    return starsOf(context, accountId, args);
  }

  @RestOnly()
  @Access('user')
  @Query(() => Boolean, { description: 'True; an error when the caller has not starred the repository.' })
  async viewerStarred(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const found = await repositoryFor(context, repository, 'metadata:read', starOnly);
    if (!found?.viewerHasStarred) throw notFound();
    return true;
  }

  @RestOnly()
  @Access('starring:write')
  @Mutation(() => Boolean, { description: 'Stars or unstars a repository.' })
  async restSetStarred(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('isStarred', () => Boolean, { description: 'Whether the caller stars it.' }) isStarred: boolean,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await setStarred(context, repository, isStarred);
    return true;
  }

  @RestOnly()
  @Access('user')
  @Query(() => RepositorySubscription, {
    nullable: true,
    description: 'Subscription of the caller to a repository; null without one.',
  })
  viewerRepositorySubscription(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Ctx() context: Context,
  ): Promise<RepositorySubscription | null> {
    return subscriptionTo(context, repository);
  }

  @RestOnly()
  @Access('watching:write')
  @Mutation(() => RepositorySubscription, { description: 'Watches a repository, or watches it no longer.' })
  async restSetSubscription(
    @Args(() => SubscriptionArgs) { owner, name, isSubscribed, isIgnored }: SubscriptionArgs,
    @Ctx() context: Context,
  ): Promise<RepositorySubscription> {
    if (isIgnored === true) {
      const message = 'ignored must be false: there are no notifications to block.';
      throw validationFailed([{ resource: 'Subscription', field: 'ignored', code: 'custom', message }]);
    }
    const address = { owner, name };
    await setWatched(context, address, isSubscribed !== false);
    const found = await repositoryFor(context, address, 'metadata:read');
    if (!found) throw notFound();
    const now = context.now().toISOString();
    return (await subscriptionTo(context, address)) ?? subscriptionOf(found, false, now);
  }

  @RestOnly()
  @Access('watching:write')
  @Mutation(() => Boolean, { description: 'Watches a repository no longer.' })
  async restUnwatch(@Args(() => RepositoryArgs) repository: RepositoryArgs, @Ctx() context: Context): Promise<boolean> {
    await setWatched(context, repository, false);
    return true;
  }
}
