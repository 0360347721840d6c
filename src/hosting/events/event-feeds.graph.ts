import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { EventFeed } from '../../../schema/hosting/event.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { PageInfo } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { type AccountRow, accountByLogin } from '../accounts/accounts.queries.ts';
import { repositoryFor } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import type { EventObject } from './build-event.ts';
import { EventFeedObject } from './event-feed.ts';
import { AccountFeedArgs, FeedArgs } from './feed-args.ts';
import { feedOfAccount, feedOfMember, publicOwnerFeed, repositoryFeed } from './feeds-of.ts';

const login = (description = 'Login, case-insensitive.') => Arg('login', () => String, { description });

const accountFeed = (
  context: Context,
  kind: 'actor' | 'received',
  row: AccountRow,
  args: AccountFeedArgs,
): EventFeedObject => new EventFeedObject(context, feedOfAccount(context, kind, row, args), args);

@Resolver()
export class EventFeedRoots {
  @RestOnly()
  @Access('public')
  @Cost(3)
  @Query(() => EventFeed, { description: 'Events of all public repositories, with a delay of five minutes.' })
  publicEventFeed(@Args(() => FeedArgs) args: FeedArgs, @Ctx() context: Context): EventFeedObject {
    return new EventFeedObject(context, { kind: 'everything', publicOnly: true, types: args.types }, args);
  }

  @RestOnly()
  @Access('metadata:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description: 'Events of a repository; null when the caller cannot see it.',
  })
  async repositoryEventFeed(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await repositoryFor(context, repository, 'metadata:read');
    return found && new EventFeedObject(context, repositoryFeed(found, args), args);
  }

  @RestOnly()
  @Access('metadata:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'Events of the public repositories in the fork network of a repository; null when the caller cannot see it.',
  })
  async networkEventFeed(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await repositoryFor(context, repository, 'metadata:read');
    if (!found) return null;
    const id = found.networkRootId ?? found.databaseId;
    return new EventFeedObject(context, { kind: 'network', id, publicOnly: true, types: args.types }, args);
  }

  @RestOnly()
  @Access('org-events:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description: 'Events of the public repositories of an organization; null when there is none with this login.',
  })
  async organizationEventFeed(
    @login() text: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection, 'organization');
    return found && new EventFeedObject(context, publicOwnerFeed(found, args), args);
  }

  @RestOnly()
  @Access('user-events:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'Events that an account caused, those of private repositories only for the account itself; null when there is none with this login.',
  })
  async userEventFeed(
    @login() text: string,
    @Args(() => AccountFeedArgs) args: AccountFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && accountFeed(context, 'actor', found, args);
  }

  @RestOnly()
  @Access('user-events:read')
  @Cost(20)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'Events of repositories that a user watches and of users that the user follows, those of private repositories only for the user; null when there is none with this login.',
  })
  async receivedEventFeed(
    @login() text: string,
    @Args(() => AccountFeedArgs) args: AccountFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && accountFeed(context, 'received', found, args);
  }

  @RestOnly()
  @Access('user-events:read')
  @Cost(10)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      "Events of an organization's repositories that the caller can see; null unless the caller is the user with this login.",
  })
  async userOrganizationEventFeed(
    @login() text: string,
    @Arg('organization', () => String, { description: 'Login of the organization.' }) organization: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const user = await accountByLogin(context, text, noSelection, 'user');
    const feed = user && (await feedOfMember(context, user, organization, args));
    return feed && new EventFeedObject(context, feed, args);
  }
}

/** Explicit resolvers, because graphql-jit does not call methods of source objects. */
@Resolver(() => EventFeed)
export class EventFeedFields {
  @FieldResolver()
  etag(@Root() feed: EventFeedObject): Promise<string> {
    return feed.etag();
  }

  @FieldResolver()
  lastModified(@Root() feed: EventFeedObject): Promise<string | null> {
    return feed.lastModified();
  }

  @FieldResolver()
  nodes(@Root() feed: EventFeedObject): Promise<EventObject[]> {
    return feed.nodes();
  }

  @FieldResolver()
  pageInfo(@Root() feed: EventFeedObject): Promise<PageInfo> {
    return feed.pageInfo();
  }
}
