import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { Account, User } from '../../../schema/hosting/account.ts';
import { EventFeed, ForkPayload, MemberPayload } from '../../../schema/hosting/event.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { PageInfo } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountByLogin, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds, repositoryFor } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import type { EventObject, EventPayloadObject } from './build-event.ts';
import { EventFeedObject } from './event-feed.ts';
import { AccountFeedArgs, FeedArgs } from './feed-args.ts';
import { mayReadPrivateFeed } from './feeds.ts';

const noSelection = new Map();
const login = (description = 'Login, case-insensitive.') => Arg('login', () => String, { description });

@Resolver()
export class EventRoots {
  @Access('public')
  @Cost(3)
  @Query(() => EventFeed, { description: 'Events of all public repositories, with a delay of five minutes.' })
  publicEvents(@Args(() => FeedArgs) args: FeedArgs, @Ctx() context: Context): EventFeedObject {
    return new EventFeedObject(context, { kind: 'everything', publicOnly: true, types: args.types }, args);
  }

  @Access('metadata:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description: 'Events of a repository; null when the caller cannot see it.',
  })
  async repositoryEvents(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await repositoryFor(context, repository, 'metadata:read');
    return found && new EventFeedObject(context, repositoryFeed(found, args), args);
  }

  @Access('metadata:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'Events of the public repositories in the fork network of a repository; null when the caller cannot see it.',
  })
  async networkEvents(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await repositoryFor(context, repository, 'metadata:read');
    if (!found) return null;
    const id = found.networkRootId ?? found.databaseId;
    return new EventFeedObject(context, { kind: 'network', id, publicOnly: true, types: args.types }, args);
  }

  @Access('org-events:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description: 'Events of the public repositories of an organization; null when there is none with this login.',
  })
  async organizationEvents(
    @login() text: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection, 'organization');
    return found && new EventFeedObject(context, publicOwnerFeed(found, args), args);
  }

  @Access('user-events:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'Events that an account caused, those of private repositories only for the account itself; null when there is none with this login.',
  })
  async userEvents(
    @login() text: string,
    @Args(() => AccountFeedArgs) args: AccountFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && accountFeed(context, 'actor', found, args);
  }

  @Access('user-events:read')
  @Cost(20)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'Events of repositories that a user watches and of users that the user follows, those of private repositories only for the user; null when there is none with this login.',
  })
  async receivedEvents(
    @login() text: string,
    @Args(() => AccountFeedArgs) args: AccountFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && accountFeed(context, 'received', found, args);
  }

  @Access('user-events:read')
  @Cost(10)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      "Events of an organization's repositories that the caller can see; null unless the caller is the user with this login.",
  })
  async userOrganizationEvents(
    @login() text: string,
    @Arg('organization', () => String, { description: 'Login of the organization.' }) organization: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const user = await accountByLogin(context, text, noSelection, 'user');
    if (!user || context.actor.kind !== 'user' || context.actor.accountId !== user.databaseId) return null;
    const found = await accountByLogin(context, organization, noSelection, 'organization');
    if (!found) return null;
    const publicOnly = !mayReadPrivateFeed(context.actor, user.databaseId);
    return new EventFeedObject(context, { ...publicOwnerFeed(found, args), publicOnly }, args);
  }
}

const repositoryFeed = ({ databaseId: id }: OwnedRow, { types }: FeedArgs) =>
  ({ kind: 'repository', id, publicOnly: false, types }) as const;

const publicOwnerFeed = ({ databaseId: id }: AccountRow, { types }: FeedArgs) =>
  ({ kind: 'owner', id, publicOnly: true, types }) as const;

/** What an account caused, or received from those it watches and follows. */
function accountFeed(
  context: Context,
  kind: 'actor' | 'received',
  { databaseId: id }: AccountRow,
  args: AccountFeedArgs,
): EventFeedObject {
  const publicOnly = args.publicOnly || !mayReadPrivateFeed(context.actor, id);
  return new EventFeedObject(context, { kind, id, publicOnly, types: args.types }, args);
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

@Resolver(() => Repository)
export class RepositoryEvents {
  @FieldResolver(() => EventFeed, { description: 'Events of the repository.' })
  events(@Root() row: OwnedRow, @Args(() => FeedArgs) args: FeedArgs, @Ctx() context: Context): EventFeedObject {
    return new EventFeedObject(context, repositoryFeed(row, args), args);
  }
}

@Resolver(() => Account)
export class AccountEvents {
  @FieldResolver(() => EventFeed, {
    description:
      'For a user, events that the user caused, those of private repositories only for the user; for an organization, events of its public repositories.',
  })
  events(
    @Root() row: AccountRow,
    @Args(() => AccountFeedArgs) args: AccountFeedArgs,
    @Ctx() context: Context,
  ): EventFeedObject {
    if (row.kind === 'user') return accountFeed(context, 'actor', row, args);
    return new EventFeedObject(context, publicOwnerFeed(row, args), args);
  }
}

@Resolver(() => User)
export class UserEvents {
  @Cost(15)
  @FieldResolver(() => EventFeed, {
    description:
      'Events of repositories that the user watches and of users that the user follows, those of private repositories only for the user.',
  })
  receivedEvents(
    @Root() row: AccountRow,
    @Args(() => AccountFeedArgs) args: AccountFeedArgs,
    @Ctx() context: Context,
  ): EventFeedObject {
    return accountFeed(context, 'received', row, args);
  }
}

@Resolver(() => ForkPayload)
export class ForkPayloadFields {
  @FieldResolver(() => Repository, { nullable: true })
  forkee(
    @Root() { forkeeId }: EventPayloadObject,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return forkeeId === undefined ? null : context.load(repositoriesByIds, selectionOf(info)).load(forkeeId);
  }
}

@Resolver(() => MemberPayload)
export class MemberPayloadFields {
  @FieldResolver(() => User, { nullable: true })
  member(
    @Root() { memberId }: EventPayloadObject,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return memberId === undefined ? null : context.load(accountsByIds, selectionOf(info)).load(memberId);
  }
}
