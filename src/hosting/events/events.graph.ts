import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { EventConnection, EventFeed, ForkPayload, MemberPayload } from '../../../schema/hosting/event.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { ConnectionArgs, PageInfo } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountByLogin, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds, repositoryFor } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import type { EventObject, EventPayloadObject } from './build-event.ts';
import { EventFeedObject } from './event-feed.ts';
import { eventList } from './event-list.ts';
import { AccountEventArgs, AccountFeedArgs, EventArgs, type EventFilter, FeedArgs } from './feed-args.ts';
import { type Feed, mayReadPrivateFeed } from './feeds.ts';

const noSelection = new Map();
const login = (description = 'Login, case-insensitive.') => Arg('login', () => String, { description });

@Resolver()
export class EventRoots {
  @Access('public')
  @Cost(3)
  @Query(() => EventConnection, {
    nullable: true,
    description: 'Events of all public repositories, newest first, with a delay of five minutes.',
  })
  publicEvents(@Args(() => EventArgs) args: EventArgs, @Ctx() context: Context): Connection<EventObject> {
    return eventsOf(context, { kind: 'everything', publicOnly: true, types: args.types }, args);
  }
}

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

const repositoryFeed = ({ databaseId: id }: OwnedRow, { types }: EventFilter) =>
  ({ kind: 'repository', id, publicOnly: false, types }) as const;

const publicOwnerFeed = ({ databaseId: id }: AccountRow, { types }: EventFilter) =>
  ({ kind: 'owner', id, publicOnly: true, types }) as const;

/** What an account caused, or received from those it watches and follows. */
function feedOfAccount(
  { actor }: Context,
  kind: 'actor' | 'received',
  { databaseId: id }: AccountRow,
  { publicOnly, types }: EventFilter & { publicOnly: boolean },
): Feed {
  return { kind, id, publicOnly: publicOnly || !mayReadPrivateFeed(actor, id), types };
}

const accountFeed = (
  context: Context,
  kind: 'actor' | 'received',
  row: AccountRow,
  args: AccountFeedArgs,
): EventFeedObject => new EventFeedObject(context, feedOfAccount(context, kind, row, args), args);

/** The events of an organization's repositories that a user can see; null unless the user is the caller. */
async function feedOfMember(
  context: Context,
  { databaseId }: AccountRow,
  organization: string,
  filter: EventFilter,
): Promise<Feed | null> {
  const { actor } = context;
  if (actor.kind !== 'user' || actor.accountId !== databaseId) return null;
  const found = await accountByLogin(context, organization, noSelection, 'organization');
  return found && { ...publicOwnerFeed(found, filter), publicOnly: !mayReadPrivateFeed(actor, databaseId) };
}

const eventsOf = (context: Context, feed: Feed, args: ConnectionArgs): Connection<EventObject> =>
  new Connection(EventConnection, eventList(context, feed), args);

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
  @Cost(3)
  @FieldResolver(() => EventConnection, { nullable: true, description: 'Events of the repository, newest first.' })
  events(
    @Root() row: OwnedRow,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, repositoryFeed(row, args), args);
  }

  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the public repositories of the fork network, newest first.',
  })
  networkEvents(
    @Root() row: OwnedRow,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    const id = row.networkRootId ?? row.databaseId;
    return eventsOf(context, { kind: 'network', id, publicOnly: true, types: args.types }, args);
  }
}

@Resolver(() => Organization)
export class OrganizationEvents {
  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the public repositories of the organization, newest first.',
  })
  events(
    @Root() row: AccountRow,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, publicOwnerFeed(row, args), args);
  }
}

@Resolver(() => User)
export class UserEvents {
  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description:
      'Events that the user caused, newest first. Those of private repositories are shown to the user alone.',
  })
  events(
    @Root() row: AccountRow,
    @Args(() => AccountEventArgs) args: AccountEventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, feedOfAccount(context, 'actor', row, args), args);
  }

  @Cost(15)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description:
      'Events of watched repositories and followed users. Those of private repositories are shown to the user alone.',
  })
  receivedEvents(
    @Root() row: AccountRow,
    @Args(() => AccountEventArgs) args: AccountEventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, feedOfAccount(context, 'received', row, args), args);
  }

  @Cost(10)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the repositories of an organization that you can see; null unless the user is you.',
  })
  async organizationEvents(
    @Root() row: AccountRow,
    @login() organization: string,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Promise<Connection<EventObject> | null> {
    const feed = await feedOfMember(context, row, organization, args);
    return feed && eventsOf(context, feed, args);
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
