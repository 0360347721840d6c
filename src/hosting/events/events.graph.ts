import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { EventFeed, EventType, ForkPayload, MemberPayload } from '../../../schema/hosting/event.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs, type PageInfo } from '../../../schema/vocabulary/page.ts';
import { selectionOf } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { type AccountRow, accountByLogin, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds, repositoryFor } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import type { EventObject, EventPayloadObject } from './build-event.ts';
import { EventFeedObject } from './event-feed.ts';
import { mayReadPrivateFeed } from './feeds.ts';

const noSelection = new Map();
const login = (description = 'Login, case-insensitive.') => Arg('login', () => String, { description });

@ArgsType()
class FeedArgs extends PageArgs {
  @Field(() => Int, { defaultValue: 30, description: 'Events per page, 1 to 100.' })
  override first!: number;

  @Field(() => [EventType], { nullable: true, description: 'Event types to include; all when null.' })
  types?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'ETag of the page that the client has, or an If-None-Match list. `nodes` is empty while it is current.',
  })
  unless?: string | null;
}

@ArgsType()
class OpenFeedArgs extends FeedArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether to leave out events of private repositories.' })
  publicOnly!: boolean;
}

@Resolver()
export class EventRoots {
  @Access('public')
  @Cost(3)
  @Query(() => EventFeed, { description: 'Events of all public repositories, with a delay of five minutes.' })
  publicEvents(@Args(() => FeedArgs) args: FeedArgs, @Ctx() context: Context): EventFeedObject {
    return new EventFeedObject(context, { of: 'everything', open: true, types: args.types }, args);
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
    return new EventFeedObject(context, { of: 'network', id, open: true, types: args.types }, args);
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
    return (
      found && new EventFeedObject(context, { of: 'owner', id: found.databaseId, open: true, types: args.types }, args)
    );
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
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && new EventFeedObject(context, actorFeed(context, found, args), args);
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
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && new EventFeedObject(context, receivedFeed(context, found, args), args);
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
    const open = !mayReadPrivateFeed(context.actor, user.databaseId);
    return new EventFeedObject(context, { of: 'owner', id: found.databaseId, open, types: args.types }, args);
  }
}

const repositoryFeed = ({ databaseId: id }: OwnedRow, { types }: FeedArgs) =>
  ({ of: 'repository', id, open: false, types }) as const;

function actorFeed({ actor }: Context, { databaseId: id }: AccountRow, { types, publicOnly }: OpenFeedArgs) {
  return { of: 'actor', id, open: publicOnly || !mayReadPrivateFeed(actor, id), types } as const;
}

function receivedFeed({ actor }: Context, { databaseId: id }: AccountRow, { types, publicOnly }: OpenFeedArgs) {
  return { of: 'received', id, open: publicOnly || !mayReadPrivateFeed(actor, id), types } as const;
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
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): EventFeedObject {
    const { databaseId: id, kind } = row;
    const { types } = args;
    const feed = kind === 'user' ? actorFeed(context, row, args) : ({ of: 'owner', id, open: true, types } as const);
    return new EventFeedObject(context, feed, args);
  }

  @Cost(15)
  @FieldResolver(() => EventFeed, {
    description:
      'Events of repositories that the user watches and of users that the user follows, those of private repositories only for the user.',
  })
  receivedEvents(
    @Root() row: AccountRow,
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): EventFeedObject {
    return new EventFeedObject(context, receivedFeed(context, row, args), args);
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
  @FieldResolver(() => Account, { nullable: true })
  member(
    @Root() { memberId }: EventPayloadObject,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return memberId === undefined ? null : context.load(accountsByIds, selectionOf(info)).load(memberId);
  }
}
