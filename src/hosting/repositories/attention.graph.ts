import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { StarredRepositoryConnection } from '../../../schema/hosting/repository.ts';
import { RepositorySubscription } from '../../../schema/hosting/repository-subscription.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import type { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { validationFailed } from '../../errors/errors.ts';
import { type AccountRow, accountByLogin } from '../accounts/accounts.queries.ts';
import { callingUser } from '../accounts/caller.ts';
import { loadStars, loadSubscriptions, subscriptionOf } from './attention.queries.ts';
import { StarredRepositoriesArgs } from './repository-lists.args.ts';
import { starsOf } from './repository-lists.graph.ts';
import type { StarredRow } from './repository-lists.queries.ts';
import { addressOfId } from './repository-ref.ts';
import { setWatched } from './star-and-watch.ts';

@ArgsType()
class AccountStarsArgs extends StarredRepositoriesArgs {
  @Field(() => String, { description: 'Login of the user or organization that starred, case-insensitive.' })
  login!: string;
}

@InputType({ description: 'Input of `setRepositorySubscription`.' })
class SetRepositorySubscriptionInput {
  @Field(() => ID, { description: 'Repository to watch or to watch no longer, by its global id.' })
  repositoryId!: string;
  @optionalField(() => Boolean, 'Whether you watch the repository; true by default.') isSubscribed?: boolean | null;
  @optionalField(() => Boolean, 'Not true: there are no notifications to block.') isIgnored?: boolean | null;
}

const SetRepositorySubscriptionPayload = payloadOf('setRepositorySubscription', {
  subscription: [() => RepositorySubscription, 'Your subscription to the repository, as it is now.'],
});

/** Stars and subscriptions as the contract has them. */
@Resolver()
export class AttentionRoots {
  @RestCorner('The contract has the stars of organizations too. Use `User.starredRepositories`.')
  @Access('metadata:read')
  @Query(() => StarredRepositoryConnection, {
    nullable: true,
    description: 'Repositories that an account starred; null when there is none with this login.',
  })
  async accountStars(
    @Args(() => AccountStarsArgs) { login, ...args }: AccountStarsArgs,
    @Ctx() context: Context,
  ): Promise<Connection<StarredRow> | null> {
    const found = await accountByLogin(context, login, noSelection);
    return found && starsOf(context, found.databaseId, args);
  }

  @RestCorner('The contract has two flags. Use `updateSubscription`.')
  @Access('watching:write')
  @Mutation(() => SetRepositorySubscriptionPayload, {
    nullable: true,
    description: 'Watches a repository, or watches it no longer.',
  })
  async setRepositorySubscription(
    @InputArg(() => SetRepositorySubscriptionInput)
    { repositoryId, isSubscribed, isIgnored }: SetRepositorySubscriptionInput,
    @Ctx() context: Context,
  ): Promise<{ subscription: RepositorySubscription }> {
    if (isIgnored === true) {
      const message = 'ignored must be false: there are no notifications to block.';
      throw validationFailed([{ resource: 'Subscription', field: 'ignored', code: 'custom', message }]);
    }
    const address = addressOfId(repositoryId, 'repositoryId');
    const watches = isSubscribed !== false;
    const repository = await setWatched(context, address, watches);
    const { accountId } = callingUser(context.actor);
    const subscription = watches
      ? await context.load(loadSubscriptions, noSelection).load({ address, accountId })
      : null;
    return { subscription: subscription ?? subscriptionOf(repository, false, context.now().toISOString()) };
  }
}

@Resolver(() => User)
export class UserAttention {
  @Cost(1)
  @FieldResolver(() => Boolean, {
    description: 'Whether the user has starred an object; false for one that you cannot see.',
  })
  hasStarred(
    @Root() { databaseId }: AccountRow,
    @Arg('starrableId', () => ID, { description: 'Global id of the object.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return context
      .load(loadStars, noSelection)
      .load({ address: addressOfId(id, 'starrableId'), accountId: databaseId });
  }

  @Cost(1)
  @FieldResolver(() => RepositorySubscription, {
    nullable: true,
    description: 'Subscription of the user to an object; null without one, and for an object that you cannot see.',
  })
  subscription(
    @Root() { databaseId }: AccountRow,
    @Arg('subscribableId', () => ID, { description: 'Global id of the object.' }) id: string,
    @Ctx() context: Context,
  ): Promise<RepositorySubscription | null> {
    const address = addressOfId(id, 'subscribableId');
    return context.load(loadSubscriptions, noSelection).load({ address, accountId: databaseId });
  }
}
